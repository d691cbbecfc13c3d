"""The pages there are, in the order of the menus."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import streamlit as st
from streamlit.navigation.page import StreamlitPage


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


def script(name: str) -> str:
    """A page's file as Streamlit wants it: from the entry script."""
    return f"../../pages/{name}.py"


def _sections(entries: Iterable[Entry]) -> dict[str, list[StreamlitPage]]:
    found: dict[str, list[StreamlitPage]] = {}
    for entry in entries:
        found.setdefault(entry.section, []).append(_page(entry))
    return found


def _page(entry: Entry) -> StreamlitPage:
    path = None if entry.name == ENTRIES[0].name else entry.name.replace("_", "-")
    return st.Page(script(entry.name), title=entry.title, icon=f":material/{entry.icon}:", url_path=path)
