"""Which layer, head and token a page is about, and what else a view is: kept across pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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


def choose_model(name: str, **fields: Any) -> None:
    """Go over to another model; for callbacks. What was changed about the one before is put back, and told.

    Args:
        name: The model.
        fields: What else of the view changes with it.
    """
    before = state.current()
    lost = ("What was changed is put back: another model has heads, tokens and a mask of its own.",)
    told = lost if before.changed and name != before.model else ()
    state.show(before.on_another_text(model=name, **fields).put_back(), *told)


def choose_among(field: str, label: str, options: Mapping[Any, str], chosen: object, **look: Any) -> None:
    """One of a few values of the view, side by side.

    Args:
        field: Of the view.
        label: What is chosen, for readers and for screen readers.
        options: The values and their names.
        chosen: What the view says.
        look: How Streamlit lays the control out: its width, its help, whether the label is seen.
    """
    st.segmented_control(
        label,
        list(options),
        key=state.held(field, chosen),
        format_func=options.__getitem__,
        required=True,
        on_change=state.take,
        args=(field, lambda value: {field: value}),
        **look,
    )


def _choose(field: str, index: int, names: Sequence[str], label: str | None = None) -> None:
    st.selectbox(
        label or field.capitalize(),
        range(len(names)),
        key=state.held(f"chosen.{field}", index),
        format_func=names.__getitem__,
        on_change=state.take,
        args=(f"chosen.{field}", lambda at: {field: at}),
    )
