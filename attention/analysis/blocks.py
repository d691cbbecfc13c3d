"""Matrices of weights made small: neighbours in blocks, each block one number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.analysis.strips import How

Floats = NDArray[np.floating[Any]]


def keys_in_blocks(weights: Floats, side: int, how: How = "max") -> Floats:
    """Weights [… query key] with at most `side` columns, each the largest or the mean of its block."""
    return _in_blocks(weights, side, how, axis=-1)


def queries_in_blocks(weights: Floats, side: int, how: How = "max") -> Floats:
    """Weights [… query key] with at most `side` rows. Keys in blocks first give the same as queries first.

    >>> queries_in_blocks(keys_in_blocks(np.array([[0.0, 1.0], [0.5, 0.5]]), 1, "mean"), 1, "mean")
    array([[0.5]])
    """
    return _in_blocks(weights, side, how, axis=-2)


def _in_blocks(weights: Floats, side: int, how: How, axis: int) -> Floats:
    n = weights.shape[axis]
    if n <= side:
        return weights
    starts = np.arange(side) * n // side
    if how == "max":
        largest: Floats = np.maximum.reduceat(weights, starts, axis=axis)
        return largest
    counts = np.diff([*starts, n]).astype(weights.dtype)
    means: Floats = np.add.reduceat(weights, starts, axis=axis) / (counts if axis == -1 else counts[:, None])
    return means
