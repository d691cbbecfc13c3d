"""What the Models page adds to the style sheet that all pages share."""

from __future__ import annotations

import streamlit as st

from attention.figures.theme import Palette


def style(colours: Palette) -> None:
    """Lay the page's own rules over the shared ones."""
    st.html(f"<style>{_PAGE}{_coloured(colours)}</style>")


_WRAPPED = ("cards", "others", "anatomy")
_PAGE = (
    "".join(
        f'.st-key-{key} [data-testid="stHorizontalBlock"]{{flex-wrap:wrap;row-gap:2rem}}'
        f'.st-key-{key} [data-testid="stColumn"]{{min-width:min(420px,100%)}}'
        for key in _WRAPPED
    )
    + """
.st-key-cards{margin-top:1rem}
.st-key-cards .checks{margin-top:.35rem;max-width:68ch}
.st-key-cards .cap{margin-top:.25rem}
.st-key-others,.st-key-open{margin-top:2rem}
.facts{border-collapse:collapse;font-size:.93rem;line-height:1.45;font-variant-numeric:tabular-nums}
.facts caption{position:absolute;clip-path:inset(50%)}
.facts th,.facts td{border:0;padding:.22rem 1.4rem .22rem 0;text-align:left;vertical-align:top}
.facts th{font-weight:400}
.facts thead th{font-weight:600}
.facts tbody th{white-space:nowrap}
.facts td{overflow-wrap:anywhere}
"""
)


def _coloured(p: Palette) -> str:
    return f".facts tbody th{{color:{p.text2}}}.facts thead th{{color:{p.ink}}}"
