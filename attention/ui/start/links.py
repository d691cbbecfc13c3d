"""A place to go to: a page of ours with a prepared state.

A link holds exactly what the page would write into the address bar itself, so that the page has nothing to
add and the browser's Back leads straight back here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from attention.ui import state
from attention.ui.navigation import linked
from attention.ui.url import write_link
from attention.ui.view import ViewState

IT = "The developer deployed the application because it was ready."
BANK = "The bank approved the loan."


@dataclass(frozen=True, kw_only=True)
class Link:
    """Where something can be tried.

    Attributes:
        page: The page's name in the menus' list.
        label: What the link says.
        view: Fields of the view that the page is to begin with, the others as at first; None leaves the
            reader's own sentence, model and changes alone.
        reads: Whether the page reads a sentence at all.
        own: The page's own keys, where they are not what they are at first.
    """

    page: str
    label: str
    view: Mapping[str, Any] | None = None
    reads: bool = True
    own: Mapping[str, str] = field(default_factory=dict)

    def params(self, present: ViewState) -> dict[str, str]:
        """What stands behind the question mark.

        Args:
            present: The session's view.
        """
        if not self.reads:
            return dict(self.own)
        view = present if self.view is None else ViewState(**self.view)
        return write_link(view)[0] | dict(self.own)


def show(link: Link) -> None:
    """The link. The session goes along, so that nothing is lost but what the link sets."""
    st.page_link(
        linked(link.page),
        label=link.label,
        icon=":material/arrow_forward:",
        query_params=link.params(state.current()),
    )


def explore(label: str, **fields: Any) -> Link:
    """Explore with the sentence in which "it" may mean two things."""
    at_first = {"text": IT, "model": "minilm", "layer": 4, "head": 4, "query": 7}
    return Link(page="explore", label=label, view=at_first | fields)


def worked(label: str, **own: str) -> Link:
    """The worked example, which has its own sentence."""
    return Link(page="worked_example", label=label, reads=False, own=_named("worked", own))


def heads(label: str, **own: str) -> Link:
    """Every head of MiniLM on that sentence."""
    return Link(page="heads", label=label, view={"text": IT}, own=_named("heads", own))


def block(label: str) -> Link:
    """One word through every layer."""
    return Link(page="block", label=label, view={"text": BANK, "query": 2})


def concept(page: str, label: str, view: Mapping[str, Any] | None = None, **own: str) -> Link:
    """A page about one idea, on the reader's own sentence unless another is given."""
    return Link(page=page, label=label, view=view, own=_named(page, own))


def _named(page: str, own: Mapping[str, str]) -> dict[str, str]:
    return {f"{page}.{key}": text for key, text in own.items()}
