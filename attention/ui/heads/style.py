"""What the page adds to the style sheet that all pages share."""

from __future__ import annotations

import streamlit as st

from attention.figures.theme import Palette


def style(p: Palette) -> None:
    """Columns under one another where the page is narrow, lists of heads."""
    st.html(f"<style>{_PAGE}{_colours(p)}</style>")


_PAGE = """
[class*=st-key-beside]>[data-testid="stLayoutWrapper"]>[data-testid="stHorizontalBlock"]{
  flex-wrap:wrap;row-gap:1.5rem}
[class*=st-key-beside]>[data-testid="stLayoutWrapper"]>[data-testid="stHorizontalBlock"]>
  [data-testid="stColumn"]{min-width:min(420px,100%)}
.st-key-beside-below>[data-testid="stLayoutWrapper"]>[data-testid="stHorizontalBlock"]>
  [data-testid="stColumn"]{min-width:min(506px,100%)}
.definition{min-height:calc(3 * .9rem * 1.45)}
@media (max-width:900px){.definition{min-height:calc(5 * .9rem * 1.45)}}
.entry+.entry{margin-top:.6rem}
.cap sub,.cap sup{line-height:0;white-space:nowrap}
.st-key-standing{min-height:2rem;gap:.2rem 1rem}
.st-key-standing button{min-height:1.5rem;padding:0}
[class*=st-key-rank-] button{min-height:1.5rem;padding:0;font-variant-numeric:tabular-nums}
[class*=st-key-rank-] button,[class*=st-key-rank-] button>div{justify-content:flex-start}
[class*=st-key-row-]{gap:.6rem;position:relative;border-radius:4px}
[class*=st-key-rank-],[class*=st-key-rank-] *{position:static}
[class*=st-key-rank-] button::after{content:"";position:absolute;inset:0;z-index:1}
[class*=st-key-row-]:has(.chosen) button p{font-weight:600}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.rank{display:grid;grid-template-columns:1fr 3.2rem;gap:10px;align-items:center;width:100%;min-width:9rem;
  font-size:.9rem;line-height:1.5rem;font-variant-numeric:tabular-nums}
.rank i{display:block;height:9px;border-radius:2px;min-width:1px}
.rank b{font-weight:400;text-align:right}
.scale{display:flex;gap:.6rem;align-items:center;font-size:.8rem;font-variant-numeric:tabular-nums}
.scale i{display:block;width:150px;height:7px}
"""


def _colours(p: Palette) -> str:
    return f"""
[class*=st-key-rank-] button,.st-key-standing button:enabled{{color:{p.primary}}}
[class*=st-key-row-]:hover,[class*=st-key-row-]:has(.chosen){{background:{p.panel}}}
[class*=st-key-row-]:has(.chosen) button{{color:{p.ink}}}
.scale{{color:{p.text2}}}
.scale i{{outline:1px solid {p.line}}}
"""
