"""The session's view: one frozen value, changed by callbacks before a rerun and written to the address bar.

Widgets are told their value at each run and report changes through ``take``; none of them owns the truth,
so a change by a click in a picture, a link or an example reaches them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from attention.ui.fitting import misplaced
from attention.ui.url import CUT, ENTRIES, present, read_link, write_link
from attention.ui.view import ViewState

_VIEW, _TOLD = "headlight.view", "headlight.told"
_WRITTEN, _LINKED = "headlight.written", "headlight.linked"
_LINK, _FIRST, _PAGE = "headlight.link", "headlight.first", "headlight.page"
_CHANGED, _ASKED = "headlight.changed", "headlight.asked"


def current() -> ViewState:
    """The session's view: what the link asks for, at first and after the browser's Back; else what it was."""
    params = st.query_params.to_dict()
    if _VIEW not in st.session_state or _went_back(params):
        _read(params)
    view = st.session_state[_VIEW]
    if not isinstance(view, ViewState):
        raise TypeError(f"the session's view is a {type(view).__name__}")
    return view


def _read(params: Mapping[str, str]) -> None:
    """Take the view from the address."""
    view, told = read_link(params)
    ours = _of_the_view(params)
    st.session_state.setdefault(_FIRST, (_path(), ours))
    st.session_state[_VIEW], st.session_state[_TOLD] = view, (*told, *_repeated())
    st.session_state[_LINKED], st.session_state[_LINK] = bool(ours), ours
    st.session_state[_WRITTEN] = ours  # a page that writes no address has been left by then


def _repeated() -> list[str]:
    """A sentence for each key that the link gives more than once."""
    return [
        f"The link gives {key} {len(every)} times; the last was taken."
        for key in ENTRIES
        if len(every := st.query_params.get_all(key)) > 1
    ]


def _went_back(params: Mapping[str, str]) -> bool:
    """Whether the browser shows another link than the one last written.

    A page change empties the address: without parameters only the session's first address is a Back, and only
    where the run before was on the same page.
    """
    ours = _of_the_view(params)
    known = bool(ours) or st.session_state.get(_FIRST) == (_path(), {}) == (st.session_state.get(_PAGE), {})
    return known and may_go_back() and ours != st.session_state.get(_WRITTEN, {})


def _path() -> str:
    return urlsplit(str(st.context.url or "")).path


def run_began() -> None:
    """Say that the script runs now: callbacks are over, and the address may be asked for a Back."""
    st.session_state[_ASKED] = not st.session_state.pop(_CHANGED, False)


def run_ended() -> None:
    """Say that the page has been drawn, or given up."""
    st.session_state[_ASKED] = False
    st.session_state[_PAGE] = _path()


def came_from_elsewhere() -> bool:
    """Whether the run before was another page's, even one that was cut short."""
    return bool(st.session_state.get(_PAGE, _path()) != _path())


def may_go_back() -> bool:
    """Whether another address than the last one written is a wish of the reader's.

    A click made before the last address has reached the browser still carries the one before: neither its
    callback nor the run after it goes by what the address says.
    """
    return bool(st.session_state.get(_ASKED))


def mark_changed() -> None:
    """Say that this run begins with a change of ours."""
    st.session_state[_CHANGED] = True


def _of_the_view(params: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in params.items() if present(key) in ENTRIES or key == CUT}


def show(view: ViewState, *told: str) -> None:
    """Make this the view and tell what it cost. What was wrong with the link has been read and goes."""
    st.session_state[_VIEW] = view
    st.session_state[_TOLD] = told
    st.session_state[_LINKED], st.session_state[_LINK] = False, None
    mark_changed()


def settle(view: ViewState, told: tuple[str, ...]) -> None:
    """Make this the view after what does not fit was taken out; told where a link had asked for it.

    Another head than the one the reader chose is told in any case: a smaller model does not have them all.
    A link that names none asks for whatever there is.
    """
    before, st.session_state[_VIEW] = st.session_state.get(_VIEW, view), view
    if link := st.session_state.get(_LINK):
        lost = misplaced(before, view, link)
        st.session_state[_TOLD] = (*st.session_state.get(_TOLD, ()), *lost, *told)
    elif link is None and (chosen := _head(before)) != (shown := _head(view)):
        other = f"There is no {chosen} here: {shown} is shown instead."
        st.session_state[_TOLD] = (*st.session_state.get(_TOLD, ()), other)


def _head(view: ViewState) -> str:
    return f"L{view.layer} H{view.head}"


def told() -> tuple[str, ...]:
    """What was wrong with the link or does not fit the model, a sentence each."""
    sentences: tuple[str, ...] = st.session_state.get(_TOLD, ())
    return sentences


def told_icon() -> str:
    """What stands beside such a sentence: a broken link where it was one."""
    return ":material/link_off:" if st.session_state.get(_LINKED) else ":material/swap_horiz:"


def change(**fields: Any) -> None:
    """Change some fields of the view; for callbacks."""
    show(replace(current(), **fields))


def held(name: str, value: object) -> str:
    """The key of a widget, whose value is set to what the view says."""
    key = f"control.{name}"
    st.session_state[key] = value
    return key


def take(name: str, fields: Callable[[Any], Mapping[str, Any]]) -> None:
    """Change the view by what a widget now says; a widget's ``on_change``.

    Args:
        name: The widget's, as given to ``held``.
        fields: From the widget's value to the fields it sets.
    """
    change(**fields(st.session_state[f"control.{name}"]))


def write_address(view: ViewState, own: Mapping[str, str] | None = None, prefix: str = "") -> bool:
    """Put the view into the address bar; whether the sentence had to be left out.

    While it is what the address asked for, the address stays as it is: a new one would cost the reader a step
    back that leads nowhere.

    Args:
        view: What all pages share.
        own: A page's own parameters, which stand beside it.
        prefix: What their keys begin with. What others put beside the view stays.
    """
    there = st.query_params.to_dict()
    params, too_long = write_link(view, str(st.context.url or ""))
    if (ours := _of_the_view(there)) == st.session_state.get(_LINK):
        params, too_long = ours, False
    others = {
        key: text
        for key, text in there.items()
        if "." in key and present(key) not in ENTRIES and not (prefix and key.startswith(prefix))
    }
    if there != (wanted := {**params, **others, **(own or {})}):
        st.query_params.from_dict(wanted)
    st.session_state[_WRITTEN] = params
    return too_long
