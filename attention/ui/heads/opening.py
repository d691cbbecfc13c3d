"""What stands at the door of the page: switches that hold everywhere, the wait until heads are measured."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from attention.analysis.measured import Measured
from attention.sites import SiteRun
from attention.ui import address, long_text, sheets, state
from attention.ui import scene as explore
from attention.ui.choosing import choose_among
from attention.ui.heads.choices import PAGE, HeadsChoices
from attention.ui.heads.found import Source, begin_measured, found_measured, heads_measured
from attention.ui.heads.scene import HeadsScene, site_of, worked_out
from attention.ui.overview import Sheet
from attention.ui.panels.sheet_choices import SHADE_HELP, SHADES
from attention.ui.scene import Scene
from attention.ui.turns import SMALL_TOKENS
from attention.ui.view import ViewState

MEASURING = long_text.Work("Measuring and drawing", 10, "Measure all heads")


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
    """The page's scene for what the reader chose. A long text is measured when the reader says so.

    Raises:
        AttentionError: The text or a change is one the model cannot take.
    """
    shown = explore.scene(view, partial(long_text.read, on_wait=lambda: PAGE.write_address(view)))
    state.settle(shown.view, shown.told)
    source = Source(shown.asked, site_of(shown.view), shown.view.words)
    of_heads = _of_long if len(source.run.tokens) > long_text.SHORT else _of_short
    return worked_out(shown, choices, source, of_heads(shown, source))


def _of_short(shown: Scene, source: Source) -> tuple[Measured, Sheet]:
    room = st.empty()
    bar = _bar(room) if len(source.run.tokens) > SMALL_TOKENS else None
    found = heads_measured(source, bar)
    sheet = sheets.sheet(*_sheet_of(shown, source))
    room.empty()
    return found, sheet


def _of_long(shown: Scene, source: Source) -> tuple[Measured, Sheet]:
    """Both where they have been made; else a bar while they are, and a way to call it off."""
    found, sheet = found_measured(source), sheets.found_sheet(*_sheet_of(shown, source))
    if found is None:
        long_text.wait_for(source, shown, MEASURING, lambda: begin_measured(source))
    elif sheet is None:  # allowed with the measurements
        long_text.wait_for(source, shown, MEASURING, lambda: sheets.begin_sheet(*_sheet_of(shown, source)))
    if found is None or sheet is None:
        address.tell(PAGE.write_address(shown.view))
        st.stop()
    return found, sheet


def _sheet_of(shown: Scene, source: Source) -> sheets.Key:
    return source.asked, source.site, sheets.drawn(SiteRun(shown.run, source.site), shown.view)


def _bar(room: st.delta_generator.DeltaGenerator) -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        room.progress(done / total, text=f"Measuring: layer {done} of {total}")

    return show
