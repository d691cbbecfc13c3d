"""The page's own style sheet: what Streamlit's theme cannot say."""

from __future__ import annotations

import streamlit as st

from attention.figures.theme import Palette, palette

MOST_STICKY_WORDS = 20


def page_palette() -> Palette:
    """The colours of the theme the reader's browser shows."""
    return palette("dark" if st.context.theme.type == "dark" else "light")


def style(colours: Palette, n_words: int) -> None:
    """Lay the style sheet over the page.

    Args:
        colours: The theme.
        n_words: Words of the sentence; the strip of a long one does not stay on top.
    """
    sticky = "sticky" if n_words <= MOST_STICKY_WORDS else "static"
    st.html(f"<style>{_PAGE}{_text(colours)}{_strip(colours, sticky)}</style>")


def stack(*parts: str) -> None:
    """Pieces of text below one another, as one element: each element costs the browser at every answer."""
    st.html(f'<div class="stack">{"".join(parts)}</div>')


# No box for a number may be left empty: it would take its last one back.
# Streamlit keeps a widget that has given way to another while it has the focus, as a pressed button has. It
# would go as the mouse is pressed on what stands beside it, and move that: clicks on "Cancel" were lost so.
_PAGE = """
[data-testid="stNumberInputClearButton"]{display:none}
[data-retained]:has(>[data-testid="stButton"]){display:none!important}
/* Streamlit's own "Stop" would end the page halfway; what takes long has a Cancel. */
[data-testid="stStatusWidget"] button{display:none}
.stack>div+div{margin-top:1rem}
.st-key-layer-head{flex-wrap:nowrap}
.st-key-layer-head>*{min-width:0}
.st-key-head-title{row-gap:0!important;margin-bottom:-.7rem}
.st-key-head-title>:last-child{flex:1 0 100%}
[data-testid="stMainBlockContainer"]{max-width:1240px;padding:3.6rem 2rem 4rem}
[data-testid="stSidebarHeader"]{padding-bottom:0;height:2.6rem}
[data-testid="stSidebar"] [data-testid="stWidgetLabel"] p{font-size:.87rem}
.st-key-pair [data-testid="stHorizontalBlock"],.st-key-cell [data-testid="stHorizontalBlock"]{
  flex-wrap:wrap;row-gap:1.5rem}
.st-key-pair [data-testid="stColumn"],.st-key-cell [data-testid="stColumn"]{min-width:min(420px,100%)}
[class*=st-key-example] button{min-height:1.5rem;padding:0}
@media (max-width:1100px){
  [data-testid="stHorizontalBlock"]:has(>[data-testid="stColumn"] [class*=st-key-shown-]){
    flex-wrap:wrap;row-gap:1.5rem}
  [data-testid="stColumn"]:has([class*=st-key-shown-]){min-width:min(420px,100%)}
}
@media (max-width:900px){
  [data-testid="stSidebar"]{min-width:224px!important;width:224px!important}
  [data-testid="stSidebarContent"]{padding-left:.3rem;padding-right:.3rem}
  [data-testid="stSidebarUserContent"]{padding-left:.6rem;padding-right:.6rem}
  [data-testid="stSidebar"] [data-testid="stHorizontalBlock"]{flex-wrap:wrap}
  [data-testid="stSidebar"] [data-testid="stColumn"],.st-key-layer-head>*{min-width:100%}
  .st-key-layer-head{flex-wrap:wrap}
  [data-testid="stMainBlockContainer"]{padding:3.6rem 1.1rem 3rem}
}
"""


# Streamlit's own colours for a primary button, a label that can be opened, the chosen one of several and an
# open menu have too little contrast in one theme or the other.
def _text(p: Palette) -> str:
    roles = "".join(
        f".{letter}{{color:{colour};font-weight:600}}"
        for letter, colour in (("q", p.query), ("k", p.key), ("v", p.value), ("z", p.output))
    )
    return f"""
.brand{{font:600 1.75rem/1.1 "Source Serif",serif;letter-spacing:-.01em}}
.brand small{{font:400 .95rem "Source Sans",sans-serif;color:{p.text2};letter-spacing:0;margin-left:.6rem}}
.title{{font:600 1.25rem/1.3 "Source Serif",serif;margin:0}}
.title.line{{line-height:33px}}
.title.small{{font-size:1.0625rem}}
.brand h1,.title h2,.title h3{{display:inline;font:inherit;letter-spacing:inherit;color:inherit;padding:0;
  margin:0}}
.title .m{{font:400 .95rem "Source Sans",sans-serif;color:{p.text2};margin-left:.5rem;
  font-variant-numeric:tabular-nums}}
.cap{{font-size:.9rem;line-height:1.45;color:{p.text2};max-width:68ch}}
.cap.wide{{max-width:none}}
.cap b,.note b{{font-weight:600;color:{p.ink}}}
.cap i{{font-family:"Source Serif",serif}}
.note{{font-size:1rem;line-height:1.5;max-width:64ch;margin-top:.4rem}}
.checks{{font-size:.8rem;line-height:1.6;color:{p.text2};font-variant-numeric:tabular-nums}}
.bars{{display:grid;grid-template-columns:max-content 1fr max-content;gap:2px 12px;align-items:center;
  font-size:.9rem;line-height:1.35;font-variant-numeric:tabular-nums;margin-top:.35rem;max-width:26rem}}
.bars i{{display:block;height:9px;border-radius:2px;min-width:1px;background:{p.beam}}}
.bars small{{color:{p.text2};margin-left:.5rem}}
.bars.moved i{{background:{p.output}}}
[class*=st-key-example] button{{color:{p.text2}}}
[class*=st-key-example] button:hover{{color:{p.ink}}}
[data-testid="stMultiSelect"] [data-tag]{{background:{p.line};color:{p.ink}}}
[data-testid="stBaseButton-primary"]{{color:{p.bg}}}
[data-variant="segmented_control"][data-selected]{{background:{p.primary}1A!important}}
[data-testid="stPopoverButton"][kind="tertiary"][aria-expanded="true"]{{color:{p.primary}}}
[data-testid="stExpander"] summary{{opacity:1;color:{p.text2}}}
[data-testid="stExpander"] summary:hover{{color:{p.ink}}}
[data-testid="stCode"] .token{{color:{p.ink}!important}}
{roles}"""


def _strip(p: Palette, position: str) -> str:
    # The strip's key sits in a wrapper of its own height, so the wrapper is what has to stick.
    return f"""
@media (min-width:901px){{
  [data-testid="stLayoutWrapper"]:has(>.st-key-strip){{position:{position};top:3rem;z-index:50}}
}}
.st-key-strip{{background:{p.bg};padding:.6rem 0 .55rem;box-shadow:0 1px 0 {p.line}}}
"""
