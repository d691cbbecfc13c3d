"""Why √d_k: random queries and keys of any length, and a real head whose scale is taken away."""

import streamlit as st

from attention import AttentionError
from attention.ui import address, availability, state
from attention.ui.concept import check_length, opening, reading
from attention.ui.panels.sentence import refusal
from attention.ui.scaling import sections, words
from attention.ui.scaling.choices import PAGE
from attention.ui.scaling.style import style as own_style
from attention.ui.scene import scene
from attention.ui.style import page_palette, style

colours = page_palette()
view, choices = state.current(), PAGE.current()
style(colours, len(view.text.split()))
own_style()
opening(words.TITLE, words.LINE)
told = st.container()
with st.sidebar:
    reading(view)
sections.experiment(choices, colours)
availability.open_model(view)
try:
    check_length(view, 1024)
    shown = scene(view)
except AttentionError as error:
    with told:
        PAGE.warnings()
    address.tell(PAGE.write_address(view))
    refusal(view, error)
    st.stop()

state.settle(shown.view, shown.told)
with told:
    PAGE.warnings()
    address.tell(PAGE.write_address(shown.view))
sections.real_head(shown, choices, colours)
