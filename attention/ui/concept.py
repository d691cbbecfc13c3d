"""What the pages about one idea begin with: a question as title, and the sentence and model they read."""

from __future__ import annotations

import html

import streamlit as st

from attention.errors import InputError
from attention.ui import cache, controls, state
from attention.ui.panels.sentence import retype
from attention.ui.titles import brand
from attention.ui.view import ViewState


def opening(title: str, line: str) -> None:
    """The page's question, and one line about what can be tried here."""
    st.html(brand(html.escape(title), html.escape(line)))


def reading(view: ViewState) -> None:
    """The sentence and the model, the same on every page; for the sidebar."""
    st.text_input(
        "Sentence",
        key=state.held("shared.text", view.text),
        placeholder="Type a sentence",
        on_change=state.take,
        args=("shared.text", retype),
    )
    controls.model_choice(view)


def check_length(view: ViewState, most: int) -> None:
    """Refuse a text that is too long to be taken apart on this page.

    Raises:
        AttentionError: It is, or the model cannot take it at all.
    """
    n_tokens = len(cache.model(view.model).tokenize(view.text, view.pair or None))
    if n_tokens > most:
        raise InputError(
            f"This page takes texts of up to {most:,} tokens apart, and this one has {n_tokens:,}; Explore "
            "reads longer ones."
        )
