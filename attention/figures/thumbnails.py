"""A head's weights as the shades of a small picture."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Pool = Literal["max", "mean"]
Shade = Literal["shared", "head"]

EXPONENT = 0.7
"""Shade is weight to this power: linear loses the patterns at 40 tokens, the root turns the sheet to fog."""


def shades(weights: NDArray[np.floating[Any]], shade: Shade = "shared") -> NDArray[np.uint8]:
    """Weights [… row column] as steps of the colour scale.

    Args:
        weights: What each cell shows.
        shade: Whether the last step is a weight of 1, or the largest of what each picture shows.

    >>> shades(np.array([[0.0, 0.5], [0.25, 0.0]]), "head")
    array([[  0, 255],
           [157,   0]], dtype=uint8)
    """
    ends = weights.max(axis=(-2, -1), keepdims=True) if shade == "head" else np.asarray(1.0)
    shares = np.divide(weights, ends, out=np.zeros_like(weights), where=ends > 0)
    steps: NDArray[np.uint8] = np.rint(np.clip(shares, 0, 1) ** EXPONENT * 255).astype(np.uint8)
    return steps
