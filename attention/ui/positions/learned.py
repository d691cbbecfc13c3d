"""Learned positions: the open model's own table, and how alike its rows are."""

from __future__ import annotations

import streamlit as st
from jaxtyping import Float
from torch import Tensor

from attention.analysis.positions import by_distance, cosines
from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid
from attention.figures.theme import Palette
from attention.model import Model
from attention.ui.facts import of_model
from attention.ui.models import names
from attention.ui.positions import opened, words
from attention.ui.positions.choices import MOST_LEARNED, PositionsChoices
from attention.ui.positions.controls import slider, within
from attention.ui.shown import shown
from attention.ui.view import START


def learned(model: Model, choices: PositionsChoices, colours: Palette) -> None:
    """The table's cosines, the table itself, and the mean cosine by distance."""
    table, title = opened.learned_table(model), names.title(model.name)
    if table is None:
        opened.offer(START.model, words.no_table(title, opened.way(model)))
        return
    most = min(MOST_LEARNED, len(table))
    choices = within(choices, "first", (min(4, most), most), f"the table has {len(table)}")
    n = min(choices.first, most)  # a short table may have fewer than are shown at first
    slider("first", f"Rows of the {len(table)}", n, (min(4, most), most), words.ROWS)
    alike = cosines(table[:n])
    said = of_model(model) | {"rows": f"0–{n - 1} of {len(table)}"}
    left, right = st.columns([6, 5], gap="large")
    with left:
        caption = words.learned(title, alike)
        shown(_alike(alike), key="positions-alike", colours=colours, caption=caption, facts=said)
    with right:
        shown(_means(alike), key="positions-means", colours=colours, caption=words.MEANS, facts=said)
    shown(_table(table[:n]), key="positions-table", colours=colours, caption=words.TABLE, facts=said)


def _alike(alike: Float[Tensor, "pos other"]) -> Grid:
    places = tuple(map(str, range(len(alike))))
    return Grid(
        title="Cosine of two positions’ vectors",
        values=alike.numpy(),
        rows=places,
        columns=places,
        row_title="position",
        column_title="position",
        limit=1.0,
    )


def _means(alike: Float[Tensor, "pos other"]) -> Chart:
    means = by_distance(alike).numpy()
    return Chart(
        title="Mean cosine by distance",
        x=Axis("distance, in positions"),
        y=Axis("mean cosine"),
        series=(Series("all pairs so far apart", range(len(means)), means, role="primary"),),
    )


def _table(rows: Float[Tensor, "pos d_model"]) -> Grid:
    n, width = rows.shape
    return Grid(
        title="The table itself",
        values=rows.numpy(),
        rows=tuple(map(str, range(n))),
        columns=tuple(map(str, range(width))),
        row_title="position",
        column_title="dimension",
        # A few entries of row 0 are far larger than all others and would leave the rest without colour.
        limit=float(rows.abs().double().quantile(0.995)) or None,
    )
