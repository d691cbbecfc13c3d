"""All heads of one kind of attention at a glance, and the checks on them, layer by layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.analysis import checks, strips
from attention.engine.trace import AttentionTrace
from attention.sites import SiteRun
from attention.ui.arrays import fixed
from attention.ui.components.head_sheet import across, pooled, side_for


@dataclass(frozen=True, eq=False, kw_only=True)
class Overview:
    """What is shown of one kind of attention of a run, whichever head is chosen.

    Attributes:
        shades: All heads' weights, [layer head row column], pooled and small enough to send.
        entropies: Mean entropy of each head's rows, in nats, without those of padding.
        row_sum_deviation: How far any row of weights is from summing to 1.
        visible_difference: The largest difference between the forward pass and the visible steps.
    """

    shades: NDArray[np.uint8]
    entropies: NDArray[np.floating[Any]]
    row_sum_deviation: float
    visible_difference: float


def make_overview(of: SiteRun, on_layer: Callable[[int, int], None] | None = None) -> Overview:
    """Go through all layers; at no time is there more of a matrix than a strip.

    Args:
        of: One kind of attention of a run.
        on_layer: Called with (layers done, layers in all) before each; an exception from it ends the work.
    """
    side, parts = side_for(of.n_layers * of.n_heads), []
    for layer in range(of.n_layers):
        if on_layer is not None:
            on_layer(layer, of.n_layers)
        trace = of.trace(layer)
        checked = checks.row_sum_deviation_in(trace), checks.visible_difference_in(of, layer)
        # Padding's own rows are nobody's: hidden, it must change no number of the text.
        entropies = strips.entropies(trace.rows(0, of.stack.n_real))
        parts.append((_shades(trace, side), entropies.numpy(), *checked))
    shades, means, deviations, differences = zip(*parts, strict=True)
    return Overview(
        shades=fixed(np.stack(shades)),
        entropies=fixed(np.stack(means)),
        row_sum_deviation=checks.largest(deviations),
        visible_difference=checks.largest(differences),
    )


def _shades(trace: AttentionTrace, side: int) -> NDArray[np.uint8]:
    """The layer's heads, pooled along the keys strip by strip, and then along the queries."""
    rows = [across(strip.weights.numpy(), side) for strip in strips.strips(trace)]
    return pooled(np.concatenate(rows, axis=-2), side)
