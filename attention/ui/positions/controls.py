"""The page's sliders and switches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attention.ui.positions import words
from attention.ui.positions.choices import PAGE, PositionsChoices
from attention.ui.words import literal


def settle(choices: PositionsChoices, told: tuple[str, ...]) -> PositionsChoices:
    """Make these the choices after what there is not was taken out, and say what it was."""
    PAGE.settle(choices, told)
    for sentence in told:  # later runs say it where all warnings stand
        st.warning(literal(sentence), icon=":material/link_off:")
    return choices


def within(choices: PositionsChoices, name: str, ends: tuple[int, int], whose: str) -> PositionsChoices:
    """The choices, one of them put back and told where it lies outside what there is.

    Args:
        choices: As they were asked for.
        name: Which of them.
        ends: The least and the most.
        whose: What has no such thing, and how many it has: "the table has 64".
    """
    least, most = ends
    chosen, start = (getattr(of, name) for of in (choices, PositionsChoices()))
    if chosen == start or least <= chosen <= most:
        return choices
    told = f"{words.CHOSEN[name].format(chosen)}: {whose} ({least}–{most})."
    return settle(replace(choices, **{name: start}), (told,))


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
