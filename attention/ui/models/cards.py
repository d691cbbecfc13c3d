"""The models we offer: what each is good for, what its limits are, and whether it is here."""

from __future__ import annotations

import html

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention.checkpoints.catalog import CATALOG, CatalogModel, HubSource, WheelSource
from attention.checkpoints.sizes import readable
from attention.ui import availability, state
from attention.ui.models import downloads
from attention.ui.models.downloads import Wanted
from attention.ui.models.terms import terms
from attention.ui.navigation import to_explore
from attention.ui.titles import title
from attention.ui.view import ViewState


def cards(view: ViewState) -> DeltaGenerator | None:
    """All of them, two in a row; the place for a bar where one is being fetched."""
    room, every = None, list(CATALOG.values())
    with st.container(key="cards", gap="medium"):
        for row in (every[at : at + 2] for at in range(0, len(every), 2)):
            for column, model in zip(st.columns(2, gap="large"), row, strict=False):
                with column:
                    room = _card(model, view) or room
    return room


def explore_link(label: str) -> None:
    """A link to Explore, where there is one: without its model the app starts without that page."""
    if availability.missing() is None:
        to_explore(state.current(), label)


def state_of(model: CatalogModel, view: ViewState) -> str:
    """What can be done with a model now, in a word or two."""
    if downloads.is_on_its_way(model.name):
        return "downloading"
    if downloads.is_here(model.name):
        here = "ready" if model.files else "ready, built in"
        return f"{here} · open" if view.model == model.name else here
    return "failed" if downloads.failure(model.name) else "not here yet"


def _card(model: CatalogModel, view: ViewState) -> DeltaGenerator | None:
    st.html(
        title(html.escape(model.title), state_of(model, view))
        + f'<div class="note">{html.escape(model.good_for)}</div>'
        f'<div class="cap"><b>Limits.</b> {html.escape(model.not_known)}</div>'
        f'<div class="checks">{html.escape(" · ".join(_papers(model)))}</div>'
    )
    room = st.empty()  # one place, so that a bar takes the place of the controls at once
    if downloads.is_on_its_way(model.name):
        return room
    with room.container():
        if downloads.is_here(model.name):
            _use(model, view)
        else:
            _get(model)
    return None


def _papers(model: CatalogModel) -> tuple[str, ...]:
    """Licence, source, revision and sizes."""
    memory = f"{readable(model.n_bytes_in_memory)} in memory"
    if not model.files:
        return model.licence, "built in", memory
    return (
        model.licence,
        f"from {' or '.join(_source(model, source) for source in model.sources)}",
        f"revision {model.revision}",
        f"{readable(model.n_bytes)} on disk",
        memory,
    )


def _source(model: CatalogModel, source: WheelSource | HubSource) -> str:
    if isinstance(source, HubSource):
        return f"{source.repo} on the model hub"
    wheels = source.wheels((model.files[-1].name,))
    more = f" and {len(wheels) - 1} more" if len(wheels) > 1 else ""
    return f"the package {wheels[0].package}{more}"


def _use(model: CatalogModel, view: ViewState) -> None:
    if view.model == model.name:
        explore_link(f"See {model.title} in Explore")
        return
    st.button(
        f"Open {model.title}",
        key=f"models.open.{model.name}",
        help="Makes it the model of every page.",
        on_click=downloads.open_view,
        args=(model.name,),
    )


def _get(model: CatalogModel) -> None:
    failed = downloads.failure(model.name)
    if failed is not None:
        st.error(failed, icon=":material/error:")
    accepted = terms(model)
    st.button(
        f"{'Try again to get' if failed else 'Get'} {model.title}, {readable(model.n_bytes)}",
        key=f"models.get.{model.name}",
        icon=":material/download:",
        disabled=not accepted,
        help="Leaving the page or using another control stops the download.",
        on_click=downloads.ask,
        args=(Wanted(model.name, model.name, accept_terms=model.terms is not None and accepted),),
    )
