"""Masked cells, gathered into runs so that one filled path can hatch them all."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Float32

Run = tuple[int, int, int]
"""Row, first column, and the column after the last."""

Corners = Float32[np.ndarray, " corner"]


def mask_runs(allowed: Bool[np.ndarray, "query key"]) -> Iterator[Run]:
    """Every unbroken stretch of masked keys, row by row.

    >>> list(mask_runs(np.array([[True, False, False], [True, True, True], [False, True, False]])))
    [(0, 1, 3), (2, 0, 1), (2, 2, 3)]
    """
    walled = np.pad(~allowed, ((0, 0), (1, 1))).astype(np.int8)
    turns = np.diff(walled, axis=1)
    rows, starts = np.nonzero(turns == 1)
    _, stops = np.nonzero(turns == -1)
    yield from zip(rows.tolist(), starts.tolist(), stops.tolist(), strict=True)


def outlines(
    allowed: Bool[np.ndarray, "query key"],
) -> tuple[Float32[np.ndarray, " n"], Float32[np.ndarray, " n"]]:
    """The runs as closed rectangles in cell coordinates, x and y; NaN lifts the pen between two.

    Cell (row, column) reaches half a unit to every side of (column, row).
    """
    runs = np.array(list(mask_runs(allowed)), dtype=np.float32).reshape(-1, 3)
    row, start, stop = runs.T - 0.5
    lift = np.full_like(row, np.nan)
    x = np.stack([start, stop, stop, start, start, lift], axis=-1)
    y = np.stack([row, row, row + 1, row + 1, row, lift], axis=-1)
    return x.ravel(), y.ravel()


def blind_rows(allowed: Bool[np.ndarray, "query key"]) -> tuple[int, ...]:
    """The queries that may see nothing at all.

    >>> blind_rows(np.array([[True, False], [False, False]]))
    (1,)
    """
    return tuple(np.flatnonzero(~allowed.any(axis=1)).tolist())
