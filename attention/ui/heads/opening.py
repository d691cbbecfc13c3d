"""What stands at the door of the page: switches that hold everywhere, the wait until heads are measured."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attention.errors import InputError
from attention.sites import SiteRun
from attention.ui import cache, sheets, state
from attention.ui import scene as explore
from attention.ui.cache import COSTLY_TOKENS
from attention.ui.choosing import choose_among
from attention.ui.heads.choices import HeadsChoices
from attention.ui.heads.found import MOST_MEASURED, Source, heads_measured
from attention.ui.heads.scene import HeadsScene, site_of, worked_out
from attention.ui.panels.sheet_choices import SHADE_HELP, SHADES
from attention.ui.view import ViewState


def switches(view: ViewState) -> None:
    """What holds everywhere on the page, and on Explore: whether pieces are put together, what a shade is."""
    st.toggle(
        "Whole words",
        key=state.held("words", view.words),
        help="Puts the pieces of a word together everywhere on this page; the model's own attention stays.",
        on_change=state.take,
        args=("words", lambda on: {"words": on}),
    )
    choose_among(
        "sheet_shade",
        "Scale of weights",
        SHADES,
        view.sheet_shade,
        width="stretch",
        help=SHADE_HELP,
    )


def opened(view: ViewState, choices: HeadsChoices) -> HeadsScene:
    """The page's scene for what the reader chose, with a bar while a long text is measured.

    Raises:
        AttentionError: The text or a change is one the model cannot take.
    """
    _check_length(view)
    shown = explore.scene(view)
    state.settle(shown.view, shown.told)
    source = Source(shown.asked, site_of(shown.view), shown.view.words)
    room = st.empty()
    bar = _bar(room) if len(source.run.tokens) > COSTLY_TOKENS // 4 else None
    found = heads_measured(source, bar)
    of = SiteRun(shown.run, source.site)
    drawn = sheets.sheet(source.asked, source.site, sheets.drawn(of, shown.view))
    room.empty()
    return worked_out(shown, choices, source, (found, drawn))


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
