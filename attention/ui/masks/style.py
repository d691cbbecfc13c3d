"""What the page about masks adds to the style sheet."""

from __future__ import annotations

import streamlit as st

from attention.figures.theme import Palette


def style(p: Palette) -> None:
    """Lay it over the page: columns that wrap, and the table of a batch."""
    st.html(f"<style>{_COLUMNS}{_batch(p)}</style>")


_COLUMNS = """
[class*="st-key-masks-"] [data-testid="stHorizontalBlock"]{flex-wrap:wrap;row-gap:1.5rem}
[class*="st-key-masks-"] [data-testid="stColumn"]{min-width:min(420px,100%)}
"""


def _batch(p: Palette) -> str:
    return f"""
.batch{{overflow-x:auto;margin:.4rem 0}}
.batch table{{border-collapse:separate;border-spacing:3px;font-size:.87rem;line-height:1.25;
  font-variant-numeric:tabular-nums}}
.batch th{{font-weight:400;color:{p.text2};font-size:.8rem;text-align:center;padding:0 4px}}
.batch td{{padding:3px 7px;text-align:center;background:{p.panel};border-radius:3px;white-space:nowrap}}
.batch td i{{display:block;font-style:normal;font-size:.75rem;color:{p.text2}}}
.batch td.pad{{color:{p.masked};
  background:repeating-linear-gradient(135deg,{p.mask_ground} 0 8px,{p.line} 8px 9px)}}
.batch td.pad i{{color:{p.masked}}}
.batch .n{{background:none;text-align:right;padding-right:12px;white-space:nowrap}}
.batch td.n{{font-weight:600;color:{p.output}}}
"""
