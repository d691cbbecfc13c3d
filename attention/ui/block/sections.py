"""The page from top to bottom: a token's way, one block, its heads, and one wide head instead."""

from __future__ import annotations

import html
from collections.abc import Mapping

import streamlit as st

from attention.analysis.block import summing_difference
from attention.analysis.merging import merging_difference, parts, wide_head
from attention.figures.block_drawing import block_drawing
from attention.figures.block_layout import Block
from attention.figures.chart import Chart
from attention.figures.grid import Grid
from attention.figures.theme import Palette
from attention.ui import state
from attention.ui.block import heads, plates, words
from attention.ui.block.way import NAMES, Way, cosines, lengths, norms, way
from attention.ui.chips import chips
from attention.ui.choosing import choose_layer, choose_token
from attention.ui.components.markup import markup
from attention.ui.components.token_strip import token_strip
from attention.ui.facts import of_scene
from attention.ui.models.anatomy import block
from attention.ui.scene import Scene
from attention.ui.shown import FILES, NUMBERS, files, shown, twin
from attention.ui.titles import Level, title


def stream(of: Scene, colours: Palette) -> Way:
    """The token's way through every layer."""
    found = way(of.asked, of.view.site, of.site.stack, of.query)
    with st.sidebar:
        choose_token(of.query, of.query_texts)
        choose_layer(of.view.layer, of.site.n_layers)
    _tokens(of, colours)
    st.html(f'<div class="note">{words.point(of, found)}</div>')
    left, right = st.columns(2, gap="large")
    with left:
        _picture(of, "lengths", lengths(found), words.lengths_caption(found), colours)
        st.markdown(words.PROSE)
    with right:
        _picture(of, "cosines", cosines(found), words.cosines_caption(found), colours)
        st.html(words.turns(found, of.view.layer))
    _norms(of, found, colours)
    return found


def _tokens(of: Scene, colours: Palette) -> None:
    with st.container(key="strip", gap=None):
        token_strip(
            chips(of.site.queries),
            weights=None,
            allowed=None,
            query=of.query,
            key=None,
            palette=colours,
            label="Tokens of the sentence; choose the one to follow",
            element_key="block-tokens",
            on_pick=lambda query: state.change(query=query),
        )


def _norms(of: Scene, found: Way, colours: Palette) -> None:
    """Where the norms stand, and what they do there."""
    drawn = block(of.site.stack.model.transformer.stack.layers[of.view.layer])
    with st.container(key="block-norms"):
        left, right = st.columns(2, gap="large")
        with left:
            _drawing(of, drawn, colours)
        with right:
            if factors := norms(found, drawn):
                _picture(of, "norms", factors, words.norms_caption(drawn), colours)


def _drawing(of: Scene, drawn: Block, colours: Palette) -> None:
    facts = {name: said for name, said in _facts(of).items() if name in _OF_THE_MODEL}
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.html(title(plates.DRAWN, kind="line small"), width="content")
        files(held := plates.drawing_plate(drawn, facts), colours, offered=_AS_DRAWN)
    markup(block_drawing(drawn, colours), element_key="block-drawing")
    st.html(f'<div class="cap">{words.drawing_caption(drawn)}</div>')
    twin(held.picture, held.key)


_OF_THE_MODEL = ("model", "revision", "layer")
_AS_DRAWN = tuple(kind for kind in FILES if kind != "html")
"""It has no hovers, so that a page would say no more than the picture."""


def one_layer(of: Scene, found: Way, colours: Palette) -> None:
    """The chosen layer, and what each part of it did to the token."""
    layer = of.view.layer
    st.html(title("One layer, step by step", f"L{layer}, {html.escape(of.changes)}"))
    _layers(found)
    steps = [step for step in found.steps if step.layer == layer]
    with st.container(key="block-layer"):
        left, right = st.columns([2, 3], gap="large")
        with left:
            st.html(f'<div class="note">{words.layer_point(of, steps)}</div>')
        with right:
            difference = summing_difference(of.site.stack, layer)
            st.html(words.chain(steps, difference))
            files(plates.chain_plate(steps, difference, _facts(of)), colours, offered=NUMBERS)


def _layers(found: Way) -> None:
    """Layers that make a point, one click away."""
    points = {"first layer, L0": 0, f"last layer, L{found.n_layers - 1}": found.n_layers - 1}
    points |= {f"{NAMES[kind]} adds most, L{found.most(kind)}": found.most(kind) for kind in found.kinds}
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="example-layers"):
        st.html('<div class="cap">Try</div>', width="content")
        for at, (label, layer) in enumerate(points.items()):
            st.button(
                label,
                key=f"example-layer-{at}",
                type="tertiary",
                on_click=state.change,
                kwargs={"layer": layer},
            )


def merged(of: Scene, colours: Palette) -> None:
    """The heads of the layer, side by side and added up."""
    name = f"{words.counted(of.trace.config.n_heads, 'head')} of L{of.view.layer}, one output"
    st.html(title("From heads to one vector", name))
    given = parts(of.trace, of.query)
    said = words.shares_caption(given, merging_difference(of.trace))
    left, right = st.columns(2, gap="large")
    with left:
        _picture(of, "heads", heads.side_by_side(of), words.heads_caption(of), colours, level=3)
    with right:
        _picture(of, "shares", heads.shares(of, given), said, colours, level=3)


def _picture(
    of: Scene, name: str, picture: Chart | Grid, caption: str, colours: Palette, level: Level = 2
) -> None:
    shown(picture, key=f"block-{name}", colours=colours, caption=caption, facts=_facts(of), level=level)


def what_if(of: Scene, colours: Palette) -> None:
    """One wide head of the same parameters."""
    st.html(title("What if: one wide head", "why there are several"))
    if of.trace.config.n_heads == 1:
        st.html(f'<div class="note">{words.ONE_HEAD}</div>')
        return
    wide = wide_head(of.trace)
    left, right = st.columns([7, 5], gap="large")
    with left:
        shown(
            heads.rows(of, wide),
            key="block-wide",
            colours=colours,
            caption=words.wide_caption(of, wide),
            facts=_facts(of),
            on_pick=lambda _, key: state.change(key=key),
            level=3,
        )
    with right:
        st.html(f'<div class="note">{words.wide_note(of, wide)}</div>')


def _facts(of: Scene) -> Mapping[str, str]:
    """A picture of this page is of one token and of all heads."""
    all_heads = {name: said for name, said in of_scene(of).items() if name != "head"}
    return all_heads | {"token": f"{of.query_texts[of.query]} ({of.query})"}
