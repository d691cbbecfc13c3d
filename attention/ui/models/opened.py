"""The open model: its sizes and choices, and one block of each of its stacks as a drawing."""

from __future__ import annotations

import html
from collections.abc import Iterator

import streamlit as st

from attention.checkpoints.catalog import CATALOG
from attention.errors import AttentionError
from attention.figures.block_drawing import block_drawing
from attention.figures.block_layout import Block
from attention.figures.numbers import percent
from attention.figures.theme import Palette
from attention.model import Model
from attention.ui import cache
from attention.ui.components.markup import markup
from attention.ui.models import downloads, names
from attention.ui.models.anatomy import blocks, parameters, stacks
from attention.ui.models.cards import explore_link
from attention.ui.models.facts import Fact, facts, ranges
from attention.ui.titles import title
from attention.ui.view import ViewState
from attention.ui.words import literal


def opened(view: ViewState, colours: Palette) -> None:
    """What the view's model is made of; one sentence where it is not here or cannot be opened."""
    name = html.escape(names.title(view.model))
    st.html(title(name, "what it is made of"))
    if not downloads.is_here(view.model):
        st.html(f'<div class="note">{name} is the model of this view and is not here yet.</div>')
        return
    try:
        with st.spinner("Opening the model"):
            model = cache.model(view.model)
    except AttentionError as error:
        st.error(literal(str(error)), icon=":material/error:")
        return
    with st.container(key="anatomy"):
        table, drawing = st.columns([6, 5], gap="large")
        with table:
            st.html(_table(model))
            if view.model not in CATALOG:  # the others have this link on their card
                explore_link(f"See {names.title(view.model)} in Explore")
        with drawing:
            _drawings(model, colours)


def _table(model: Model) -> str:
    heads = [name for name in stacks(model.transformer) if name]
    columns = "".join(f'<th scope="col">{name}</th>' for name in heads)
    rows = "".join(_row(fact, max(1, len(heads))) for fact in facts(model))
    head = f"<thead><tr><td></td>{columns}</tr></thead>" if heads else ""
    return f'<table class="facts"><caption>Sizes and choices</caption>{head}<tbody>{rows}</tbody></table>'


def _row(fact: Fact, n_columns: int) -> str:
    """What both stacks share stands once, across both."""
    values = fact.values if len(set(fact.values)) > 1 else fact.values[:1]
    span = f' colspan="{n_columns}"' if len(values) < n_columns else ""
    cells = "".join(f"<td{span}>{html.escape(value)}</td>" for value in values)
    return f'<tr><th scope="row">{fact.name}</th>{cells}</tr>'


def _drawings(model: Model, colours: Palette) -> None:
    for stack, transformer in stacks(model.transformer).items():
        shapes = blocks(transformer)
        for at, (block, layers) in enumerate(shapes.items()):
            which = f"all {len(layers)} layers" if len(shapes) == 1 else ranges(layers)
            of = f"{stack.lower()}, " if stack else ""
            one = "the only layer" if len(transformer.stack.layers) == 1 else which
            st.html(title("One block", f"{of}{one}", level=3))
            markup(block_drawing(block, colours), element_key=f"block-{stack}-{at}")
            layer = transformer.stack.layers[layers[0]]
            share = parameters(layer.attention) + parameters(layer.cross)
            said = " ".join(_notice(block, share / parameters(layer)))
            st.html(f'<div class="cap"><b>Notice</b> {said}</div>')


def _notice(block: Block, share: float) -> Iterator[str]:
    """What the drawing shows: where the norms are, and how little of a block attention is."""
    parts = block.sublayers
    if block.parallel:
        yield "that attention and MLP read the same stream: neither sees what the other wrote."
    elif any(part.after_add for part in parts):
        yield "the norms on the stream itself: each layer passes on what its last norm left."
    elif any(part.after_sublayer for part in parts):
        yield "the norms on both sides of each sublayer: what is added to the stream has been normed too."
    elif any(part.before for part in parts):
        yield "that no norm stands on the stream: what a layer adds stays in it to the end."
    else:
        yield "that there is no norm."
    if any(part.kind == "mlp" for part in parts):
        yield f"Attention holds {percent(share)} of the block’s parameters; it is one part of several."
    else:
        yield "There is no MLP: this toy is attention alone, which no real model is."
