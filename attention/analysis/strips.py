"""What can be known of a whole attention matrix without holding it: a strip of queries at a time.

At 8,192 tokens one head's matrix has 67 million weights, 268 MB, and each step on the way to it as many
again. A strip is as many queries as keep one step of all the trace's heads under ``STRIP_BYTES``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal, NamedTuple, TypeAlias

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.analysis.keeping import without
from attention.engine.trace import AttentionTrace

STRIP_BYTES = 32 * 2**20

How: TypeAlias = Literal["max", "mean"]


class Strongest(NamedTuple):
    """One weight of a head, and whose it is."""

    query: int
    key: int
    weight: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Pooled:
    """An attention matrix in blocks, each a cell of a picture.

    Attributes:
        values: Each block's largest or mean weight. A masked weight is 0 and counts as that.
        allowed: Whether any pair of the block may attend.
        sees: Whether any query of the row may see anything at all, keys besides these among it.
        queries: The queries that the rows stand for.
        keys: The keys that the columns stand for.
        block: Queries a row and keys a column; the last row and the last column may hold fewer.
    """

    values: Float[Tensor, "head row column"]
    allowed: Bool[Tensor, "row column"]
    sees: Bool[Tensor, " row"]
    queries: range
    keys: range
    block: tuple[int, int]


def strips(trace: AttentionTrace, *, multiple: int = 1) -> Iterator[AttentionTrace]:
    """The trace in strips of queries, in order.

    Args:
        trace: The steps of one sublayer.
        multiple: Each strip but the last holds a multiple of so many queries.
    """
    # Read once, they are handed on to every strip.
    _ = trace.keys, trace.values
    n_rows = rows_of_a_strip(trace, multiple)
    for start in range(0, trace.n_queries, n_rows):
        yield trace.rows(start, min(start + n_rows, trace.n_queries))


def rows_of_a_strip(trace: AttentionTrace, multiple: int = 1) -> int:
    """How many queries a strip holds, a multiple of some number."""
    row_bytes = trace.config.n_heads * trace.n_keys * trace.query_input.element_size()
    return max(1, STRIP_BYTES // row_bytes // multiple) * multiple


def pooled(
    trace: AttentionTrace,
    most: int,
    how: How = "max",
    *,
    queries: range | None = None,
    keys: range | None = None,
    hidden: Sequence[int] = (),
    renormalise: bool = False,
) -> Pooled:
    """The weights of every head of a trace, in at most so many blocks a side.

    A softmax runs over all keys, whichever are shown: the weights are the model's own, until keys are hidden.

    Args:
        trace: The steps of one sublayer.
        most: Rows and columns at most.
        how: What a block shows of its weights.
        queries: The queries to show; all of them when left out.
        keys: The keys to show.
        hidden: Keys that count as if they had no weight.
        renormalise: Whether each row is divided by what is left of it then.
    """
    queries = range(trace.n_queries) if queries is None else queries
    keys = range(trace.n_keys) if keys is None else keys
    down, across = ceil(len(queries) / most), ceil(len(keys) / most)
    _ = trace.keys, trace.values
    values, allowed, sees = [], [], []
    for strip in strips(trace.rows(queries.start, queries.stop), multiple=down):
        weights = without(strip.weights, hidden, renormalise=renormalise)[:, :, keys.start : keys.stop]
        open_cells = strip.mask[None, :, keys.start : keys.stop].to(weights.dtype)
        values.append(blocks_of(weights, down, across, how))
        allowed.append(blocks_of(open_cells, down, across, "max")[0] > 0)
        sees += [rows.any() for rows in torch.split(strip.mask.any(dim=1), down)]
    return Pooled(
        values=torch.cat(values, dim=1),
        allowed=torch.cat(allowed),
        sees=torch.stack(sees),
        queries=queries,
        keys=keys,
        block=(down, across),
    )


def strongest(trace: AttentionTrace) -> tuple[Strongest, ...]:
    """The largest weight of each head, the first of several alike; 0 where a head sees nothing."""
    best = [Strongest(0, 0, 0.0)] * trace.config.n_heads
    for strip in strips(trace):
        for head, weights in enumerate(strip.weights):
            row, key = divmod(int(weights.argmax()), trace.n_keys)
            if (weight := float(weights[row, key])) > best[head].weight:
                best[head] = Strongest(strip.first_query + row, key, weight)
    return tuple(best)


def entropies(trace: AttentionTrace) -> Float[Tensor, " head"]:
    """Mean entropy of each head's rows in nats, as `heads.entropy` of the whole matrix is.

    Rows that may see nothing are not counted; where no row sees anything there is no mean (NaN).
    """
    total = trace.query_input.new_zeros(trace.config.n_heads)
    n_seeing = 0
    for strip in strips(trace):
        total += torch.special.entr(strip.weights).sum(dim=(1, 2))
        n_seeing += int(strip.mask.any(dim=1).sum())
    return total / n_seeing


def blocks_of(
    cells: Float[Tensor, "head query key"], down: int, across: int, how: How
) -> Float[Tensor, "head row column"]:
    """Each block's largest cell, or the mean of its cells; blocks at the edge are of what is there."""
    n_heads, n_rows, n_columns = cells.shape
    below, beside = -n_rows % down, -n_columns % across
    # Cells are not negative: zeros at the edge change no maximum and no sum.
    padded = torch.nn.functional.pad(cells, (0, beside, 0, below))
    blocks = padded.view(n_heads, -1, down, (n_columns + beside) // across, across)
    largest: Tensor = blocks.amax(dim=(2, 4))
    if how == "max":
        return largest
    sums: Tensor = blocks.sum(dim=(2, 4))
    return sums / _sizes(n_rows, down)[:, None] / _sizes(n_columns, across)


def _sizes(n: int, block: int) -> Float[Tensor, " block"]:
    """How many positions each block holds."""
    starts = torch.arange(0, n, block)
    return torch.clamp(n - starts, max=block)
