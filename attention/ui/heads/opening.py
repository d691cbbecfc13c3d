"""What stands at the door of the page: switches that hold everywhere, the wait until heads are measured."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attention.errors import InputError
from attention.ui import cache, state
from attention.ui import scene as explore
from attention.ui.cache import COSTLY_TOKENS
from attention.ui.heads import words
from attention.ui.heads.choices import PAGE, HeadsChoices
from attention.ui.heads.found import MOST_MEASURED, Source, heads_measured
from attention.ui.heads.scene import HeadsScene, site_of, worked_out
from attention.ui.view import ViewState


def switches(choices: HeadsChoices) -> None:
    """What holds everywhere on the page: whether word pieces are put together, and what a shade is."""
    st.toggle(
        "Whole words",
        key=PAGE.held("words", choices.words),
        help=words.words_help(),
        on_change=PAGE.take,
        args=("words",),
    )
    st.segmented_control(
        "End of the colours of weights",
        list(words.SHADES),
        key=PAGE.held("shade", choices.shade),
        format_func=words.SHADES.__getitem__,
        required=True,
        width="stretch",
        help=words.shade_help(),
        on_change=PAGE.take,
        args=("shade",),
    )


def opened(view: ViewState, choices: HeadsChoices) -> HeadsScene:
    """The page's scene for what the reader chose, with a bar while a long text is measured.

    Raises:
        AttentionError: The text or a change is one the model cannot take.
    """
    _check_length(view)
    shown = explore.scene(view)
    state.settle(shown.view, shown.told)
    source = Source(shown.asked, site_of(shown.view), choices.words)
    room = st.empty()
    bar = _bar(room) if len(source.run.tokens) > COSTLY_TOKENS // 4 else None
    found = heads_measured(source, bar)
    room.empty()
    return worked_out(shown, choices, source, found)


def _check_length(view: ViewState) -> None:
    n_tokens = max(len(cache.model(view.model).tokenize(view.text, view.pair or None)), view.pad or 0)
    if n_tokens > MOST_MEASURED:
        raise InputError(
            f"This page measures texts of up to {MOST_MEASURED:,} tokens, and this one has {n_tokens:,}."
        )


def _bar(room: st.delta_generator.DeltaGenerator) -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        room.progress(done / total, text=f"Measuring: layer {done} of {total}")

    return show
