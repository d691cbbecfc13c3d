"""Every head's measure as a colour."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.analysis.measure import Measure
from attention.figures.theme import Palette, Scale, lut, role_scale, score_scale, weight_scale

Floats = NDArray[np.floating[Any]]


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
