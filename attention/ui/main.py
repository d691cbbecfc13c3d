"""The entry script: page settings, navigation, and the page that was asked for."""

from pathlib import Path

import streamlit as st

from attention.ui import availability

# A file of our own: named icons and emoji would be fetched from another host.
ICON = Path(__file__).with_name("icon.png")
st.set_page_config("Headlight", page_icon=str(ICON), layout="wide", initial_sidebar_state=256)

# A reader without network and cache still gets a page that works: the example that needs no download.
ready = not availability.missing()
explore = st.Page(
    "../../pages/explore.py",
    title="Explore",
    icon=":material/search:",
    url_path=None if ready else "explore",
    default=ready,
)
example = st.Page(
    "../../pages/worked_example.py",
    title="Worked example",
    icon=":material/calculate:",
    url_path="worked-example" if ready else None,
    default=not ready,
)
page = st.navigation({"": [explore], "Learn": [example]}, position="top")
availability.notice()
page.run()
