"""The heads of the chosen layer for the chosen token: side by side, added up, and as one wide head."""

from __future__ import annotations

import math

import numpy as np

from attention.analysis.journey import cosine
from attention.analysis.merging import Part, WideHead
from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid
from attention.ui.scene import Scene

WIDE = "one wide head"


def names(of: Scene) -> tuple[str, ...]:
    """The heads of the layer."""
    return tuple(f"H{head}" for head in range(of.trace.config.n_heads))


def side_by_side(of: Scene) -> Grid:
    """Each head's output for the token: read row by row, this is the vector that W_O gets."""
    row = of.trace.rows(of.query, of.query + 1).head_outputs[:, 0]
    n_heads, width = row.shape
    return Grid(
        title=f"Heads side by side: {n_heads} × {width} = {n_heads * width} numbers",
        values=row.numpy(),
        rows=names(of),
        columns=tuple(map(str, range(width))),
        row_title="head",
        column_title="entry of its output",
        scale="output",
    )


def shares(of: Scene, parts: tuple[Part, ...]) -> Chart:
    """How much of the output lies along each head's part, and how long that part is."""
    labels = tuple("b_O" if part.head is None else f"H{part.head}" for part in parts)
    places = range(len(parts))
    return Chart(
        title="Added up: each head’s part of the output",
        x=Axis("head", labels=labels),
        y=Axis("share of the output; all sum to 1"),
        series=(
            Series(
                "share",
                places,
                [math.nan if part.share is None else part.share for part in parts],
                role="output",
                mark="bars",
            ),
        ),
        note="A share is part · output ÷ |output|²; below 0 it pulls the other way.",
    )


def rows(of: Scene, wide: WideHead) -> Grid:
    """The token's row of weights in every head, and in one wide head."""
    strip = of.trace.rows(of.query, of.query + 1)
    values = np.concatenate([strip.weights[:, 0].numpy(), wide.weights[of.query][None].numpy()])
    return Grid(
        title=f"What if: {len(values) - 1} rows of weights, or one",
        values=values,
        rows=(*names(of), WIDE),
        columns=of.key_texts,
        row_title="head",
        column_title="key, looked at",
        scale="weights",
        allowed=np.repeat(strip.mask.numpy(), len(values), axis=0),
        focus_row=len(values) - 1,
    )


def likeness(of: Scene, wide: WideHead) -> float | None:
    """The cosine of what the layer's attention makes with what the wide head would make."""
    made = of.trace.rows(of.query, of.query + 1).output[0]
    return cosine(made, wide.output[of.query])
