"""What the page adds to the style sheet that all pages share."""

from __future__ import annotations

import streamlit as st


def style() -> None:
    """Columns that stand under one another where the page is narrow."""
    st.html(f"<style>{_PAGE}</style>")


_PAGE = """
[class*=st-key-beside] [data-testid="stHorizontalBlock"]{flex-wrap:wrap;row-gap:1.5rem}
[class*=st-key-beside] [data-testid="stColumn"]{min-width:min(330px,100%)}
.note sub,.cap sub{line-height:0}
"""
