"""The page's sliders and switches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from attention.ui.positions.choices import PAGE


def slider(name: str, title: str, value: int, ends: tuple[int, int], say: str | None = None) -> None:
    """A whole number between two ends.

    Args:
        name: The choice it sets.
        title: Its label.
        value: What is chosen.
        ends: The least and the most; where they are one, there is nothing to choose and nothing is shown.
        say: Its help.
    """
    least, most = ends
    if least < most:
        key = PAGE.held(name, value)
        st.slider(title, least, most, key=key, help=say, on_change=PAGE.take, args=(name,))


def switch(name: str, title: str, value: str, options: Mapping[str, str], say: str | None = None) -> None:
    """One of a few, side by side."""
    st.segmented_control(
        title,
        list(options),
        key=PAGE.held(name, value),
        format_func=options.__getitem__,
        required=True,
        help=say,
        on_change=PAGE.take,
        args=(name,),
    )


def choice(
    name: str, title: str, value: int, options: Sequence[int], names: Callable[[Any], str] = str
) -> None:
    """One of many, from a list."""
    st.selectbox(
        title,
        options,
        key=PAGE.held(name, value),
        format_func=names,
        on_change=PAGE.take,
        args=(name,),
    )
