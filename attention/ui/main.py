"""The entry script: page settings, navigation, and the page that was asked for."""

from pathlib import Path

import streamlit as st

from attention.ui import availability, navigation, state, waiting
from attention.ui.components.one_step import one_step

# A file of our own: named icons and emoji would be fetched from another host.
ICON = Path(__file__).with_name("icon.png")
st.set_page_config("Headlight", page_icon=str(ICON), layout="wide", initial_sidebar_state=256)

# A reader without network and cache still gets a page that works: the example that needs no download.
pages = navigation.pages_without_model() if availability.missing() else navigation.pages()
page = st.navigation(pages, position="top")
if availability.trying_again():
    st.switch_page(pages[""][0])
availability.notice()
one_step()
state.run_began()
try:
    with waiting.on_page():
        page.run()
finally:
    state.run_ended()
