"""The pictures of one mask: who may attend, the head's scores before and after, its weights, what moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid, GridScale
from attention.run import Run
from attention.ui.masks.scene import MaskScene

QUERY, KEY = "query, looks", "key, looked at"
BLIND = "⊘ "
"""Before the name of a row that sees nothing."""

LARGEST = "largest difference of an entry"
"""The one measure of a batch, so that what holds with the mask is held against what goes wrong without."""

MOST_NAMED = 20
"""Bars with names under them; beyond that, positions."""


def allowed(scene: MaskScene) -> Grid:
    """1 where a query may attend, 0 where it may not."""
    return _grid(scene, "Allowed, 1 or 0", scene.allowed, "allowed")


def before(scene: MaskScene) -> Grid:
    """The head's scaled scores, which the mask has not touched yet."""
    return _grid(scene, f"Scores before, {head(scene)}", scene.before, "scores")


def masked(scene: MaskScene) -> Grid:
    """The same with −∞ where blocked, on the colours of the scores before."""
    end = float(np.abs(scene.before).max()) or 1.0
    return _grid(scene, f"−∞ where blocked, {head(scene)}", scene.masked, "scores", end)


def weights(scene: MaskScene) -> Grid:
    """What the softmax makes of them."""
    return _grid(scene, f"Weights after, {head(scene)}", scene.weights, "weights", allowed=scene.allowed)


def head(scene: MaskScene) -> str:
    """The head's name."""
    return f"L{scene.view.layer} H{scene.view.head}"


def rows(scene: MaskScene) -> Chart:
    """How many keys each query may attend to."""
    return _bars("Cells per row", scene.names, scene.kept.per_query, "keys it may attend to", "text2")


def moved(scene: MaskScene) -> Chart:
    """How far the mask moved each token's final vector."""
    return _bars("What it does to the output", scene.names[: len(scene.moved)], scene.moved,
                 "cosine distance", "output")  # fmt: skip


def unmasked(differences: Sequence[float]) -> Chart:
    """What open padding does to each sentence, in the measure that the table beside it has."""
    names = tuple(f"sentence {number}" for number in range(1, len(differences) + 1))
    return _bars("Without the padding mask", names, differences, LARGEST, "output")


def column(run: Run, names: Sequence[str], position: int, title: str, at: tuple[int, int]) -> Grid:
    """The weights of one head of a run, one key in focus.

    Args:
        run: The run.
        names: Its tokens.
        position: The key in focus.
        title: What was done to it.
        at: Layer and head.
    """
    trace = run.attention(at[0])
    return Grid(
        title,
        trace.head(at[1]).weights[0].numpy(),
        tuple(names),
        tuple(names),
        QUERY,
        KEY,
        "weights",
        allowed=trace.mask.numpy(),
        focus_column=position,
    )


def _grid(
    scene: MaskScene,
    title: str,
    values: NDArray[Any],
    scale: GridScale,
    limit: float | None = None,
    allowed: NDArray[np.bool_] | None = None,
) -> Grid:
    rows = tuple(BLIND + name if at in scene.kept.blind else name for at, name in enumerate(scene.names))
    return Grid(title, values, rows, scene.names, QUERY, KEY, scale, limit, allowed, focus_row=scene.query)


def _bars(
    title: str, names: Sequence[str], heights: Sequence[float] | NDArray[Any], measure: str, role: Any
) -> Chart:
    numbers = np.asarray(heights, dtype=np.float64)
    # Rounding moves a vector by 1e-7; the floor keeps that from filling the chart.
    top = max(float(numbers.max()) * 1.08, 1e-3)
    places = np.arange(len(numbers), dtype=np.float64)
    series = Series(measure, places, numbers, role, "bars")
    along = Axis("", labels=tuple(names)) if len(numbers) <= MOST_NAMED else Axis("position of the token")
    return Chart(title, along, Axis(measure, range=(0.0, top)), (series,))
