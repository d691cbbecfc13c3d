"""The pages there are, in the order of the menus, and the links to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from attention.ui.url import read_link, write_link
from attention.ui.view import ViewState


class Entry(NamedTuple):
    """One page.

    Attributes:
        name: Its script in ``pages/``; with dashes, its path in a link.
        title: What the menu calls it.
        icon: A Material symbol.
        section: The menu it stands in; "" is the bar itself.
    """

    name: str
    title: str
    icon: str
    section: str = ""


ENTRIES = (
    Entry("explore", "Explore", "search"),
    Entry("models", "Models", "deployed_code"),
    Entry("start", "Start here", "flag", "Learn"),
    Entry("worked_example", "Worked example", "calculate", "Learn"),
    Entry("scaling", "Why √dₖ", "straighten", "Learn"),
    Entry("masks", "Masks", "grid_on", "Learn"),
    Entry("positions", "Positions", "swap_horiz", "Learn"),
    Entry("block", "Inside a block", "account_tree", "Learn"),
    Entry("context", "Context", "compare_arrows", "Learn"),
    Entry("cost", "Cost", "speed", "Learn"),
    Entry("heads", "Heads", "grid_view", "Study"),
)
WITHOUT_MODEL = ("worked_example", "models")
"""Pages that work when no model can be had; the first is what is shown then."""


def pages() -> dict[str, list[StreamlitPage]]:
    """Every page, by section."""
    return _sections(ENTRIES)


def pages_without_model() -> dict[str, list[StreamlitPage]]:
    """The pages for a reader without network and cache."""
    return _sections(entry for name in WITHOUT_MODEL for entry in ENTRIES if entry.name == name)


class _First(StreamlitPage):
    """The first page as a link names it."""

    @property
    def url_path(self) -> str:
        """The app's root as every page sees it, whatever path the app is served under.

        Streamlit's own path for it is empty, and a copied link with an empty path opens the page it was on.
        """
        return "./"


def linked(name: str) -> StreamlitPage:
    """A page as ``st.page_link`` takes it: clicked, the session goes along; copied, it is an address."""
    entry = next(one for one in ENTRIES if one.name == name)
    return _First(_script(name), default=True) if entry is ENTRIES[0] else _page(entry)


def to_explore(view: ViewState, label: str) -> None:
    """A link to Explore, whose address holds the view unless the view is one that no address brings back.

    Args:
        view: The session's.
        label: What the link says.
    """
    params = write_link(view)[0]
    whole = read_link(params)[0] == view
    st.page_link(
        linked("explore"),
        label=label,
        icon=":material/search:",
        width="content",
        query_params=params if whole else None,
    )


def _script(name: str) -> str:
    """A page's file as Streamlit wants it: from the entry script."""
    return f"../../pages/{name}.py"


def _sections(entries: Iterable[Entry]) -> dict[str, list[StreamlitPage]]:
    found: dict[str, list[StreamlitPage]] = {}
    for entry in entries:
        found.setdefault(entry.section, []).append(_page(entry))
    return found


def _page(entry: Entry) -> StreamlitPage:
    path = None if entry.name == ENTRIES[0].name else entry.name.replace("_", "-")
    return st.Page(_script(entry.name), title=entry.title, icon=f":material/{entry.icon}:", url_path=path)
