"""The switch "predict first", the question, and how far the guess was."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from attention.figures.entries import entry
from attention.ui.worked import session, words
from attention.ui.worked.desk import Desk
from attention.ui.worked.guess import PREDICTABLE, Guess, Step, verdict
from attention.ui.worked.scene import WorkedScene

NAMES: Mapping[str, str] = {"": "Off", **dict(PREDICTABLE.items())}


def predict(scene: WorkedScene) -> None:
    """Which step to predict, the cell that is asked for, and after the guess what is true."""
    desk = scene.desk
    st.segmented_control(
        "Predict first",
        list(NAMES),
        key=session.held("predict", desk.predict),
        format_func=NAMES.__getitem__,
        required=True,
        help="Hides a step and all after it until you have typed a guess for one of its cells.",
        on_change=_choose,
    )
    if desk.hidden:
        _question(scene)
    elif desk.predict and desk.guess is not None:
        _answer(scene, desk.predict, desk.guess)


def answer(scene: WorkedScene, step: Step, guess: Guess) -> float:
    """The number that was guessed."""
    head = scene.head
    matrix = {
        "scores": head.scores,
        "scaled": head.scaled,
        "masked": head.masked,
        "weights": head.weights,
        "output": head.head_output,
    }[step]
    return float(matrix[guess.query, min(guess.key, matrix.shape[1] - 1)])


def _question(scene: WorkedScene) -> None:
    desk = scene.desk
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="predict"):
        st.text_input(
            words.question(scene),
            key=session.held("guess", desk.guess.text if desk.guess else ""),
            placeholder="a number, then Enter",
            max_chars=24,
            width=360,
            on_change=_guess,
        )
        if len(scene.tokens) > 1:
            st.button("Another cell", icon=":material/casino:", type="tertiary", on_click=_another)
    if desk.guess is not None:
        st.error(desk.guess.told, icon=":material/edit_off:")
    else:
        st.html(f'<div class="cap">{words.QUESTION}</div>')


def _answer(scene: WorkedScene, step: Step, guess: Guess) -> None:
    true, guessed = answer(scene, step, guess), guess.number
    if guessed is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="predicted"):
        said = words.answer(scene, guess, entry(guessed), entry(true), verdict(guessed, true))
        st.html(f'<div class="note">{said}</div>', width="content")
        st.button("Guess another", icon=":material/casino:", type="tertiary", on_click=_another)


def _choose() -> None:
    step = st.session_state["worked.predict"]
    session.change(lambda desk: replace(desk, predict=step, guess=None))


def _guess() -> None:
    text = st.session_state["worked.guess"]
    session.change(lambda desk: replace(desk, guess=Guess(text, *desk.pair) if text.strip() else None))


def _another() -> None:
    session.change(another)


def another(desk: Desk) -> Desk:
    """The desk asking for another cell that the mask leaves open, drawn at random."""
    n = len(desk.tokens)
    cells = [(q, k) for q in range(n) for k in range(n) if not (desk.causal and k > q)]
    others = [cell for cell in cells if cell != desk.pair] or cells
    query, key = random.choice(others)
    return replace(desk, query=query, key=key, guess=None)
