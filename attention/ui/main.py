"""The entry script: page settings, navigation, and the page that was asked for."""

from pathlib import Path

import streamlit as st

from attention.ui import availability

# A file of our own: named icons and emoji would be fetched from another host.
ICON = Path(__file__).with_name("icon.png")
st.set_page_config("Headlight", page_icon=str(ICON), layout="wide", initial_sidebar_state=256)

explore = st.Page("../../pages/explore.py", title="Explore", icon=":material/search:")
example = st.Page(
    "../../pages/worked_example.py",
    title="Worked example",
    icon=":material/calculate:",
    url_path="worked-example",
)
models = st.Page("../../pages/models.py", title="Models", icon=":material/deployed_code:", url_path="models")
# A reader without network and cache still gets a page that works: the example that needs no download.
without = {"Learn": [example], "": [models]}
pages = without if availability.missing() else {"": [explore, models], "Learn": [example]}
page = st.navigation(pages, position="top")
if availability.trying_again():
    st.switch_page(explore)
availability.notice()
page.run()
