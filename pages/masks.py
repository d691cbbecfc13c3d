"""Masks: who may attend to whom, on the reader's sentence, in a batch, and beside the token [MASK]."""

import streamlit as st

from attention import AttentionError
from attention.ui import address, availability, state
from attention.ui.concept import check_length, opening, reading
from attention.ui.masks import batch, both, controls, sections, words
from attention.ui.masks.choices import PAGE
from attention.ui.masks.scene import mask_scene
from attention.ui.masks.style import style as own_style
from attention.ui.panels.sentence import refusal
from attention.ui.style import page_palette, style

colours = page_palette()
view, choices = state.current(), PAGE.current()
style(colours, len(view.text.split()))
own_style(colours)
opening(words.TITLE, words.LINE)
told = st.container()
with st.sidebar:
    reading(view)
availability.open_model(view)
try:
    check_length(view, 256)
    shown = mask_scene(view, choices)
except AttentionError as error:
    with told:
        PAGE.warnings()
    address.tell(PAGE.write_address(view))
    refusal(view, error)
    st.stop()

state.settle(shown.view, shown.view_told)
PAGE.settle(shown.choices, shown.told)
with told:
    PAGE.warnings()
    address.tell(PAGE.write_address(shown.view))
with st.sidebar:
    controls.sidebar(shown)
sections.gallery(shown, colours)
sections.at_work(shown, colours)
batch.batch(shown, colours)
both.both(shown, colours)
