"""The sentence as the model sees it, lit by what the query in focus looks at."""

from __future__ import annotations

import streamlit as st

from attention.figures.theme import Palette
from attention.ui import state
from attention.ui.chips import chips
from attention.ui.components.token_strip import token_strip
from attention.ui.scene import Scene


def strip(scene: Scene, colours: Palette) -> None:
    """The chips; a click puts a token in focus as the query."""
    with st.container(key="strip", gap=None):
        token_strip(
            chips(scene.run.tokens),
            weights=scene.head.weights,
            allowed=scene.head.allowed,
            query=scene.query,
            key=scene.key,
            palette=colours,
            on_pick=lambda query: state.change(query=query),
        )
