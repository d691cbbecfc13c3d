"""Matrices that are edited in place. A cell is text, so that nothing that is typed is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from attention.figures.labels import plain_label
from attention.ui.worked import session
from attention.ui.worked.cells import Texts
from attention.ui.worked.desk import NAMES, Desk, headings, typed

ROLES = {"x": "", "q": "q", "k": "k", "v": "v"}
TITLES = {"x": "X", "q": "W<sub>Q</sub>", "k": "W<sub>K</sub>", "v": "W<sub>V</sub>"}
ROWS = {"x": "one row a token", "q": "makes queries", "k": "makes keys", "v": "makes values"}
MOST_TOLD = 4
_CELL, _LABEL, _COUNT, _HEIGHT = 44, 62, 36, 31


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
                editor(desk, name)


def editor(desk: Desk, name: str) -> None:
    """One matrix as typed."""
    texts = desk.base[name]
    index, heads = headings(name, len(texts), len(texts[0]))
    if name == "x":
        index = [plain_label(token, 8) for token in desk.names]
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
            "_index": st.column_config.Column(width=_COUNT if name in "qkv" else _LABEL, disabled=True),
            **widths,
        },
        on_change=_typed,
        args=(key, name, tuple(heads)),
    )


def complaints(desk: Desk, names: Sequence[str], meanwhile: str) -> None:
    """A sentence for each cell of these matrices that cannot be read, and what the page shows meanwhile."""
    told = desk.complaints(names)
    if not told:
        return
    more = len(told) - MOST_TOLD
    rest = [f"{more} more {'cell' if more == 1 else 'cells'} cannot be read."] if more > 0 else []
    st.error("\n\n".join([*told[:MOST_TOLD], *rest, meanwhile]), icon=":material/edit_off:")


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
