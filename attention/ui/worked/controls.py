"""The sentence with its examples, and the sidebar: sizes and mask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from attention.analysis.checks import row_sum_deviation, visible_difference
from attention.figures.numbers import share
from attention.ui.titles import brand
from attention.ui.worked import presets, session
from attention.ui.worked.desk import LONGEST, MOST, Desk, with_sizes, with_words
from attention.ui.worked.scene import WorkedScene
from attention.ui.worked.words import TAGLINE

SIZES = {"n": "Tokens, N", "d": "d_model", "dk": "d_k", "dv": "d_v"}
HELP = {
    "n": "Rows of X: one a token.",
    "d": "Width of a token’s vector: columns of X, rows of each W.",
    "dk": "Width of queries and keys: columns of W_Q and W_K.",
    "dv": "Width of values and outputs: columns of W_V.",
}


def heading() -> None:
    """The page's name and what it is."""
    st.html(brand("Worked example", TAGLINE))


def sentence(desk: Desk) -> None:
    """The tokens as words, and the examples below them."""
    st.text_input(
        "Tokens, separated by spaces",
        key=session.held("words", desk.words),
        max_chars=LONGEST,
        label_visibility="collapsed",
        placeholder="One to six words",
        on_change=_take,
        args=("words", with_words),
    )
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="examples"):
        st.html('<div class="cap">Try</div>', width="content")
        for name, preset in presets.PRESETS.items():
            st.button(preset.label, key=f"example-{name}", type="tertiary", on_click=_use, args=(name,))


def sidebar(desk: Desk) -> None:
    """Sizes, mask, and the way back."""
    for pair in (("n", "d"), ("dk", "dv")):
        for column, name in zip(st.columns(2, gap="small"), pair, strict=True):
            with column:
                _size(desk, name)
    st.toggle(
        "Causal mask",
        key=session.held("causal", desk.causal),
        help="A token sees itself and what came before.",
        on_change=_take,
        args=("causal", lambda desk, on: replace(desk, causal=on)),
    )
    start = Desk()
    if (desk.cells, desk.causal, desk.words) != (start.cells, start.causal, start.words):
        st.button("Put everything back", icon=":material/undo:", type="tertiary", on_click=_put_back)


def checks(scene: WorkedScene) -> None:
    """What shows that the numbers can be trusted: the last thing in the sidebar."""
    lines = (
        "Checks on these numbers",
        f"rows sum to 1 within {share(row_sum_deviation(scene.run))}",
        f"forward pass and visible steps differ by {share(visible_difference(scene.run))} at most",
        "float64 · the engine that runs real models",
    )
    st.html(f'<div class="checks">{"<br>".join(lines)}</div>')


def _size(desk: Desk, name: str) -> None:
    st.number_input(
        SIZES[name],
        value=None,  # so that an emptied box says None, and not the least number
        min_value=1,
        max_value=MOST,
        step=1,
        key=session.held(name, desk.sizes[name]),
        help=HELP[name],
        on_change=_take,
        args=(name, lambda desk, size: desk if size is None else with_sizes(desk, **{name: size})),
    )


def _take(name: str, make: Callable[[Desk, Any], Desk]) -> None:
    """Change the desk by what a widget now says."""
    value = st.session_state[f"worked.{name}"]
    session.change(lambda desk: make(desk, value))


def _use(name: str) -> None:
    session.change(lambda desk: presets.use(desk, name))


def _put_back() -> None:
    # The edition goes on counting: an editor of an earlier one still holds what was typed into it.
    session.change(lambda desk: replace(Desk(), edition=desk.edition + 1, predict=desk.predict))
