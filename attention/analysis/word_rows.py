"""The weights of one sublayer in strips of rows, between tokens or between words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor

from attention.analysis.strips import rows_of_a_strip
from attention.analysis.whole_words import Units, in_strips, mean_queries, sum_keys
from attention.engine.trace import AttentionTrace


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """Consecutive rows of every head of a sublayer, against all keys.

    Attributes:
        first: Which row of all the first of these is.
        weights: Their weights.
        allowed: Who may attend to whom.
    """

    first: int
    weights: Float[Tensor, "head row column"]
    allowed: Bool[Tensor, "row column"]


def rows_between(trace: AttentionTrace, queries: Units, keys: Units) -> Iterator[Rows]:
    """All rows of a sublayer, a strip at a time and in order; no word is cut by the end of a strip.

    Args:
        trace: The steps of one sublayer.
        queries: The words that look; one token each where pieces are not put together.
        keys: The words that are looked at.
    """
    # Read once, they are handed on to every strip.
    _ = trace.keys, trace.values
    first = 0
    for units in in_strips(queries, rows_of_a_strip(trace)):
        strip = trace.rows(units[0][0], units[-1][-1] + 1)
        yield _rows(strip, first, units, keys)
        first += len(units)


def _rows(strip: AttentionTrace, first: int, units: Units, keys: Units) -> Rows:
    if (len(units), len(keys)) == (strip.n_queries, strip.n_keys):
        return Rows(first=first, weights=strip.weights, allowed=strip.mask)
    sees, own = strip.mask.any(dim=-1), tuple(tuple(at - units[0][0] for at in unit) for unit in units)

    def merged(weights: Tensor) -> Tensor:
        return mean_queries(sum_keys(weights, keys), sees, own)

    return Rows(first=first, weights=merged(strip.weights), allowed=merged(strip.mask.double()) > 0)
