"""What lights the sentence: the choice, and a line that says so where it is not the usual one."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from attention.figures.lit_sentence import Light
from attention.ui import state
from attention.ui.between import between_words
from attention.ui.scene import Scene

LIGHTS: Mapping[Light, str] = {"gives": "the query gives", "receives": "each key receives"}


def light_choice(scene: Scene) -> None:
    """By which numbers the tokens are shaded."""
    st.selectbox(
        "Shaded by what",
        list(LIGHTS),
        key=state.held("light", scene.view.light),
        format_func=LIGHTS.__getitem__,
        help="The weights of the query in focus; or, for each token, the mean weight it gets from all "
        "queries that may look at it.",
        on_change=state.take,
        args=("light", lambda light: {"light": light}),
    )


def light_caption(scene: Scene) -> None:
    """What the shades are while they are not the query's weights."""
    if scene.view.light == "gives":
        return
    head, unit = f"L{scene.view.layer} H{scene.view.head}", "word" if between_words(scene) else "token"
    st.html(
        f'<div class="cap wide">Shaded by what each {unit} <b>receives</b> in {head}: the mean weight from '
        "the queries that may look at it.</div>"
    )
