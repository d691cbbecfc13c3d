"""What the reader chooses on the page: the measure, what the sheet shows and in which order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from attention.analysis.measure import Measure
from attention.analysis.measures import BY_KEY
from attention.ui.page_state import PageState, one_of
from attention.ui.url import Entry

Squares: TypeAlias = Literal["measure", "weights"]
Sort: TypeAlias = Literal["layer", "value"]
Summary: TypeAlias = Literal["mean", "max", "rollout", "even", "received"]


@dataclass(frozen=True)
class HeadsChoices:
    """The page's own choices.

    Attributes:
        measure: Key of what the heads are compared by.
        squares: Whether a square has the colour of its head's measure, or shows its weights.
        sort: Whether the sheet goes by layer, or from the highest value down.
        summary: How the whole model is summed up.
    """

    measure: str = "previous"
    squares: Squares = "measure"
    sort: Sort = "layer"
    summary: Summary = "mean"

    @property
    def measured_by(self) -> Measure:
        """What the heads are compared by."""
        return BY_KEY[self.measure]


PAGE = PageState(
    "heads",
    HeadsChoices(),
    {
        "measure": Entry("measure", one_of(*BY_KEY)),
        "squares": Entry("squares", one_of(*get_args(Squares))),
        "sort": Entry("sort", one_of(*get_args(Sort))),
        "summary": Entry("summary", one_of(*get_args(Summary))),
    },
)
