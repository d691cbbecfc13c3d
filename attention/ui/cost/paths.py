"""Recurrence, convolution and attention: what must wait for what, and how far two positions are apart."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from attention.analysis.cost_paths import LAYERS, Layer, Passage, passages
from attention.errors import AttentionError
from attention.export.plate import Plate
from attention.figures.chart import Axis, Chart, Series, SeriesRole
from attention.figures.grid import Grid
from attention.figures.kinds import kinds
from attention.figures.theme import Palette
from attention.ui.components.cost import picture
from attention.ui.cost import words
from attention.ui.cost.choices import PAGE, CostChoices
from attention.ui.shown import NUMBERS, files, shown
from attention.ui.titles import title
from attention.ui.words import literal

N_TOKENS = 2000
"""The sequence over which the ways are compared."""

KERNEL = 3
_ROLES: Mapping[Layer, SeriesRole] = {
    "attention": "primary",
    "recurrent": "ink",
    "convolution": "value",
    "dilated": "text2",
}
_ROWS: Mapping[Layer, str] = {"convolution": "convolutions, plain"}
"""Where the name of a layer is longer than a row's may be."""


def paths(choices: CostChoices, colours: Palette) -> None:
    """The chart over all distances, the table for one, and why writing still goes one token at a time."""
    st.html(title(words.PATHS, f"{N_TOKENS:,} tokens"))
    left, right = st.columns([1, 1], gap="large")
    with left:
        shown(chart(), key="cost-paths", colours=colours, caption=words.PATH_CAPTION, level=3)
    with right:
        st.number_input(
            "Two positions, this far apart",
            value=None,
            step=1,
            key=PAGE.held("apart", choices.apart),
            on_change=PAGE.take_number,
            args=("apart",),
        )
        try:
            found = passages(N_TOKENS, choices.apart, KERNEL)
        except AttentionError as error:
            st.error(literal(str(error)), icon=":material/error:")
            return
        picture(_table(found, colours), element_key="kinds")
        files(plate(found, choices.apart), colours, offered=NUMBERS)
        st.html(f'<div class="note">{words.writing(N_TOKENS)}</div>')


def chart() -> Chart:
    """Steps from one position to another, by kind of layer."""
    distances = np.unique(np.geomspace(1, N_TOKENS - 1, 60).astype(int)).tolist()
    found = [passages(N_TOKENS, distance, KERNEL) for distance in distances]
    return Chart(
        title="Steps from one position to another",
        x=Axis("distance, tokens", log=True),
        y=Axis("steps, one after another", log=True, range=(0.7, 3000)),
        series=tuple(
            Series(LAYERS[layer], distances, [_path(row, layer) for row in found], _ROLES[layer])
            for layer in LAYERS
        ),
        note=f"Convolutions see {KERNEL} positions; dilated ones reach {KERNEL} times further a layer",
    )


def _path(row: tuple[Passage, ...], layer: Layer) -> int:
    return next(one.path for one in row if one.layer == layer)


def plate(found: tuple[Passage, ...], apart: int) -> Plate:
    """The table's numbers as files."""
    return Plate(
        picture=Grid(
            title=f"Steps that wait, steps between two positions {apart} apart",
            values=np.array([[one.waiting, one.path, one.n_layers] for one in found]),
            rows=tuple(_ROWS.get(one.layer, LAYERS[one.layer]) for one in found),
            columns=("steps that wait", "steps between the two", "layers needed"),
            row_title="layer",
            column_title="count",
            scale="ink",
        ),
        key="cost-kinds",
        facts={"tokens": str(N_TOKENS), "distance": str(apart), "positions a convolution sees": str(KERNEL)},
    )


def _table(found: tuple[Passage, ...], colours: Palette) -> str:
    rows = [
        (LAYERS[one.layer], words.ORDERS[one.layer], one.waiting, one.path, one.n_layers) for one in found
    ]
    return kinds(rows, colours)
