"""A chart as it is to be drawn: series of numbers over one pair of axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from jaxtyping import Float

from attention.errors import InputError
from attention.figures.theme import Palette

SeriesRole: TypeAlias = Literal[
    "ink", "text2", "query", "key", "value", "output", "weight", "primary", "masked"
]
Mark: TypeAlias = Literal["line", "points", "both", "bars"]

SHAPES = ("circle", "square", "diamond", "triangle", "cross", "star")
"""Marks of a chart's series in order: none is told by its colour alone."""


@dataclass(frozen=True)
class Axis:
    """One side of a chart.

    Attributes:
        title: What it measures, with its unit.
        log: Whether equal steps are equal factors.
        range: Where it begins and ends; None lets the numbers decide.
        labels: Names of the places 0, 1, 2, … where it has no numbers.
    """

    title: str
    log: bool = False
    range: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a range that goes nowhere, or from where no logarithm is."""
        if self.range is None:
            return
        low, high = self.range
        if not low < high:
            raise InputError(f"the axis “{self.title}” would run from {low:g} to {high:g}")
        if self.log and low <= 0:
            raise InputError(f"the axis “{self.title}” is logarithmic and cannot begin at {low:g}")


@dataclass(frozen=True, eq=False)
class Series:
    """One row of numbers with a name.

    Attributes:
        name: As the legend says it.
        x: Where along the chart.
        y: How high; NaN leaves a gap.
        role: What it shows, hence its colour.
        mark: Drawn as a line, as points, as both, or as bars from zero.
        dashed: What theory says, against what was measured.
    """

    name: str
    x: Sequence[float] | Float[np.ndarray, " place"]
    y: Sequence[float] | Float[np.ndarray, " place"]
    role: SeriesRole = "ink"
    mark: Mark = "line"
    dashed: bool = False

    def __post_init__(self) -> None:
        """Keep the numbers as arrays of their own; refuse what cannot be drawn."""
        x, y = (np.array(values, dtype=np.float64).reshape(-1) for values in (self.x, self.y))
        if len(x) != len(y):
            raise InputError(f"“{self.name}” has {len(x)} places, but {len(y)} numbers to put there")
        for values in (x, y):
            if np.isinf(values).any():
                raise InputError(f"“{self.name}” has {int(np.isinf(values).sum())} infinite numbers")
            values.setflags(write=False)
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)

    @property
    def points(self) -> Float[np.ndarray, "2 place"]:
        """Both rows of numbers, one over the other."""
        return np.stack([np.asarray(self.x), np.asarray(self.y)])


@dataclass(frozen=True, eq=False)
class Chart:
    """Series over one pair of axes.

    Attributes:
        title: What it shows; the page and the exported file put it above.
        x: The axis along.
        y: The axis up.
        series: At least one.
        note: What one must know to read it, such as how many samples stand behind it.
    """

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse a chart of nothing."""
        if not self.series:
            raise InputError(f"nothing to draw: “{self.title}” has 0 series")


def colour(series: Series, palette: Palette) -> str:
    """The colour of what a series shows; weights take the bars' amber, which is never text."""
    return str(getattr(palette, "beam" if series.role == "weight" else series.role))


def shape(chart: Chart, series: Series) -> str:
    """Which mark tells a series from its neighbours.

    >>> both = (Series("a", [0], [1]), Series("b", [0], [2]))
    >>> [shape(Chart("", Axis("x"), Axis("y"), both), one) for one in both]
    ['circle', 'square']
    """
    at = next(at for at, other in enumerate(chart.series) if other is series)
    return SHAPES[at % len(SHAPES)]


def lost(chart: Chart) -> int:
    """How many numbers have no place, since a logarithmic axis knows nothing at or below zero."""
    logs = np.array([[chart.x.log], [chart.y.log]])
    return sum(int(((one.points <= 0) & logs).any(axis=0).sum()) for one in chart.series)


def notes(chart: Chart) -> tuple[str, ...]:
    """The lines under the chart."""
    n_lost = lost(chart)
    said = f"{n_lost} at or below 0 {'has' if n_lost == 1 else 'have'} no place on a logarithmic axis"
    return tuple(line for line in (chart.note, said if n_lost else "") if line)
