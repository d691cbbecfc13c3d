"""The weights between words in blocks, a strip at a time."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import torch
from torch import Tensor

from attention.analysis.keeping import without
from attention.analysis.strips import How, Pooled, blocks_of, rows_of_a_strip
from attention.analysis.whole_words import Units, in_strips, mean_queries, sum_keys
from attention.engine.trace import AttentionTrace


def pooled_words(
    trace: AttentionTrace,
    most: int,
    how: How = "max",
    *,
    words: tuple[Units, Units],
    hidden: Sequence[int] = (),
    renormalise: bool = False,
) -> Pooled:
    """As `strips.pooled`, of words: first their pieces are put together, then words in blocks.

    Args:
        trace: The steps of one sublayer.
        most: Rows and columns at most.
        how: What a block shows of the weights between its words.
        words: The words that look, side by side, and those that are looked at.
        hidden: Keys, counted in tokens, that count as if they had no weight.
        renormalise: Whether each row is divided by what is left of it then.
    """
    queries, keys = words
    down, across = ceil(len(queries) / most), ceil(len(keys) / most)
    span, own_keys = slice(keys[0][0], keys[-1][-1] + 1), _from_zero(keys)
    _ = trace.keys, trace.values
    values, allowed, seeing = [], [], []
    for bundles in in_strips(_bundles(queries, down), rows_of_a_strip(trace)):
        rows = trace.rows(bundles[0][0], bundles[-1][-1] + 1)
        looking = _from_zero(tuple(unit for unit in queries if bundles[0][0] <= unit[0] <= bundles[-1][-1]))
        sees = rows.mask.any(dim=-1)
        weights = without(rows.weights, hidden, renormalise=renormalise)[:, :, span]
        merged = _merged(weights, sees, looking, own_keys)
        may = (_merged(rows.mask[None, :, span].double(), sees, looking, own_keys) > 0).to(weights.dtype)
        values.append(blocks_of(merged, down, across, how))
        allowed.append(blocks_of(may, down, across, "max")[0] > 0)
        seeing += [sees[bundle[0] - bundles[0][0] :][: len(bundle)].any() for bundle in bundles]
    return Pooled(
        values=torch.cat(values, dim=1),
        allowed=torch.cat(allowed),
        sees=torch.stack(seeing),
        queries=range(len(queries)),
        keys=range(len(keys)),
        block=(down, across),
    )


def _merged(weights: Tensor, sees: Tensor, queries: Units, keys: Units) -> Tensor:
    return mean_queries(sum_keys(weights, keys), sees, queries)


def _bundles(words: Units, size: int) -> Units:
    """So many words at a time, as if they were one."""
    starts = range(0, len(words), size)
    return tuple(tuple(at for word in words[start : start + size] for at in word) for start in starts)


def _from_zero(words: Units) -> Units:
    """The same words, their pieces counted from the first of them."""
    return tuple(tuple(at - words[0][0] for at in word) for word in words)
