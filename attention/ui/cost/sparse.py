"""Sparse patterns on the page: the bars of all, the picture of one."""

from __future__ import annotations

import streamlit as st

from attention.figures.theme import Palette
from attention.ui.cost import pattern_words, words
from attention.ui.cost.choices import PAGE, CostChoices
from attention.ui.cost.head import head_name
from attention.ui.cost.patterns import PATTERNS, every_kept, saved_and_lost, what_is_cut
from attention.ui.facts import of_scene
from attention.ui.scene import Scene
from attention.ui.shown import shown
from attention.ui.titles import title


def sparse(of: Scene, choices: CostChoices, colours: Palette) -> None:
    """What every pattern saves and loses on this head, and what the chosen one cuts."""
    st.html(title(words.SPARSE, f"{head_name(of)} of your sentence"))
    one = of.trace.head(of.view.head)
    every = every_kept(one, choices.reach, of.site.stack.n_real)
    if not every:
        st.html(f'<div class="note">{pattern_words.NOTHING_SEEN}</div>')
        return
    _controls(choices)
    with st.container(key="patterns"):
        left, right = st.columns([6, 5], gap="large")
        with left:
            shown(
                saved_and_lost(every, head_name(of)),
                key="cost-patterns",
                colours=colours,
                caption=pattern_words.patterns_caption(every),
                facts=of_scene(of) | {"reach": str(choices.reach)},
                level=3,
                on_pick=lambda _, at: PAGE.change(pattern=list(PATTERNS)[at]),
            )
        with right:
            found = every[choices.pattern]
            shown(
                what_is_cut(one, found, choices.pattern, (of.query_texts, of.key_texts), of.query),
                key="cost-cut",
                colours=colours,
                caption=pattern_words.cut_caption(found),
                facts=of_scene(of) | {"pattern": PATTERNS[choices.pattern].name, "reach": str(choices.reach)},
                level=3,
            )


def _controls(choices: CostChoices) -> None:
    left, right = st.columns([3, 2], gap="large", vertical_alignment="bottom")
    with left:
        st.selectbox(
            "Pattern",
            list(PATTERNS),
            key=PAGE.held("pattern", choices.pattern),
            format_func=lambda name: PATTERNS[name].name,
            on_change=PAGE.take,
            args=("pattern",),
        )
    with right:
        st.slider(
            "Reach, tokens to each side",
            1,
            max(16, choices.reach),
            key=PAGE.held("reach", choices.reach),
            on_change=PAGE.take,
            args=("reach",),
        )
