"""A layer's heads at a glance: a small picture, the mean entropy and the strongest pair of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention.analysis.blocks import Floats, keys_in_blocks, queries_in_blocks
from attention.analysis.strips import How, Strongest
from attention.analysis.whole_words import Units
from attention.analysis.word_rows import Rows, rows_between
from attention.engine.trace import AttentionTrace


@dataclass(frozen=True, eq=False, kw_only=True)
class Glance:
    """What is shown of every head of a layer, whichever is chosen.

    Attributes:
        blocks: Its weights, [head row column], at most as many a side as were asked for.
        entropies: Mean entropy of its rows in nats, without those of padding; NaN where none sees anything.
        strongest: Its largest weight, the first of several alike, by row and column.
    """

    blocks: Floats
    entropies: Float[Tensor, " head"]
    strongest: tuple[Strongest, ...]


def glance(trace: AttentionTrace, queries: Units, keys: Units, *, side: int, how: How, n_real: int) -> Glance:
    """Go through the rows of a layer once, a strip at a time.

    Args:
        trace: The steps of the layer.
        queries: The words that look; one token each where pieces are not put together.
        keys: The words that are looked at.
        side: The most rows and columns of a picture.
        how: Which weight of a block stands for it.
        n_real: Queries, counted in tokens, that are no padding: hidden, it must change no number of the text.
            The picture shows its rows as it shows all others.
    """
    best, narrow = [Strongest(0, 0, 0.0)] * trace.config.n_heads, []
    total, n_seeing = trace.query_input.new_zeros(trace.config.n_heads), 0
    n_rows = sum(unit[0] < n_real for unit in queries)
    for rows in rows_between(trace, queries, keys):
        narrow.append(keys_in_blocks(rows.weights.numpy(), side, how))
        real = max(n_rows - rows.first, 0)
        if real:
            best = [max(pair, key=_weight) for pair in zip(best, _strongest(rows, real), strict=True)]
        total += torch.special.entr(rows.weights[:, :real]).sum(dim=(1, 2))
        n_seeing += int(rows.allowed[:real].any(dim=1).sum())
    blocks = queries_in_blocks(np.concatenate(narrow, axis=-2), side, how)
    return Glance(blocks=blocks, entropies=total / n_seeing, strongest=tuple(best))


def _weight(pair: Strongest) -> float:
    return pair.weight


def _strongest(rows: Rows, n_rows: int) -> list[Strongest]:
    n_keys, flat = rows.weights.shape[2], rows.weights[:, :n_rows].flatten(1)
    places = [divmod(at, n_keys) for at in flat.argmax(dim=1).tolist()]
    return [
        Strongest(rows.first + row, key, float(rows.weights[head, row, key]))
        for head, (row, key) in enumerate(places)
    ]
