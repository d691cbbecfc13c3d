"""What the worked example adds to the page's style sheet."""

from __future__ import annotations

import streamlit as st

from attention.figures.theme import Palette


def style(colours: Palette) -> None:
    """Lay the page's own rules over those that all pages share."""
    st.html(f"<style>{_PAGE}{_coloured(colours)}</style>")


_PAGE = """
.st-key-numbers [data-testid="stElementToolbar"],.st-key-row [data-testid="stElementToolbar"],
.st-key-mix [data-testid="stElementToolbar"]{display:none}
.st-key-cell [data-testid="stColumn"],.st-key-sums [data-testid="stColumn"]{min-width:min(420px,100%)}
.st-key-sums [data-testid="stHorizontalBlock"]{flex-wrap:wrap;row-gap:2rem}
.matrix-name{font-size:1rem;font-weight:600;line-height:1.4}
.matrix-name sub,.cap sub{line-height:0}
.written{font-size:1rem;line-height:1.75;font-variant-numeric:tabular-nums}
.written>span{white-space:nowrap}
.reckoning{border-collapse:separate;border-spacing:2px;font-variant-numeric:tabular-nums;margin:.2rem 0 .5rem}
.sideways{overflow-x:auto;position:relative}
.reckoning caption{position:absolute;clip-path:inset(50%)}
.reckoning th,.reckoning td{border:0;padding:.3rem .5rem;text-align:right;min-width:4.3rem}
.reckoning th{font-weight:400;font-size:.8rem;white-space:nowrap}
.reckoning th[scope=row]{font-size:.93rem;min-width:0;text-align:left;padding-left:0}
.st-key-sums{margin-top:1.6rem}
"""


def _coloured(p: Palette) -> str:
    return f"""
.reckoning th{{color:{p.text2}}}
.written .a{{color:{p.primary};font-weight:600}}
.reckoning .sum{{font-weight:600}}
.reckoning th i{{font-family:"Source Serif",serif;color:{p.ink}}}
"""
