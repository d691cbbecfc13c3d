"""What the page adds to the style sheet that all pages share."""

from __future__ import annotations

import streamlit as st


def style() -> None:
    """Lay the page's own rules over the shared ones."""
    st.html(f"<style>{_PAGE}</style>")


_PAGE = """
.st-key-context [data-testid="stHorizontalBlock"]{flex-wrap:wrap;row-gap:1rem}
.st-key-context [data-testid="stColumn"]{min-width:min(160px,100%)}
.st-key-context [data-testid="stColumn"]:has([class*=st-key-shown]){min-width:min(420px,100%)}
.st-key-context .note{max-width:none}
.note.wide{font-size:1.1rem}
"""
