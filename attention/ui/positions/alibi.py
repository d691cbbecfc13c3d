"""ALiBi: slopes for any number of heads, the bias of one, and what it does to weights."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
import torch
from jaxtyping import Float
from torch import Tensor

from attention.analysis.positions import falling, looks_back
from attention.engine.positions import slopes
from attention.engine.trace import AttentionTrace
from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid, GridScale
from attention.figures.theme import Palette
from attention.ui.positions import words
from attention.ui.positions.choices import MOST_BIASED, MOST_HEADS, PositionsChoices
from attention.ui.positions.controls import slider, within
from attention.ui.shown import shown

SEED = 0
FORMULA = r"$S_{ij} = \dfrac{q_i k_j}{\sqrt{d_h}} - m_h\,(i-j), \qquad m_h = 2^{-8h/H}$"


def alibi(choices: PositionsChoices, colours: Palette) -> None:
    """The slopes, one head's bias, and its weights without and with it."""
    choices = within(choices, "slope", (0, choices.heads - 1), f"there are {choices.heads}")
    head = choices.slope
    _controls(choices, head)
    trace = falling(choices.heads, choices.m, SEED)
    level = replace(trace, config=replace(trace.config, bias=None))
    facts = {"heads": str(choices.heads), "head": f"H{head}", "vectors": f"drawn at random, seed {SEED}"}
    left, right = st.columns([1, 1], gap="large")
    with left:
        _show(
            _bias(trace, head), "bias", words.falls(head, float(_slopes(choices.heads)[head])), colours, facts
        )
    with right:
        _show(_chart(choices.heads, head), "slopes", words.slopes(choices.heads), colours, facts)
        st.markdown(FORMULA)
    st.html(f'<div class="cap wide">{words.ALIBI}</div>')
    left, right = st.columns([1, 1], gap="large")
    with left:
        _show(_weights(level, head, "without"), "without", "", colours, facts)
    with right:
        back = [looks_back(one.weights[head]) for one in (level, trace)]
        _show(_weights(trace, head, "with"), "with", words.fallen(head, *back), colours, facts)


def _controls(choices: PositionsChoices, head: int) -> None:
    first, second, third = st.columns(3, gap="medium")
    with first:
        slider("heads", "Heads, H", choices.heads, (1, MOST_HEADS))
    with second:
        slider("slope", "Head looked at", head, (0, choices.heads - 1))
    with third:
        slider("m", "Positions", choices.m, (2, MOST_BIASED))


def _show(picture: Chart | Grid, name: str, caption: str, colours: Palette, facts: dict[str, str]) -> None:
    shown(picture, key=f"positions-alibi-{name}", colours=colours, caption=caption, facts=facts)


def _slopes(n_heads: int) -> Float[Tensor, " head"]:
    return slopes(n_heads, torch.float64)


def _chart(n_heads: int, head: int) -> Chart:
    steep = _slopes(n_heads).numpy()
    return Chart(
        title="Slopes of all heads",
        x=Axis("head", labels=tuple(f"H{at}" for at in range(n_heads))),
        y=Axis("slope", log=True),
        series=(
            Series("slope", range(n_heads), steep, role="ink", mark="points"),
            Series("looked at", [head], [steep[head]], role="primary", mark="points"),
        ),
    )


def _bias(trace: AttentionTrace, head: int) -> Grid:
    return _square(f"What H{head} adds to the scores", trace, trace.bias[head], "scores")


def _weights(trace: AttentionTrace, head: int, how: str) -> Grid:
    return _square(f"Weights {how} the bias", trace, trace.weights[head], "weights")


def _square(title: str, trace: AttentionTrace, values: Float[Tensor, "query key"], scale: GridScale) -> Grid:
    places = tuple(map(str, range(trace.n_queries)))
    return Grid(
        title=title,
        values=values.numpy(),
        rows=places,
        columns=places,
        row_title="query, looks",
        column_title="key, looked at",
        scale=scale,
        allowed=trace.mask.numpy(),
    )
