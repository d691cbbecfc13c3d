"""The page: what attention is in one line, the path, the glossary."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention.figures.theme import Palette
from attention.ui import url
from attention.ui.start import links
from attention.ui.start.glossary import GLOSSARY, Term
from attention.ui.start.steps import PATH, PathStep
from attention.ui.titles import title
from attention.ui.words import literal

TITLE, LINE = "Start here", "attention in seven steps, each of them something to try"

_FORMULA = (
    '<div class="idea"><span class="z">Z</span> = softmax(<span class="q">Q</span>'
    '<span class="k">K</span><sup>T</sup> ÷ √d<sub>k</sub>) <span class="v">V</span></div>'
    '<div class="idea-said">Each token asks a question, its <span class="q">query</span>. Every token, also '
    'itself, has a <span class="k">key</span> to be found by and a <span class="v">value</span> to hand on. '
    "How well query and key fit decides how much of each value is mixed into the "
    '<span class="z">output</span>. That is one head; a model has dozens or hundreds.</div>'
)


def told() -> None:
    """What was wrong with the link, one warning each; the page itself has nothing to choose."""
    for sentence in url.read_link(st.query_params.to_dict())[1]:
        st.warning(literal(sentence), icon=":material/link_off:")


def idea() -> None:
    """The whole of it in one line and three sentences."""
    st.html(_FORMULA)


def path() -> None:
    """Seven steps, one under the other, in two columns where there is room."""
    st.html(title("Seven steps", "in this order, or in any other"))
    middle = (len(PATH) + 1) // 2
    with st.container(key="path"):
        for column, first in zip(st.columns(2, gap="large"), (0, middle), strict=True):
            with column:
                for at, step in enumerate(PATH[first : first + middle], start=first + 1):
                    _step(at, step)


def glossary() -> None:
    """The words, by what they speak of."""
    st.html(title("Words", "and where to try each", kind="words"))
    with st.container(key="glossary"):
        for section, terms in GLOSSARY.items():
            st.html(f'<h3 class="section">{section}</h3>')
            _terms(terms)


def _step(at: int, step: PathStep) -> None:
    with st.container(key=f"step-{at}", gap=None):
        st.html(
            f'<div class="step"><span class="number">{at}</span><div><h3 class="name">{step.title}</h3>'
            f'<div class="text">{step.text}</div></div></div>'
        )
        for link in step.links:
            links.show(link)


def _terms(terms: Sequence[Term]) -> None:
    """Terms in columns as high as one another."""
    for column, first in zip(st.columns(2, gap="large"), (0, (len(terms) + 1) // 2), strict=True):
        with column:
            for term in terms[first : first + (len(terms) + 1) // 2]:
                st.html(f'<div class="term"><b>{term.name}</b> {term.text}</div>')
                links.show(term.link)


def style(colours: Palette) -> None:
    """What this page adds to the style sheet."""
    st.html(
        f"""<style>
.idea{{font:400 1.75rem/1.4 "Source Serif",serif;margin:.4rem 0 .3rem;white-space:nowrap}}
.idea span{{font-weight:600}} .idea sup,.idea sub{{font-size:60%;line-height:0}}
.idea-said{{font-size:1rem;line-height:1.55;max-width:74ch}}
.step{{display:grid;grid-template-columns:2.2rem 1fr}}
.step .number{{font:600 1.5rem/1.15 "Source Serif",serif;color:{colours.primary}}}
.step .name{{font:600 1.0625rem/1.5 "Source Serif",serif;letter-spacing:0;margin:0;padding:0}}
.step .text{{font-size:.95rem;line-height:1.5;color:{colours.text2};max-width:58ch}}
.step .text b{{color:{colours.ink};font-weight:600}}
[class*=st-key-step-]{{padding-bottom:.9rem}}
[class*=st-key-step-] [data-testid="stPageLink"]{{margin-left:1.75rem}}
.st-key-path [data-testid="stHorizontalBlock"],.st-key-glossary [data-testid="stHorizontalBlock"]{{
  flex-wrap:wrap;row-gap:.9rem}}
.st-key-path [data-testid="stColumn"],.st-key-glossary [data-testid="stColumn"]{{min-width:min(420px,100%)}}
.st-key-glossary [data-testid="stColumn"]>[data-testid="stVerticalBlock"]{{gap:.1rem}}
.section{{font:400 .87rem/1.6 "Source Sans",sans-serif;letter-spacing:.02em;color:{colours.text2};
  margin:.6rem 0 0;padding:0}}
.term{{font-size:.95rem;line-height:1.5;max-width:62ch}}
.term b{{font-weight:600;margin-right:.3rem}} .term sub,.name sub{{line-height:0}}
.st-key-glossary [data-testid="stPageLink"]{{margin:-.25rem 0 .55rem -.5rem}}
[data-testid="stPageLink"] a p{{color:{colours.primary}}}
</style>"""
    )
