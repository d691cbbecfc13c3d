"""One step of the browser's history for what the reader does. Streamlit makes two of a page from the menu."""

import streamlit as st

from attention.ui.components.assets import register

_one_step = register("one_step", scripts=("one_step.js",), styles=())

# The column of the page leaves a gap below whatever it holds, an empty container too.
_OUT_OF_THE_WAY = '[data-testid="stLayoutWrapper"]:has(> .st-key-one-step){display:none}'


def one_step() -> None:
    """Stands on every page, and takes no room on any."""
    with st.container(key="one-step"):
        st.html(f"<style>{_OUT_OF_THE_WAY}</style>")
        _one_step(key="one_step", data="")
