"""Getting a model from the page: asked for by a click, carried out last of all, a failure kept to be told."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from attention.checkpoints.catalog import CATALOG
from attention.checkpoints.fetch import cached, fetch
from attention.checkpoints.hub_model import fetch_model
from attention.checkpoints.sizes import readable
from attention.errors import AttentionError
from attention.ui import availability
from attention.ui.choosing import choose_model
from attention.ui.view import START

_WANTED, _FAILED = "models.wanted", "models.failed"

HUB = "hub"
"""The place of models that are no card's."""


@dataclass(frozen=True)
class Wanted:
    """What was asked for.

    Attributes:
        place: The card it is shown on, or the hub's place.
        name: The model.
        accept_terms: Whether the reader ticked that they accept its terms.
    """

    place: str
    name: str
    accept_terms: bool = False


def ask(wanted: Wanted) -> None:
    """Have a model fetched in the run that follows; a button's callback."""
    _failures().pop(wanted.place, None)
    st.session_state[_WANTED] = wanted


def refuse(place: str, why: str) -> None:
    """Keep a sentence on why something is not fetched."""
    _failures()[place] = why


def failure(place: str) -> str | None:
    """Why the last download of this place came to nothing."""
    return _failures().get(place)


def is_on_its_way(place: str) -> bool:
    """Whether this run will fetch something for this place."""
    wanted: Wanted | None = st.session_state.get(_WANTED)
    return wanted is not None and wanted.place == place


def is_here(name: str) -> bool:
    """Whether a model can be opened without a download, as far as can be told quickly."""
    if name not in CATALOG or not CATALOG[name].files:
        return True
    with suppress(AttentionError):  # a cache that cannot be used holds nothing
        return cached(name) is not None
    return False


def carry_out(room: st.delta_generator.DeltaGenerator | None) -> None:
    """Fetch what was asked for, with a bar in this room, and start the page over.

    What is asked for is forgotten first: a run that the reader breaks off, by leaving the page or using
    another control, ends its download, and nothing starts it again.
    """
    wanted: Wanted | None = st.session_state.pop(_WANTED, None)
    if wanted is None:
        return
    try:
        _bring(wanted, _bar(room or st.empty()))
    except AttentionError as error:
        refuse(wanted.place, str(error))
    st.rerun()


def _bring(wanted: Wanted, report: Callable[[str, int, int], None]) -> None:
    if wanted.place == HUB:
        fetch_model(wanted.name, progress=report)
        open_view(wanted.name)
    else:
        fetch(wanted.name, accept_terms=wanted.accept_terms, progress=report)
        if wanted.name == START.model:
            availability.forget()


def open_view(name: str) -> None:
    """Make this the model of the session's view; the sentence stays. A button's callback."""
    choose_model(name)


def _bar(room: st.delta_generator.DeltaGenerator) -> Callable[[str, int, int], None]:
    told = ""

    def show(what: str, done: int, total: int) -> None:
        nonlocal told
        part = min(done / total, 1.0) if total else 0.0
        text = f"{what}: {readable(done)} of {readable(total)}" if total else what
        if text != told:
            room.progress(part, text=text)
        told = text

    return show


def _failures() -> dict[str, str]:
    failures: dict[str, str] = st.session_state.setdefault(_FAILED, {})
    return failures
