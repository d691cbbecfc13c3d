"""Three small sums below the example: one row of softmax, one weighted sum, one square root."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch

from attention.engine import steps
from attention.figures.entries import entry, weighted_sum
from attention.figures.numbers import share
from attention.figures.reckoning import Line, lit, reckoning, softmax_lines
from attention.figures.theme import Palette
from attention.figures.value_mix import value_mix
from attention.ui.components.markup import value_table
from attention.ui.titles import title
from attention.ui.worked import words
from attention.ui.worked.desk import Desk
from attention.ui.worked.editors import complaints, editor
from attention.ui.worked.scene import tensor

WIDTH = 64
TYPICAL = (8.0, 0.0, -8.0)
"""Three scores of a head of width 64 when entries are of size 1: one root, nothing, one root below."""


def further(desk: Desk, colours: Palette) -> None:
    """The three sums, side by side where there is room."""
    with st.container(key="sums"):
        left, right = st.columns([1, 1], gap="large")
        with left:
            _softmax_row(desk, colours)
            _root(colours)
        with right:
            _weighted_values(desk, colours)


def _softmax_row(desk: Desk, colours: Palette) -> None:
    st.html(title("One row through softmax"))
    st.html(f'<div class="cap">{words.ROW_CAPTION}</div>')
    with st.container(key="row", gap="xsmall"):
        editor(desk, "row")
    complaints(desk, ("row",), words.STALE_SUM)
    row = desk.numbers["row"][0]
    lines = softmax_lines(row, softmax(row), colours)
    st.html(reckoning("One row through softmax", lines, [f"key {at}" for at in range(len(row))]))
    st.html(f'<div class="cap">{words.ROW_PRINTED}</div>')


def _weighted_values(desk: Desk, colours: Palette) -> None:
    st.html(title("A weighted sum"))
    st.html(f'<div class="cap">{words.MIX_CAPTION}</div>')
    with st.container(key="mix", gap="xsmall"):
        editor(desk, "mix")
    complaints(desk, ("mix",), words.STALE_SUM)
    table = np.array(desk.numbers["mix"])
    weights, values = table[:, 0], table[:, 1:]
    output = mixed(weights.tolist(), values.tolist())
    st.html(f'<div class="cap">{words.weights_told(float(weights.sum()))}</div>')
    drawn = value_mix(
        [f"key {at}" for at in range(len(weights))],
        weights,
        values,
        output,
        key=int(weights.argmax()),
        allowed=np.ones(len(weights), dtype=np.bool_),
        palette=colours,
    )
    value_table(drawn, element_key="worked.weighted")
    st.html(weighted_sum(weights.tolist(), values.tolist(), output.tolist()))


def _root(colours: Palette) -> None:
    st.html(title("√64 = 8", "why a head of width 64 divides by 8"))
    st.html(f'<div class="cap">{words.ROOT_CAPTION}</div>')
    scaled = steps.scale(torch.tensor([[TYPICAL]], dtype=torch.float64), WIDTH**-0.5)[0, 0].tolist()
    lines = [
        Line("scores", [entry(x) for x in TYPICAL]),
        _shares(TYPICAL, colours),
        Line("scores ÷ 8", [entry(x) for x in scaled]),
        _shares(scaled, colours),
    ]
    st.html(reckoning("Scores with and without the division", lines))
    st.html(f'<div class="cap">{words.ROOT_NOTICE}</div>')


def _shares(row: Sequence[float], colours: Palette) -> Line:
    weights = softmax(row)
    return Line("softmax", [share(weight) for weight in weights], "", lit(weights, colours))


def softmax(row: Sequence[float]) -> list[float]:
    """One row through the engine's softmax."""
    shares: list[float] = steps.softmax(torch.tensor([[list(row)]], dtype=torch.float64))[0, 0].tolist()
    return shares


def mixed(weights: Sequence[float], values: Sequence[Sequence[float]]) -> np.ndarray:
    """A weighted sum by the engine; the weights are taken as they are."""
    row, vectors = tensor((tuple(weights),)), tensor(tuple(tuple(value) for value in values))
    return np.asarray(steps.mix(row[None], vectors[None])[0, 0])
