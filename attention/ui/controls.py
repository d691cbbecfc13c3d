"""The sidebar: model, layer, head, masks, heads off, and how things are drawn."""

from __future__ import annotations

from typing import Any

import streamlit as st

from attention.analysis.words import groups
from attention.sites import SITES
from attention.ui import state
from attention.ui.choosing import choose_among, choose_model
from attention.ui.mask_controls import mask_controls
from attention.ui.models import names
from attention.ui.panels.light import light_choice
from attention.ui.scene import Scene
from attention.ui.view import ViewState
from attention.ui.words import KINDS

RANGES = {"fixed": "0 to 1", "head": "This head", "log": "Log"}
SPECIAL = {"show": "Shown", "hide": "Hidden, rest as is", "renormalise": "Hidden, rest renormalised"}


def model_choice(view: ViewState) -> None:
    """Which model reads the sentence; it is there even when the sentence cannot be read."""
    st.selectbox(
        "Model",
        names.choices(view.model),
        key=state.held("model", view.model),
        format_func=names.title,
        on_change=_another_model,
    )


def controls(scene: Scene) -> None:
    """Everything that changes what is shown or what the model does."""
    if len(scene.run.sites) > 1:
        _site(scene.view)
    _layer_and_head(scene)
    mask_controls(scene)
    _heads_off(scene)
    _shuffled(scene.view)
    if scene.view.changed:
        st.button(
            "Put everything back",
            icon=":material/undo:",
            type="tertiary",
            on_click=lambda: state.show(state.current().put_back()),
        )
    _drawing(scene)


def _site(view: ViewState) -> None:
    """Which of an encoder–decoder's three kinds of attention; each keeps its own masks and heads off."""
    st.selectbox(
        "Attention",
        SITES,
        key=state.held("site", view.site),
        format_func=lambda site: KINDS[site].capitalize(),
        help="The decoder looks at what was written so far and, across, at the source; the encoder reads the "
        "source. Masks and heads off belong to the one that is chosen.",
        on_change=lambda: state.show(state.current().at(st.session_state["control.site"])),
    )


def _layer_and_head(scene: Scene) -> None:
    chosen = (
        ("layer", scene.site.n_layers, scene.view.layer),
        ("head", scene.site.n_heads, scene.view.head),
    )
    with st.container(horizontal=True, gap="small", key="layer-head"):
        for name, count, index in chosen:
            st.selectbox(
                name.capitalize(),
                range(count),
                key=state.held(name, index),
                format_func=f"{name[0].upper()}{{}}".format,
                on_change=state.take,
                args=(name, _only(name)),
            )


def _heads_off(scene: Scene) -> None:
    heads = [(layer, head) for layer in range(scene.site.n_layers) for head in range(scene.site.n_heads)]
    st.multiselect(
        "Heads off",
        heads,
        key=state.held("heads_off", sorted(scene.view.heads_off)),
        format_func=lambda pair: f"L{pair[0]} H{pair[1]}",
        placeholder="none",
        filter_mode="contains",  # matched loosely, "L2" was in L0 H2 too
        select_all=False,  # it stood first, so that Enter took every match
        help="Their outputs are set to zero before W_O, in a recomputed run.",
        on_change=state.take,
        args=("heads_off", lambda pairs: {"heads_off": frozenset(map(tuple, pairs))}),
    )


def _shuffled(view: ViewState) -> None:
    st.toggle(
        "Shuffled parameters",
        key=state.held("shuffled", view.shuffled is not None),
        help="The same model with the numbers of each parameter tensor in random places: a "
        "pattern that stays was not learned.",
        on_change=state.take,
        args=("shuffled", lambda on: {"shuffled": 0 if on else None}),
    )


def _words(scene: Scene) -> None:
    """The switch is there where a word has several pieces."""
    in_pieces = any(len(groups(tokens)) < len(tokens) for tokens in (scene.site.queries, scene.site.keys))
    if not (in_pieces or scene.view.words):
        return
    st.toggle(
        "Whole words",
        key=state.held("words", scene.view.words),
        help="Puts the pieces of a word together in pictures of weights: summed over keys, averaged over "
        "queries, so that rows still sum to 1. The steps, this cell and Neurons stay those of the pieces.",
        on_change=state.take,
        args=("words", _only("words")),
    )


def _drawing(scene: Scene) -> None:
    view = scene.view
    light_choice(scene)
    choose_among(
        "range",
        "Colour range",
        RANGES,
        view.range,
        width="stretch",
        help="What the end of the colour scale stands for: a weight of 1, this head's largest weight, or 1 "
        "on a logarithmic scale.",
    )
    _words(scene)
    if not (scene.hideable or scene.hideable_queries):
        return
    special = scene.crossing or scene.site.keys[scene.hideable[0]].special
    st.selectbox(
        "Special tokens" if special else "First token",
        list(SPECIAL),
        key=state.held("special", view.special),
        format_func=SPECIAL.__getitem__,
        help="Whether the heatmap shows what carries no word of the sentence, such as [CLS], or a first "
        "token on which many rows rest. The model's attention does not change.",
        on_change=state.take,
        args=("special", _only("special")),
    )


def _another_model() -> None:
    choose_model(st.session_state["control.model"], target=None)


def _only(name: str) -> Any:
    return lambda value: {name: value}
