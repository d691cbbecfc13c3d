"""Heads: all of them on one sheet, coloured by what they do, and the whole model summed up."""

import streamlit as st

from attention import AttentionError
from attention.ui import address, availability, state
from attention.ui.concept import opening, reading
from attention.ui.heads import detail, lists, sheet, summaries, words
from attention.ui.heads.choices import PAGE
from attention.ui.heads.opening import opened, switches
from attention.ui.heads.scene import HeadsScene
from attention.ui.heads.style import style as own_style
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
    switches(view)
availability.open_model(view)


def draw(scene: HeadsScene) -> None:
    """The page below its title: the sheet and the chosen head, lists and numbers, the whole model."""
    sheet.measure_choice(scene)
    st.html(f'<div class="cap wide definition">{words.definition(scene)}</div>')
    with st.container(key="beside"):
        left, right = st.columns([14, 18] if sheet.is_tall(scene) else [13, 11], gap="large")
        with left:
            sheet.sheet(scene, colours)
        with right:
            detail.head(scene, colours)
        with right if sheet.is_tall(scene) else left:
            lists.top_ten(scene, colours)
        with right:
            lists.alike(scene, colours)
    with st.container(key="beside-below"):
        left, right = st.columns([12, 13], gap="large")
        with left:
            detail.measurements(scene)
            detail.glossary(scene)
        with right:
            summaries.whole_model(scene, colours)


try:
    scene = opened(view, choices)
except AttentionError as error:
    with told:
        PAGE.warnings()
    address.tell(PAGE.write_address(view))
    refusal(view, error)
    st.stop()

with told:
    PAGE.warnings()
    address.tell(PAGE.write_address(scene.view))
draw(scene)
