"""Two actions that take turns, so that whatever else the machine does meets both alike."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

Action = Callable[[], object]


@dataclass(frozen=True)
class Paired:
    """Seconds of both, pair by pair."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The median of ours ÷ theirs."""
        return median(mine / other for mine, other in zip(self.ours, self.theirs, strict=True))

    def __str__(self) -> str:
        mine, other = 1000 * median(self.ours), 1000 * median(self.theirs)
        return f"{self.ratio:.2f} ({mine:.0f} ÷ {other:.0f} ms)"


def seconds(action: Action) -> float:
    """How long it takes."""
    start = perf_counter()
    action()
    return perf_counter() - start


def paired(ours: Action, theirs: Action, repeats: int) -> Paired:
    """Time both in turns, after once each to warm up."""
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(repeats + 1)][1:]
    return Paired(tuple(mine for mine, _ in pairs), tuple(other for _, other in pairs))
