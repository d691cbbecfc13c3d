"""Whether the default model is here, fetching it with a bar, and what is said when it cannot be had."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attention.checkpoints.catalog import catalog_model
from attention.errors import AttentionError, TermsError
from attention.model import Model
from attention.ui import cache
from attention.ui.models import given
from attention.ui.navigation import linked
from attention.ui.view import START, ViewState
from attention.ui.words import literal

_MISSING, _AGAIN = "headlight.missing", "headlight.again"


def missing() -> str | None:
    """Why the model could not be had in this session; None when nothing went wrong."""
    said: str | None = st.session_state.get(_MISSING)
    return said


def notice() -> None:
    """What is missing and how to get it, above whatever page is shown."""
    if (wrong := given.problem()) is not None:
        st.warning(literal(wrong), icon=":material/draft:")
    if (said := missing()) is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(said, icon=":material/cloud_off:")
        st.button("Try again", on_click=_again, width="content")


def forget() -> None:
    """Say no longer what was missing: it has been got meanwhile."""
    st.session_state.pop(_MISSING, None)


def trying_again() -> bool:
    """Whether the reader has just asked to try once more; true once."""
    return bool(st.session_state.pop(_AGAIN, False))


def open_model(view: ViewState) -> Model:
    """The view's model, fetched with a bar when it is not here. A click meanwhile leaves the fetching alone.

    When the default model cannot be had, the reason is kept and the session starts over, on a page that needs
    no model; when another cannot, the page says why and the reader may choose again.
    """
    room = st.empty()
    if (found := cache.found_model(view.model)) is not None:
        return found
    try:
        model = cache.model(view.model, progress=_bar(room))
    except AttentionError as error:
        room.empty()
        if view.model != START.model:
            _refusal(view.model, error)
            st.stop()
        st.session_state[_MISSING] = str(error)
        st.rerun()
    room.empty()
    return model


def _refusal(name: str, error: AttentionError) -> None:
    """Why the model is not here. Terms are accepted on the Models page: few readers have our terminal."""
    if isinstance(error, TermsError) and (terms := catalog_model(name).terms) is not None:
        said = f"{catalog_model(name).title} comes under the {terms.title}, which you have not accepted yet."
        st.error(said, icon=":material/contract:")
        label = "Accept them and get it on the Models page"
        st.page_link(linked("models"), label=label, icon=":material/deployed_code:", width="content")
    else:
        st.error(literal(str(error)), icon=":material/error:")


def _bar(room: st.delta_generator.DeltaGenerator) -> Callable[[str, int, int], None]:
    def show(what: str, done: int, total: int) -> None:
        amounts = f" {done / 1e6:.0f} of {total / 1e6:.0f} MB" if total else ""
        room.progress(min(done / total, 1.0) if total else 0.0, text=f"{what}{amounts}")

    return show


def _again() -> None:
    forget()
    st.session_state[_AGAIN] = True
