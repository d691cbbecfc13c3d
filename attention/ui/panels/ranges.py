"""Which part of a long text the picture shows."""

from __future__ import annotations

import streamlit as st

from attention.figures.picture import Picture
from attention.ui import state
from attention.ui.choosing import choose_among
from attention.ui.scene import Scene
from attention.ui.view import Span

MOST_WITHOUT = 64
"""Up to this many tokens every one has its label, and there is nothing to choose."""

CLOSE = 48
"""Tokens a side of the picture that a click opens."""

POOLS = {"max": "Largest", "mean": "Mean"}


def ranges(scene: Scene, drawn: Picture) -> None:
    """From where to where, for queries and keys; and what a cell shows that stands for several weights."""
    n_queries, n_keys = len(scene.site.queries), len(scene.site.keys)
    narrowed = scene.view.rows is not None or scene.view.columns is not None
    if max(n_queries, n_keys) <= MOST_WITHOUT and not narrowed:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        _range("rows", "Queries", scene.view.rows, n_queries)
    with right:
        _range("columns", "Keys", scene.view.columns, n_keys)
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        _button("Whole text", (None, None), (scene.view.rows, scene.view.columns))
        near = (about(scene.query, n_queries), about(scene.key, n_keys))
        _button("Round query and key", near, (scene.view.rows, scene.view.columns))
        if drawn.block != (1, 1):
            choose_among(
                "pool", "Each cell", POOLS, scene.view.pool, label_visibility="collapsed", width="content"
            )


def zoom(scene: Scene, query: int, key: int) -> None:
    """Show the tokens round a place, one by one; for callbacks."""
    rows, columns = about(query, len(scene.site.queries)), about(key, len(scene.site.keys))
    state.change(rows=rows, columns=columns, query=query, key=key)


def about(position: int, n: int) -> Span | None:
    """A span round a position; None where that would be everything.

    >>> about(3, 200), about(100, 200), about(5, 40)
    ((0, 47), (76, 123), None)
    """
    if n <= CLOSE:
        return None
    first = min(max(position - CLOSE // 2, 0), n - CLOSE)
    return first, first + CLOSE - 1


def _range(field: str, label: str, span: Span | None, n: int) -> None:
    if n <= MOST_WITHOUT:
        return
    st.slider(
        label,
        0,
        n - 1,
        key=state.held(field, (0, n - 1) if span is None else span),
        on_change=state.take,
        args=(field, lambda chosen: {field: None if chosen == (0, n - 1) else chosen}),
    )


def _button(
    label: str, wanted: tuple[Span | None, Span | None], now: tuple[Span | None, Span | None]
) -> None:
    rows, columns = wanted
    st.button(
        label,
        type="tertiary",
        disabled=wanted == now,
        on_click=lambda: state.change(rows=rows, columns=columns),
    )
