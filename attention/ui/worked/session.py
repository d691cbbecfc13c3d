"""The desk of this session: read from the link, changed by callbacks, written to the address bar.

The link is read on the first run and whenever the browser shows another address than the one written last:
that is how its Back brings earlier numbers back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import streamlit as st

from attention.ui import state, url
from attention.ui.worked.desk import Desk, laid_out
from attention.ui.worked.link import PREFIX, read_link, write_link

_DESK, _WRITTEN = "worked.desk", "worked.written"
_WIDGET = "worked.words"
"""The sentence's box. Streamlit forgets it when another page is drawn."""


def current() -> Desk:
    """The desk of this session: what the link asks for, at first and after the browser's Back."""
    params = st.query_params.to_dict()
    if _DESK not in st.session_state:
        st.session_state[_DESK] = _read(params)
    elif _went_back(params):
        # The edition goes on counting: an editor of an earlier one still holds what was typed into it.
        edition = st.session_state[_DESK].edition + 1
        st.session_state[_DESK] = replace(_read(params), edition=edition)
        st.session_state[_WRITTEN] = _own(params)
    desk = st.session_state[_DESK]
    if not isinstance(desk, Desk):
        raise TypeError(f"the session's desk is a {type(desk).__name__}")
    return desk


def _read(params: Mapping[str, str]) -> Desk:
    """The desk of a link; what is wrong with the keys that all pages share is told too."""
    desk = read_link(params)
    return replace(desk, told=(*url.read_link(params)[1], *desk.told))


def _went_back(params: Mapping[str, str]) -> bool:
    """Whether the reader wants another address than the last one written.

    An address without numbers asks for the first ones, but not when the reader comes from another page: then
    it only says that Streamlit has emptied it.
    """
    own = _own(params)
    stayed = _WIDGET in st.session_state and not state.came_from_elsewhere()
    return (bool(own) or stayed) and state.may_go_back() and own != st.session_state.get(_WRITTEN, own)


def _own(params: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in params.items() if key.startswith(PREFIX)}


def change(make: Callable[[Desk], Desk]) -> None:
    """Replace the desk. What was wrong with the link has been read by now and goes.

    A guess belongs to the numbers it was made for.
    """
    before = current()
    after = replace(make(before), told=())
    same = all(getattr(before, name) == getattr(after, name) for name in _GUESSED_OF)
    st.session_state[_DESK] = after if same else replace(after, guess=None)
    state.mark_changed()


_GUESSED_OF = ("numbers", "tokens", "causal", "predict")


def held(name: str, value: object) -> str:
    """The key of a widget, whose value is set to what the desk says."""
    key = f"worked.{name}"
    st.session_state[key] = value
    return key


def editor_key(desk: Desk, name: str) -> str:
    """The key of a matrix's editor; another one for each edition, so that it starts from the desk's cells."""
    return f"worked.{name}.{desk.edition}"


def reopened() -> Desk:
    """The desk for a reader who may have been on another page, where Streamlit forgets what editors held.

    The server forgets when that page has been drawn, the browser at once.
    """
    desk = current()
    changed = [name for name, texts in desk.cells.items() if texts != desk.base[name]]
    forgotten = [name for name in changed if editor_key(desk, name) not in st.session_state]
    if forgotten or (changed and state.came_from_elsewhere()):
        desk = st.session_state[_DESK] = laid_out(desk, {})
    return desk


def write_address(desk: Desk) -> bool:
    """Put the numbers into the address bar beside what is there; whether they had to be left out."""
    there = st.query_params.to_dict()
    others = {key: text for key, text in there.items() if key in url.ENTRIES or "." in key}
    others = {key: text for key, text in others.items() if not key.startswith(PREFIX)}
    own, too_long = write_link(desk, str(st.context.url or ""))
    if there != (wanted := {**others, **own}):
        st.query_params.from_dict(wanted)
    st.session_state[_WRITTEN] = own
    return too_long
