"""What the page adds to the style sheet that all pages share."""

from __future__ import annotations

import streamlit as st

from attention.figures.theme import Palette


def style(colours: Palette) -> None:
    """Lay the page's own rules over the shared ones."""
    st.html(f"<style>{_PAGE}{_coloured(colours)}</style>")


_PAGE = """
.st-key-positions [data-testid="stHorizontalBlock"]{flex-wrap:wrap;row-gap:1.2rem}
.st-key-positions [data-testid="stColumn"]{min-width:min(180px,100%)}
.st-key-positions [data-testid="stColumn"]:has([class*=st-key-shown]){min-width:min(420px,100%)}
.orders{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1.1rem;align-items:baseline}
.orders span{display:flex;flex-wrap:wrap;gap:.25rem .75rem;font-size:19px;line-height:1.5}
.orders .special{font-size:13.5px;letter-spacing:.06em;align-self:center}
.verdicts{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4rem 0 .6rem}
.verdicts th,.verdicts td{border:0;padding:.2rem 1.6rem .2rem 0;text-align:left;vertical-align:baseline}
.verdicts th{font-weight:400}
.verdicts thead th{font-size:.8rem}
.verdicts .number{font-size:1.3rem;font-weight:600;white-space:nowrap}
"""


def _coloured(p: Palette) -> str:
    return (
        f".orders small,.orders .special,.verdicts th{{color:{p.text2}}}.verdicts .number{{color:{p.output}}}"
    )
