"""The desk of this session: read from the link once, changed by callbacks, written to the address bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from attention.ui.worked.desk import Desk, laid_out
from attention.ui.worked.link import PREFIX, read_link, write_link

_DESK = "worked.desk"


def current() -> Desk:
    """The desk of this session; on its first run, the one the link asks for."""
    if _DESK not in st.session_state:
        st.session_state[_DESK] = read_link(st.query_params.to_dict())
    desk = st.session_state[_DESK]
    if not isinstance(desk, Desk):
        raise TypeError(f"the session's desk is a {type(desk).__name__}")
    return desk


def change(make: Callable[[Desk], Desk]) -> None:
    """Replace the desk. What was wrong with the link has been read by now and goes."""
    st.session_state[_DESK] = replace(make(current()), told=())


def held(name: str, value: object) -> str:
    """The key of a widget, whose value is set to what the desk says."""
    key = f"worked.{name}"
    st.session_state[key] = value
    return key


def editor_key(desk: Desk, name: str) -> str:
    """The key of a matrix's editor; another one for each edition, so that it starts from the desk's cells."""
    return f"worked.{name}.{desk.edition}"


def reopened() -> Desk:
    """The desk for a reader who may have been on another page, where Streamlit forgets what editors held."""
    desk = current()
    forgotten = [
        name
        for name, texts in desk.cells.items()
        if texts != desk.base[name] and editor_key(desk, name) not in st.session_state
    ]
    if forgotten:
        desk = st.session_state[_DESK] = laid_out(desk, {})
    return desk


def write_address(desk: Desk) -> bool:
    """Put the numbers into the address bar beside what is there; whether they had to be left out."""
    there = st.query_params.to_dict()
    others = {key: text for key, text in there.items() if not key.startswith(PREFIX)}
    own, too_long = write_link(desk, str(st.context.url or ""))
    if there != (wanted := {**others, **own}):
        st.query_params.from_dict(wanted)
    return too_long
