"""The query in focus against every key, dimension by dimension: products, raw score, scaled score, weight."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from attention.figures.labels import plain_label
from attention.figures.neurons import Neurons, rest_note, shown
from attention.figures.picture import Picture
from attention.figures.theme import Palette
from attention.ui import state
from attention.ui.captions import query_name
from attention.ui.components.neurons import neurons as component
from attention.ui.scene import Scene
from attention.ui.subjects import neurons


def neurons_view(scene: Scene, drawn: Picture, colours: Palette) -> None:
    """How to read it, the table of strips, and its twin in numbers."""
    every = neurons(scene, drawn)
    picture = shown(every)
    component(picture, palette=colours, on_pick=lambda row: state.change(key=picture.key_positions[row]))
    st.html(f'<div class="cap">{_caption(scene, picture)}</div>')
    with st.expander("As a table", key="neurons.table", type="compact", on_change="rerun") as box:
        if box.open:
            st.dataframe(neurons_frame(every), height=420, key="neurons.table.numbers")


def neurons_frame(picture: Neurons) -> pd.DataFrame:
    """Every product and every number, a row for each key; sorted by a click on a column's head."""
    named = zip(picture.key_positions, picture.key_tokens, strict=True)
    steps = {"raw score": picture.scores, "scaled": picture.scaled}
    steps |= {name.lower(): after for name, after in picture.between}
    steps |= {"weight": picture.weights, "α‖v‖": picture.lengths}
    products = {f"q·k [{j}]": column for j, column in enumerate(picture.products.T)}
    index = [f"{at} {plain_label(token)}" for at, token in named]
    return pd.DataFrame(steps | {"allowed": picture.allowed} | products, index=index)


def _caption(scene: Scene, picture: Neurons) -> str:
    """What a row is, and what to notice."""
    rest = f" Shown are {note}." if (note := rest_note(picture)) else ""
    return (
        f"Each row is a key against {query_name(scene)}: their product in each of {picture.keys.shape[1]} "
        "dimensions, amber above zero, steel below. The products add up to the <b>raw score</b>; α‖v‖ is the "
        "length of what the key brings to the output. <b>Notice</b> dimensions that look alike in every row: "
        f"what all scores share, softmax cancels.{rest}"
    )
