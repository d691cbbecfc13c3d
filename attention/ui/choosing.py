"""Which layer, head and token a page is about: the view's own, so that every page keeps them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention.figures.labels import numbered
from attention.ui import state


def choose_layer(layer: int, n_layers: int) -> None:
    """Which layer."""
    _choose("layer", layer, [f"L{at}" for at in range(n_layers)])


def choose_head(head: int, n_heads: int) -> None:
    """Which of its heads."""
    _choose("head", head, [f"H{at}" for at in range(n_heads)])


def choose_token(position: int, texts: Sequence[str]) -> None:
    """Which token is in focus."""
    _choose("query", position, list(numbered(texts)), "Token")


def _choose(field: str, index: int, names: Sequence[str], label: str | None = None) -> None:
    st.selectbox(
        label or field.capitalize(),
        range(len(names)),
        key=state.held(f"chosen.{field}", index),
        format_func=names.__getitem__,
        on_change=state.take,
        args=(f"chosen.{field}", lambda at: {field: at}),
    )
