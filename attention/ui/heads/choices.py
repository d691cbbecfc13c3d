"""What the reader chooses on the page: the measure, what the sheet shows and in which order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from attention.analysis.measure import Measure
from attention.analysis.measures import BY_KEY
from attention.errors import InputError
from attention.ui.page_state import PageState, one_of
from attention.ui.url import Entry

Squares: TypeAlias = Literal["measure", "weights"]
Sort: TypeAlias = Literal["layer", "value"]
Pool: TypeAlias = Literal["max", "mean"]
Shade: TypeAlias = Literal["shared", "head"]
Summary: TypeAlias = Literal["mean", "max", "rollout", "even", "received"]


@dataclass(frozen=True)
class HeadsChoices:
    """The page's own choices.

    Attributes:
        measure: Key of what the heads are compared by.
        squares: Whether a square has the colour of its head's measure, or shows its weights.
        sort: Whether the sheet goes by layer, or from the highest value down.
        words: Whether word pieces are put together.
        pool: Which weight of a block stands for it where a square has fewer cells than the head.
        shade: Whether the darkest shade is a weight of 1 in every square, or each head's largest.
        summary: How the whole model is summed up.
    """

    measure: str = "previous"
    squares: Squares = "measure"
    sort: Sort = "layer"
    words: bool = False
    pool: Pool = "max"
    shade: Shade = "shared"
    summary: Summary = "mean"

    @property
    def measured_by(self) -> Measure:
        """What the heads are compared by."""
        return BY_KEY[self.measure]


def _switch(text: str) -> bool:
    """A switch in a link: there and 1, or not there.

    Raises:
        InputError: It is something else.
    """
    if text != "1":
        raise InputError(f"“{text[:24]}” is not 1")
    return True


PAGE = PageState(
    "heads",
    HeadsChoices(),
    {
        "measure": Entry("measure", one_of(*BY_KEY)),
        "squares": Entry("squares", one_of(*get_args(Squares))),
        "sort": Entry("sort", one_of(*get_args(Sort))),
        "words": Entry("words", _switch, lambda on: "1" if on else ""),
        "pool": Entry("pool", one_of(*get_args(Pool))),
        "shade": Entry("shade", one_of(*get_args(Shade))),
        "summary": Entry("summary", one_of(*get_args(Summary))),
    },
)
