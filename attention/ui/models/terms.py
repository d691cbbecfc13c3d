"""The terms a model comes under: where they can be read, their text on the page, and the tick."""

from __future__ import annotations

import html
from html.parser import HTMLParser

import streamlit as st

from attention.checkpoints.catalog import CatalogModel
from attention.checkpoints.fetch import fetch_terms
from attention.errors import AttentionError

_BLOCKS = {"h1", "h2", "h3", "p", "li"}
_HEIGHT = 320


def terms(model: CatalogModel) -> bool:
    """Show a model's terms; whether the reader, or whoever started the app, accepts them."""
    if model.terms is None:
        return True
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        st.link_button(model.terms.title, model.terms.url, type="tertiary", icon=":material/open_in_new:")
        shown = st.toggle("Read them here", key=f"models.terms.{model.name}")
    if shown:
        _text(model)
    if model.terms.accepted:
        return True
    accepted: bool = st.checkbox(
        f"I have read and accept the {model.terms.title}", key=f"models.accept.{model.name}"
    )
    return accepted


def plain(document: str) -> tuple[str, ...]:
    """The headings, paragraphs and items of a page's article from its title on, without markup.

    >>> plain("<article><li>Home</li><h1>Terms</h1><p>You <b>may</b>\\n not.</p></article><p>End</p>")
    ('Terms', 'You may not.')
    """
    reader = _Article()
    reader.feed(document)
    reader.close()
    return tuple(" ".join(text.split()) for text in reader.blocks if text.strip())


def _text(model: CatalogModel) -> None:
    try:
        with st.spinner("Getting the terms"):
            path = fetch_terms(model.name)
    except AttentionError as error:
        st.error(str(error), icon=":material/error:")
        return
    if path is not None:
        blocks = plain(path.read_text("utf-8", errors="replace"))
        with st.container(height=_HEIGHT, border=False):
            st.html("".join(f'<p class="cap">{html.escape(block)}</p>' for block in blocks))


class _Article(HTMLParser):
    """Collects text inside blocks inside an article."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self._inside = False
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter an article, or begin a block of one."""
        del attrs
        self._inside = self._inside or tag == "article"
        if self._inside and tag in _BLOCKS:
            if tag == "h1":  # what stands above is the way back through the site
                self.blocks.clear()
            self.blocks.append("")
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        """End a block, or leave the article."""
        self._inside = self._inside and tag != "article"
        self._open = self._open and tag not in _BLOCKS

    def handle_data(self, data: str) -> None:
        """Text of the block that is open."""
        if self._open:
            self.blocks[-1] += data
