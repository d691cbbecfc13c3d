"""The chosen head: as a heatmap, as lines, dimension by dimension, or as a table."""

from __future__ import annotations

import html

import pandas as pd
import streamlit as st

from attention.figures.labels import plain_label
from attention.figures.picture import FAINT, Picture, faint
from attention.figures.theme import Palette
from attention.ui import state
from attention.ui.captions import group_note, kind
from attention.ui.choosing import choose_among
from attention.ui.components import heatmap
from attention.ui.panels.lines import lines_view
from attention.ui.panels.neurons import neurons_view
from attention.ui.panels.ranges import ranges, zoom
from attention.ui.pictures import picture
from attention.ui.scene import Scene
from attention.ui.titles import title

VIEWS = {"heatmap": "Heatmap", "lines": "Lines", "neurons": "Neurons", "table": "Table"}
TALL_TABLE = 16


def matrix(scene: Scene, colours: Palette) -> None:
    """The head's title, the choice of view, what was changed in a line of its own, and the view."""
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="head-title"
    ):
        name = f"L{scene.view.layer} H{scene.view.head}"
        said = html.escape(" · ".join(filter(None, (kind(scene), scene.changes))) + group_note(scene))
        st.html(title(name, kind="line"), width="content")
        choose_among("view", "View", VIEWS, scene.view.view, label_visibility="collapsed", width="content")
        # Beside the title it would wrap as it grows, and the picture would move.
        st.html(f'<div class="cap wide">{said}</div>')
    draw = {"heatmap": _heatmap, "lines": lines_view, "neurons": neurons_view, "table": _table}[
        scene.view.view
    ]
    drawn = picture(scene)
    ranges(scene, drawn)
    draw(scene, drawn, colours)


def _heatmap(scene: Scene, drawn: Picture, colours: Palette) -> None:
    def places(pair: tuple[int, int]) -> tuple[int, int]:
        return drawn.query_positions[pair[0]], drawn.key_positions[pair[1]]

    def pick(pair: tuple[int, int]) -> None:
        query, key = places(pair)
        state.change(query=query, key=key)

    heatmap(
        drawn,
        colours,
        on_pick=pick,
        on_release=lambda _: state.change(key=None),  # the query's strongest, then
        on_open=lambda pair: zoom(scene, *places(pair)),
    )
    if faint(drawn):
        st.button(
            f"Most weights here are below {FAINT:.2f} and look blank: colour by log",
            type="tertiary",
            on_click=state.change,
            kwargs={"range": "log"},
            key="faint",
        )


def _table(scene: Scene, drawn: Picture, colours: Palette) -> None:
    rows = [
        f"{at} {plain_label(token)}" for at, token in _numbered(drawn.query_positions, drawn.query_tokens)
    ]
    columns = [f"{at} {plain_label(token)}" for at, token in _numbered(drawn.key_positions, drawn.key_tokens)]
    values = pd.DataFrame(drawn.values, index=rows, columns=columns)
    config = {column: st.column_config.NumberColumn(column, format="%.3f") for column in columns}
    tall = len(rows) > TALL_TABLE
    st.dataframe(values, column_config=config, height=520 if tall else "content", key="weights-table")


def _numbered(positions: tuple[int, ...], tokens: tuple[str, ...]) -> list[tuple[int, str]]:
    return list(zip(positions, tokens, strict=True))
