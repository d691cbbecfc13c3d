"""What the page adds to the style sheet that all pages share."""

from __future__ import annotations

import streamlit as st

from attention.figures.theme import Palette


def style(colours: Palette) -> None:
    """Lay the page's own rules over the shared ones."""
    st.html(f"<style>{_PAGE}.chain th,.turns th,.turns td+td{{color:{colours.text2}}}</style>")


_PAGE = """
.chain{border-collapse:collapse;font-size:.93rem;line-height:1.45;font-variant-numeric:tabular-nums;
  margin:.4rem 0 .5rem}
.chain caption{position:absolute;clip-path:inset(50%)}
.chain th,.chain td{border:0;padding:.22rem 1.3rem .22rem 0;text-align:right;vertical-align:bottom}
.chain th{font-weight:400}
.chain th[scope=row]{text-align:left;white-space:nowrap}
.turns{border-collapse:collapse;font-size:.9rem;line-height:1.4;font-variant-numeric:tabular-nums;
  margin:.2rem 0}
.turns th,.turns td{border:0;padding:.22rem 1rem .22rem 0;text-align:left;vertical-align:top;font-weight:400}
.turns th{white-space:nowrap}
.turns th[scope=row]+td{text-align:right;font-weight:600}
.sideways{overflow-x:auto;position:relative}
.cap sub,.note sub{line-height:0}
[class*=st-key-block-] [data-testid="stHorizontalBlock"]:has(>[data-testid="stColumn"]){
  flex-wrap:wrap;row-gap:1.5rem}
[class*=st-key-block-] [data-testid="stColumn"]{min-width:min(400px,100%)}
"""
