"""Inside a block: one token's stream, what writes to it, how heads become one output."""

import streamlit as st

from attention import AttentionError
from attention.ui import address, availability, state
from attention.ui.block import sections, words
from attention.ui.block.choices import PAGE
from attention.ui.block.style import style as own_style
from attention.ui.concept import check_length, opening, reading
from attention.ui.panels.sentence import refusal
from attention.ui.scene import scene
from attention.ui.style import page_palette, style

colours = page_palette()
view = state.current()
PAGE.current()
style(colours, len(view.text.split()))
own_style(colours)
opening(words.TITLE, words.LINE)
with st.sidebar:
    reading(view)
availability.open_model(view)
try:
    check_length(view, 1024)
    shown = scene(view)
except AttentionError as error:
    PAGE.warnings()
    address.tell(PAGE.write_address(view))
    refusal(view, error)
    st.stop()

state.settle(shown.view, shown.told)
PAGE.warnings()
address.tell(PAGE.write_address(shown.view))
found = sections.stream(shown, colours)
sections.one_layer(shown, found, colours)
sections.merged(shown, colours)
sections.what_if(shown, colours)
