"""Worked example: a few tokens, a few dimensions, every number editable, every step in figures."""

import streamlit as st

from attention.ui.style import page_palette, style
from attention.ui.worked import controls, export_menu, further, parts, session
from attention.ui.worked.desk import words_told
from attention.ui.worked.scene import worked_scene
from attention.ui.worked.style import style as own_style

colours = page_palette()
desk = session.reopened()
style(colours, len(desk.tokens))
own_style(colours)
controls.heading()
controls.sentence(desk)
for told in desk.told:
    st.warning(told, icon=":material/link_off:")
if told := words_told(desk):
    st.error(told, icon=":material/edit_off:")
if session.write_address(desk):
    st.info("The numbers are too long for a link: the address leaves them out.", icon=":material/link:")

scene = worked_scene(desk)
with st.sidebar:
    controls.sidebar(desk)
    export_menu.export_menu(scene)
    controls.checks(scene)
parts.strip(scene, colours)
parts.numbers(scene)
parts.complaints(desk)
parts.steps(scene, colours)
parts.cell(scene, colours)
further.further(desk, colours)
