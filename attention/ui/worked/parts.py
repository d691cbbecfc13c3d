"""The page's pictures: the lit sentence, the seven steps, one cell."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from attention.figures.board import board as make_board
from attention.figures.cell import chain, value_mix
from attention.figures.entries import weighted_sum
from attention.figures.reckoning import product_lines, reckoning
from attention.figures.theme import Palette
from attention.ui.chips import chips
from attention.ui.components.board import board
from attention.ui.components.markup import markup, value_table
from attention.ui.components.token_strip import token_strip
from attention.ui.titles import title
from attention.ui.worked import session, words
from attention.ui.worked.desk import EXAMPLE
from attention.ui.worked.editors import complaints, matrices
from attention.ui.worked.predict import predict
from attention.ui.worked.scene import WorkedScene

STEP_NAMES = {
    "scores": "Scores",
    "scaled": "Scaled",
    "masked": "Masked",
    "weights": "Weights",
    "output": "Weighted sum",
}
"""The steps that can be hidden, by the names they have on the board."""


def strip(scene: WorkedScene, colours: Palette) -> None:
    """The tokens, lit by what the query in focus looks at, and the same in a sentence."""
    with st.container(key="strip", gap=None):
        token_strip(
            chips(scene.pieces),
            weights=None if "weights" in scene.desk.hidden else scene.head.weights,
            allowed=scene.head.allowed,
            query=scene.query,
            key=scene.key,
            palette=colours,
            element_key="worked.tokens",
            on_pick=lambda query: _choose(query, scene.key),
        )
    if "weights" not in scene.desk.hidden:
        st.html(f'<div class="note">{words.mixes(scene)}</div>')


def numbers(scene: WorkedScene) -> None:
    """Everything that can be changed."""
    st.html(title("The numbers", words.HOW_TO))
    st.html(f'<div class="cap wide">{words.point(scene)}</div>')
    matrices(scene.desk)
    complaints(scene.desk, EXAMPLE, words.STALE)


def steps(scene: WorkedScene, colours: Palette) -> None:
    """The board; a click on any cell follows another pair."""
    old = " · the last numbers that could all be read" if scene.desk.complaints() else ""
    st.html(title("Seven steps", f"one row followed all the way{old}"))
    st.html(f'<div class="cap wide">{words.steps_caption(scene)}</div>')
    predict(scene)
    drawn = make_board(
        scene.head,
        tokens=scene.tokens,
        query=scene.query,
        key=scene.key,
        palette=colours,
        scale_text=scene.scale_text,
        hidden={STEP_NAMES[step] for step in scene.desk.hidden},
    )
    board(drawn, n=len(scene.tokens), element_key="worked.board", on_pick=lambda pair: _choose(*pair))


def cell(scene: WorkedScene, colours: Palette) -> None:
    """Products, the way to the weight, and what the query takes away."""
    st.html(title("This cell", words.cell_title(scene)))
    with st.container(key="cell"):
        left, right = st.columns([1, 1], gap="large")
        with left:
            _score(scene, colours)
        with right:
            _mix(scene, colours)


def _score(scene: WorkedScene, colours: Palette) -> None:
    """Products and chain; what would give a hidden number away waits for the guess."""
    head, query, key, hidden = scene.head, scene.query, scene.key, scene.desk.hidden
    if "scores" in hidden:
        st.html(f'<div class="cap">The score of this cell {words.AFTER_GUESS}.</div>')
        return
    score, dims = float(head.scores[query, key]), [str(at) for at in range(head.queries.shape[1])]
    st.html(f'<div class="cap">{words.score_caption(scene)}</div>')
    st.html(reckoning("The score", product_lines(head.queries[query], head.keys[key], score, colours), dims))
    if "weights" in hidden:
        st.html(f'<div class="cap">The way from the score to the weight {words.AFTER_GUESS}.</div>')
        return
    numbers = chain(
        score,
        float(head.scaled[query, key]),
        head.masked[query],
        key,
        palette=colours,
        scale_text=scene.scale_text,
    )
    markup(numbers, element_key="worked.chain")


def _mix(scene: WorkedScene, colours: Palette) -> None:
    if scene.desk.hidden:
        st.html(f'<div class="cap">What the query takes away {words.AFTER_GUESS}.</div>')
        return
    head, query = scene.head, scene.query
    weights, output = head.weights[query], head.head_output[query]
    st.html(f'<div class="cap">{words.mix_caption(scene)}</div>')
    table = value_mix(
        scene.tokens,
        weights,
        head.values,
        output,
        key=scene.key,
        allowed=head.allowed[query],
        palette=colours,
    )
    value_table(table, element_key="worked.mix_table")
    seen = head.allowed[query]
    st.html(weighted_sum(weights[seen].tolist(), head.values[seen].tolist(), output.tolist()))


def _choose(query: int, key: int) -> None:
    session.change(lambda desk: replace(desk, query=query, key=key))
