"""What a measure of a head is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from attention.analysis.reading import PerRow, Reading

Kind = Literal["weight", "amount", "signed"]
Reach = tuple[float | None, float | None]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One number about a head on one text: the mean of a value that every row has.

    Attributes:
        key: Its name in a link.
        name: Its name on the page.
        symbol: A short label.
        says: What it is, in one sentence.
        formula: How each row's value is reckoned; a is the row's weights.
        source: Where the definition comes from.
        per_row: The function.
        rows: Which rows are counted.
        kind: A share of "weight", an "amount" from its least value up, or a "signed" number round zero.
        reach: The least and the most it can be when there are n keys; None where there is no bound.
        of_matrix: Whether it is one number of all rows together, as one matrix, and no mean over them.
    """

    key: str
    name: str
    symbol: str
    says: str
    formula: str
    source: str
    per_row: Callable[[Reading], PerRow]
    rows: str = "rows that see something"
    kind: Kind
    reach: Callable[[int], Reach]
    of_matrix: bool = False


def share_of_one(n: int) -> Reach:
    """The range of a share."""
    return 0.0, 1.0


@dataclass(frozen=True, kw_only=True)
class ShareOfWeight(Measure):
    """A part of each row's weight: 0 to 1, on the scale of weights."""

    kind: Kind = "weight"
    reach: Callable[[int], Reach] = share_of_one
