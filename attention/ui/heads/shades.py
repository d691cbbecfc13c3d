"""Every head's weights as small pictures, and every head's measure as a colour."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.analysis.measure import Measure
from attention.figures.theme import Palette, Scale, lut, role_scale, score_scale, weight_scale
from attention.ui.components.head_sheet import EXPONENT, block_maxima
from attention.ui.heads.choices import Pool, Shade

Floats = NDArray[np.floating[Any]]


def thumbnails(weights: Floats, side: int, pool: Pool, shade: Shade) -> NDArray[np.uint8]:
    """Heads' weights as shades, at most `side` rows and columns.

    Args:
        weights: [head query key].
        side: The most rows and columns.
        pool: Whether the largest or the mean weight of a block stands for it.
        shade: Whether the darkest shade is a weight of 1, or the largest of what each head shows.

    >>> thumbnails(np.array([[[0.0, 1.0], [1.0, 0.0]]]), 1, "mean", "head")
    array([[[255]]], dtype=uint8)
    """
    small = block_means(weights, side) if pool == "mean" else block_maxima(weights, side)
    ends = small.max(axis=(-2, -1), keepdims=True) if shade == "head" else 1.0
    shares = np.divide(small, ends, out=np.zeros_like(small), where=np.asarray(ends) > 0)
    shades: NDArray[np.uint8] = np.rint(np.clip(shares, 0, 1) ** EXPONENT * 255).astype(np.uint8)
    return shades


def block_means(weights: Floats, side: int) -> Floats:
    """Weights [… query key] with at most `side` rows and columns, each the mean of its block."""
    for axis in (-2, -1):
        n = weights.shape[axis]
        if n > side:
            starts = np.arange(side) * n // side
            counts = np.diff([*starts, n])
            sums = np.add.reduceat(weights, starts, axis=axis)
            weights = sums / (counts if axis == -1 else counts[:, None])
    return weights


def ends(measure: Measure, values: Floats) -> tuple[float, float]:
    """The numbers at both ends of the colours: from the least a measure can be to the largest found.

    A signed measure has its zero in the middle.
    """
    found = values[np.isfinite(values)]
    low = measure.reach(2)[0] or 0.0
    if measure.kind == "signed":
        reach = float(np.abs(found).max(initial=0.0)) or 1.0
        return -reach, reach
    high = float(found.max(initial=low))
    return low, high if high > low else low + 1.0


def measure_shades(measure: Measure, values: Floats) -> NDArray[np.uint8]:
    """One shade a head, [layer head 1 1]; of a head that cannot be measured, the scale's first."""
    low, high = ends(measure, values)
    shares = np.nan_to_num((values - low) / (high - low), nan=0.0)
    shades: NDArray[np.uint8] = np.rint(np.clip(shares, 0, 1) * 255).astype(np.uint8)
    return shades[..., None, None]


def measure_scale(measure: Measure, palette: Palette) -> Scale:
    """The colours of a measure: those of weights for a share of weight, of scores for what has a sign.

    Anything else is no weight and gets no amber: from the background to the ink.
    """
    if measure.kind == "weight":
        return weight_scale(palette)
    if measure.kind == "signed":
        return score_scale(palette)
    return _upper_half(role_scale(palette, "ink"))


def gradient(scale: Scale) -> str:
    """A scale as CSS, for a legend."""
    return f"linear-gradient(90deg,{','.join(lut(scale)[::15])})"


def _upper_half(scale: Scale) -> Scale:
    return tuple((2 * at - 1, colour) for at, colour in scale if at >= 0.5)
