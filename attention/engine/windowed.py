"""Attention in a sliding window that computes the band of scores it needs, and no others.

A mask alone saves nothing: the scores it hides have been computed. Here a strip of queries meets the keys its
window can reach (Beltagy et al. 2020, Longformer, section 3.1), so that the work grows with N · window.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor

from attention.engine import steps
from attention.engine.masks import Window
from attention.engine.tiled import blocks

STRIP = 128
"""Queries a strip: enough to make a call worth its while, few enough to compute little beside the band."""


def windowed(
    queries: Float[Tensor, "head query d_head"],
    keys: Float[Tensor, "head key d_head"],
    values: Float[Tensor, "head key d_value"],
    window: Window,
    scale: float,
) -> Float[Tensor, "head query d_value"]:
    """Each head's weighted sum of values, with every query looking at its neighbours alone.

    Args:
        queries: As they are scored.
        keys: The same, as many as there are queries.
        values: One for each key.
        window: How many neighbours a query sees.
        scale: What the scores are multiplied by.
    """
    outputs = []
    for rows, columns in band(queries.shape[1], window):
        scores = steps.score(queries[:, rows.start : rows.stop], keys[:, columns.start : columns.stop])
        allowed = window.allows(
            torch.arange(rows.start, rows.stop), torch.arange(columns.start, columns.stop)
        )
        weights = steps.softmax(steps.mask(steps.scale(scores, scale), allowed))
        outputs.append(steps.mix(weights, values[:, columns.start : columns.stop]))
    return torch.cat(outputs, dim=1)


def band(n: int, window: Window) -> Iterator[tuple[range, range]]:
    """The rows and columns of each block of scores that has to be computed.

    >>> list(band(200, Window(3, 1)))
    [(range(0, 128), range(0, 129)), (range(128, 200), range(125, 200))]
    """
    for rows in blocks(n, STRIP):
        yield rows, range(max(0, rows.start - window.before), min(n, rows.stop + window.after))
