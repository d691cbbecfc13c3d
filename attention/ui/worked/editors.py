"""Matrices that are edited in place. A cell is text, so that nothing that is typed is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from attention.figures.labels import plain_label
from attention.ui.worked import session
from attention.ui.worked.cells import Texts
from attention.ui.worked.desk import NAMES, Desk, mix_columns, typed

ROLES = {"x": "", "q": "q", "k": "k", "v": "v"}
TITLES = {"x": "X", "q": "W<sub>Q</sub>", "k": "W<sub>K</sub>", "v": "W<sub>V</sub>"}
ROWS = {"x": "one row a token", "q": "makes queries", "k": "makes keys", "v": "makes values"}
_CELL, _LABEL, _HEIGHT = 44, 62, 31


def matrices(desk: Desk) -> None:
    """X and the three W, side by side where there is room."""
    with st.container(horizontal=True, gap="medium", key="numbers"):
        for name, role in ROLES.items():
            with st.container(width="content", gap="xsmall"):
                size = f"{len(desk.cells[name])} × {len(desk.cells[name][0])} · {ROWS[name]}"
                st.html(
                    f'<div class="matrix-name"><span class="{role}">{TITLES[name]}</span></div>'
                    f'<div class="cap">{size}</div>'
                )
                labels = [plain_label(token, 8) for token in desk.names] if name == "x" else None
                editor(desk, name, labels)


def editor(
    desk: Desk, name: str, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> None:
    """One matrix as typed.

    Args:
        desk: What is on screen.
        name: Which matrix.
        rows: What its rows are called; counted from 0 when left out.
        columns: What its columns are called; likewise.
    """
    texts = desk.base[name]
    heads = list(columns or map(str, range(len(texts[0]))))
    index = list(rows or map(str, range(len(texts))))
    widths = {head: st.column_config.TextColumn(width=max(_CELL, 9 * len(head) + 24), alignment="right")
              for head in heads}  # fmt: skip
    key = session.editor_key(desk, name)
    st.data_editor(
        pd.DataFrame(texts, index=pd.Index(index, name=" "), columns=heads, dtype=str),
        key=key,
        width="content",
        row_height=_HEIGHT,
        alt=f"{NAMES[name]}, every cell can be changed",
        column_config={
            "_index": st.column_config.Column(width=_LABEL if rows else 36, disabled=True),
            **widths,
        },
        on_change=_typed,
        args=(key, name, tuple(heads)),
    )


def mix_editor(desk: Desk) -> None:
    """The weights and their values, a row each."""
    columns = mix_columns(len(desk.cells["mix"][0]))
    editor(desk, "mix", [f"key {at}" for at in range(len(desk.cells["mix"]))], columns)


def edited(base: Texts, rows: Mapping[Any, Mapping[str, Any]], heads: Sequence[str]) -> Texts:
    """The cells an editor began with, and what was typed over them; an emptied cell is an empty text.

    >>> edited((("1", "0"), ("0", "1")), {0: {"1": "abc"}, 1: {"0": None}}, ("0", "1"))
    (('1', 'abc'), ('', '1'))
    """
    changed = {int(row): cells for row, cells in rows.items()}
    return tuple(
        tuple(
            _text(changed[row][head]) if row in changed and head in changed[row] else text
            for head, text in zip(heads, cells, strict=True)
        )
        for row, cells in enumerate(base)
    )


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _typed(key: str, name: str, heads: tuple[str, ...]) -> None:
    rows = st.session_state[key]["edited_rows"]
    session.change(lambda desk: typed(desk, name, edited(desk.base[name], rows, heads)))
