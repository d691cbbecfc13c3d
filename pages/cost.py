"""Cost: N² counted and timed, FlashAttention tile by tile, sparse patterns, and what must wait for what."""

import streamlit as st

from attention.ui import address, availability, state
from attention.ui.choosing import choose_head, choose_layer
from attention.ui.concept import opening, reading
from attention.ui.cost import paths, sparse, tiles, timed, traffic, words
from attention.ui.cost.choices import PAGE
from attention.ui.cost.head import head_or_refusal
from attention.ui.style import page_palette, style
from attention.ui.words import literal

colours = page_palette()
view, choices = state.current(), PAGE.current()
style(colours, len(view.text.split()))
opening(words.TITLE, words.LINE)
with st.sidebar:
    reading(view)
availability.open_model(view)

of, refused = head_or_refusal(view)
if of is not None:
    state.settle(of.view, of.told)
    choices = tiles.settled(of, choices)
    with st.sidebar:
        choose_layer(of.view.layer, of.site.n_layers)
        choose_head(of.view.head, of.site.n_heads)
PAGE.warnings()
address.tell(PAGE.write_address(view if of is None else of.view))

st.markdown(words.PROSE)
timed.timed(view, choices, colours)
if of is None:
    st.error(literal(refused), icon=":material/error:")
else:
    tiles.tiles(of, choices, colours)
traffic.moved(choices, colours)
if of is not None:
    sparse.sparse(of, choices, colours)
paths.paths(choices, colours)
