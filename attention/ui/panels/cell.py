"""This cell: the arithmetic of one query and one key, with its real operands."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from attention.figures.cell import product_bars
from attention.figures.chain import chain
from attention.figures.projection import Side, projection, projection_matrices, strongest_column
from attention.figures.theme import Palette
from attention.figures.value_mix import value_mix
from attention.figures.vector_states import vector_states
from attention.ui import state
from attention.ui.captions import (
    cell_title,
    mix_caption,
    products_caption,
    projection_caption,
    turning_caption,
)
from attention.ui.components.markup import markup, value_table
from attention.ui.panels.twins import Floats, entry_frame, matrix_frame, product_frame, shown, twin
from attention.ui.scene import Scene
from attention.ui.scene_steps import between_steps, projection_params, read_vector, states
from attention.ui.titles import title
from attention.ui.unfolding import unfold_where_used

LARGEST = -1
"""In place of an index: a selector takes None for no choice at all."""

SIDES: dict[Side, str] = {"query": "Q", "key": "K", "value": "V"}


def projections(scene: Scene, colours: Palette) -> None:
    """Where q, k and v come from: one set of weights for all positions, and one entry worked out."""
    label = "Where queries, keys and values come from: W_Q, W_K, W_V"
    unfold_where_used("projections", scene.view.entry is not None or scene.view.vector != "query")
    with st.expander(label, key="projections", on_change="rerun") as box:
        if box.open:
            _projections(scene, colours)


def _projections(scene: Scene, colours: Palette) -> None:
    side, column = _entry(scene)
    matrices, bias = projection_params(scene, side)
    x = read_vector(scene, side)
    chosen = strongest_column(x, matrices[side], bias) if column is None else column
    st.html(f'<div class="cap wide">{projection_caption(scene, side, chosen)}</div>')
    left, right = st.columns([2, 3], gap="large")
    with left:
        drawn = projection_matrices(matrices, palette=colours, side=side, column=chosen)
        markup(drawn, element_key="matrices")
    with right:
        worked = projection(x, matrices[side], bias, column=chosen, side=side, palette=colours)
        markup(worked, element_key="projection")
    _on_the_way(scene, side, colours)
    _tables(x, matrices, bias, side, chosen)


def cell(scene: Scene, colours: Palette) -> None:
    """Products, the way to the weight, and what the query takes away."""
    st.html(title("This cell", cell_title(scene)))
    with st.container(key="cell"):
        left, right = st.columns([1, 1], gap="large")
        with left:
            _products(scene, colours)
        with right:
            _mix(scene, colours)


def _products(scene: Scene, colours: Palette) -> None:
    head, query, key = scene.head, scene.row, scene.key
    st.html(f'<div class="cap">{products_caption(scene)}</div>')
    bars = product_bars(head.queries[query], head.keys[key], colours)
    numbers = chain(
        float(head.scores[query, key]),
        float(head.scaled[query, key]),
        head.masked[query],
        key,
        palette=colours,
        scale_text=scene.scale_text,
        between=[(step.name.lower(), float(step.scores[query, key])) for step in between_steps(scene)],
    )
    markup(bars + numbers, element_key="products")
    twin(lambda: product_frame(head.queries[query], head.keys[key]), "products.table")


def _on_the_way(scene: Scene, side: Side, colours: Palette) -> None:
    """The query or key in focus before and after its norm and its turn, where the family has them."""
    if side == "value" or len(found := states(scene, side)) == 1:
        return
    st.html(f'<div class="cap wide">{turning_caption(scene, side)}</div>')
    markup(vector_states(found, side=side, palette=colours), element_key="states")


def _mix(scene: Scene, colours: Palette) -> None:
    head, query = scene.head, scene.row
    st.html(f'<div class="cap">{mix_caption(scene)}</div>')
    table = value_mix(
        scene.key_texts,
        head.weights[query],
        head.values,
        head.head_output[query],
        key=scene.key,
        allowed=head.allowed[query],
        palette=colours,
        off=scene.view.head in scene.trace.heads_off,
    )
    value_table(table, element_key="mix")


def _tables(x: Floats, matrices: Mapping[Side, Floats], bias: Floats | None, side: Side, column: int) -> None:
    """The learned matrices whole, and the entry with its operands."""
    with st.expander("As a table", key="projection.table", type="compact", on_change="rerun") as box:
        if box.open:
            one = f"Entry {column}"
            names = [one, *(f"W_{letter}" for letter in SIDES.values())]
            chosen = st.selectbox("Matrix", names, key="projection.table.matrix", width=260)
            named = {f"W_{letter}": matrices[of] for of, letter in SIDES.items()}
            whole = named.get(chosen)
            frame = (
                entry_frame(x, matrices[side], bias, column, side) if whole is None else matrix_frame(whole)
            )
            shown(frame, "projection.table.numbers")


def _entry(scene: Scene) -> tuple[Side, int | None]:
    """Which entry of which vector to work out; None is the largest."""
    left, right, _ = st.columns([1, 1, 2], gap="small", vertical_alignment="bottom")
    side = scene.view.vector
    left.segmented_control(
        "Vector",
        list(SIDES),
        key=state.held("vector", side),
        required=True,
        format_func=SIDES.__getitem__,
        on_change=state.take,
        args=("vector", lambda chosen: {"vector": chosen, "entry": None}),
    )
    width = scene.head.values.shape[1] if side == "value" else scene.head.queries.shape[1]
    right.selectbox(
        "Entry",
        [LARGEST, *range(width)],
        key=state.held("entry", LARGEST if scene.view.entry is None else scene.view.entry),
        format_func=lambda at: "largest" if at == LARGEST else str(at),
        on_change=state.take,
        args=("entry", lambda at: {"entry": None if at == LARGEST else at}),
    )
    return side, scene.view.entry
