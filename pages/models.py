"""Models: what can be opened, getting it, and what the open model is made of."""

import streamlit as st

from attention.ui import state
from attention.ui.models import downloads, names
from attention.ui.models.cards import cards
from attention.ui.models.opened import opened
from attention.ui.models.others import others
from attention.ui.models.style import style as own_style
from attention.ui.style import page_palette, style
from attention.ui.titles import brand
from attention.ui.words import literal

colours = page_palette()
view = state.current()
style(colours, len(view.text.split()))
own_style(colours)
st.html(brand("Models", "what you can open, and what is in it"))
for told in state.told():
    st.warning(literal(told), icon=":material/link_off:")
if names.may_link(view.model):
    state.write_address(view)

room = cards(view)
room = others() or room
with st.container(key="open"):
    opened(view, colours)
# Last of all, so that the page is whole while a download runs.
downloads.carry_out(room)
