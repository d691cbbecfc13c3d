"""The sheet of heads, coloured by a measure or showing their weights: the page's navigator."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention.analysis.measures import BY_KEY
from attention.figures.grid import Grid, GridScale
from attention.figures.theme import Palette
from attention.ui import state
from attention.ui.components.head_sheet import head_sheet
from attention.ui.components.sheet_look import SheetLook
from attention.ui.heads import numbers, words
from attention.ui.heads.choices import PAGE
from attention.ui.heads.scene import Head, HeadsScene, facts
from attention.ui.heads.shades import ends, gradient, measure_scale, measure_shades
from attention.ui.panels.sheet_choices import block_choice
from attention.ui.shown import shown
from attention.ui.titles import title
from attention.ui.whole_words import RULE

SQUARES = {"measure": "Measure", "weights": "Weights"}
SORTS = {"layer": "By layer", "value": "By value"}
ROW_HEIGHT, TALLEST = 56, 1000
TALL = 12
"""Layers from which on the sheet leaves no room below it that anyone would see."""


def measure_choice(scene: HeadsScene) -> None:
    """The measure, what the squares show, and their order; in one line where there is room."""
    choices = scene.choices
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        st.selectbox(
            "Measure",
            list(BY_KEY),
            key=PAGE.held("measure", choices.measure),
            format_func=lambda key: BY_KEY[key].name,
            width=300,
            on_change=PAGE.take,
            args=("measure",),
        )
        _either("squares", "Squares show", SQUARES, choices.squares)
        _either("sort", "Order", SORTS, choices.sort)
        if choices.squares == "weights":
            block_choice(scene.view, scene.site, seen=True)


def sheet(scene: HeadsScene, colours: Palette) -> None:
    """The heads, the legend, how to read them, and the same as a picture with a table and files."""
    n_layers, n_heads = scene.run.n_layers, scene.run.n_heads
    said = f"{n_layers} × {n_heads} heads · {len(scene.units)} {scene.unit}s"
    name = "All heads" if scene.choices.squares == "weights" else scene.measure.name
    st.html(title(name, html.escape(said), kind="line"))
    if scene.view.site == "cross":
        st.html(f'<div class="cap">{words.CROSS}</div>')
    (_weights if scene.choices.squares == "weights" else _measured)(scene, colours)
    st.html(f'<div class="cap">{words.sheet_caption(scene)}</div>')
    if scene.by_words:
        st.html(f'<div class="cap">{RULE}</div>')
    _twin(scene, colours)


def _weights(scene: HeadsScene, colours: Palette) -> None:
    look = SheetLook(order=_order(scene), height=_height(scene))
    # The tooltip reads weights off the shades, which it cannot where each head has its own scale.
    _sheet(scene, colours, scene.sheet.shades, look, scene.view.sheet_shade == "shared")


def _measured(scene: HeadsScene, colours: Palette) -> None:
    values, measure = scene.values(), scene.measure
    scale = measure_scale(measure, colours)
    look = SheetLook(
        scale=scale,
        texts=_by_layer(scene, lambda head: numbers.short_number(measure, scene.value(head))),
        hatched=[head for head in scene.heads if scene.value(head) is None],
        order=_order(scene),
        height=_height(scene),
    )
    _sheet(scene, colours, measure_shades(measure, values), look, False)
    if not np.isfinite(values).any():
        return
    low, high = words.legend(scene)
    bar = f'<i style="background:{gradient(scale)}"></i>'
    st.html(f'<div class="scale"><span>{low}</span>{bar}<span>{high}</span></div>')


def _sheet(
    scene: HeadsScene, colours: Palette, shades: NDArray[np.uint8], look: SheetLook, with_pairs: bool
) -> None:
    choices = scene.choices
    order = f"-{choices.measure}-{scene.view.words}" if choices.sort == "value" else ""
    head_sheet(
        shades,
        selected=scene.chosen,
        heads_off=scene.view.heads_off,
        notes=_by_layer(scene, lambda head: words.note(scene, head)),
        palette=colours,
        query_tokens=scene.labels if with_pairs else (),
        element_key=f"heads-sheet{order}",
        on_pick=choose,
        look=look,
    )


def _by_layer(scene: HeadsScene, say: Callable[[Head], str]) -> list[list[str]]:
    """A word about every head, [layer][head]."""
    heads = range(scene.run.n_heads)
    return [[say((layer, head)) for head in heads] for layer in range(scene.run.n_layers)]


def is_tall(scene: HeadsScene) -> bool:
    """Whether what would stand below the sheet had better stand beside it."""
    return scene.run.n_layers > TALL


def choose(head: Head) -> None:
    """Make a head the chosen one."""
    state.change(layer=head[0], head=head[1])


def _order(scene: HeadsScene) -> tuple[Head, ...]:
    return scene.ranked() if scene.choices.sort == "value" else ()


def _height(scene: HeadsScene) -> int:
    return min(TALLEST, ROW_HEIGHT * scene.run.n_layers)


def _either(name: str, label: str, options: Mapping[Any, str], value: str) -> None:
    st.segmented_control(
        label,
        list(options),
        key=PAGE.held(name, value),
        format_func=options.__getitem__,
        required=True,
        width="content",
        on_change=PAGE.take,
        args=(name,),
    )


def _twin(scene: HeadsScene, colours: Palette) -> None:
    """The measure as numbers; made when it is opened."""
    name = "As a picture, a table or a file"
    with st.expander(name, key="heads.twin", type="compact", on_change="rerun") as box:
        if box.open:
            shown(
                grid(scene),
                key="heads-measure",
                colours=colours,
                caption=words.definition(scene),
                facts=facts(scene),
                on_pick=lambda layer, head: choose((layer, head)),
                level=3,
            )


def grid(scene: HeadsScene) -> Grid:
    """Every head's measure, layers down and heads across."""
    values = scene.values()
    scales: dict[str, GridScale] = {"weight": "weights", "amount": "ink", "signed": "scores"}
    # The table of a picture of weights has 0 where a mask closes a cell; what cannot be measured is no 0.
    scale = scales[scene.measure.kind] if np.isfinite(values).all() else "ink"
    return Grid(
        f"{scene.measure.name}, every head",
        values=values,
        rows=tuple(f"L{layer}" for layer in range(scene.run.n_layers)),
        columns=tuple(f"H{head}" for head in range(scene.run.n_heads)),
        row_title="layer",
        column_title="head",
        scale=scale,
        limit=ends(scene.measure, values)[1],
        allowed=np.isfinite(values),
    )
