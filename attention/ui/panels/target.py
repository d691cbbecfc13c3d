"""What an encoder–decoder has written: a box to type it in, or what the model wrote by itself."""

from __future__ import annotations

import html
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import streamlit as st

from attention.checkpoints.tokens import Token
from attention.figures.labels import plain_label
from attention.model import Model
from attention.run import Run
from attention.ui import state
from attention.ui.panels.sentence import fields
from attention.ui.scene import Scene
from attention.ui.view import ViewState
from attention.writing import rules

MOST_SHOWN = 120


def target(view: ViewState, model: Model) -> None:
    """The box; nothing for a model of one stack."""
    if model.encoder is None:
        return
    st.text_input(
        "Target",
        key=state.held("target", view.target or ""),
        label_visibility="collapsed",
        placeholder="Target: what the decoder has written. Leave it empty and the model writes by itself.",
        on_change=state.take,
        args=("target", _target),
    )


def writing(view: ViewState, model: Model) -> AbstractContextManager[None]:
    """What is shown while the model writes: a token at a time, it takes as many runs as it writes tokens."""
    writes = model.encoder is not None and not view.target
    return st.spinner("The model writes the target") if writes else nullcontext()


def written(scene: Scene) -> None:
    """What the model wrote by itself, or that the target is the reader's."""
    if scene.run.encoder is None:
        return
    if scene.view.target:
        st.html('<div class="cap">The target is yours. Empty its box and the model writes by itself.</div>')
        return
    changed = " It wrote this before your changes and reads it under them." if scene.view.changed else ""
    said = f"The model wrote <b><bdi>{html.escape(_text(scene.run))}</bdi></b>"
    how = "at each step the likeliest token (greedy)"
    st.html(f'<div class="cap wide">{said}: {how}{_end(scene.run)}.{changed}</div>')


def _text(run: Run) -> str:
    """The tokens as one readable line, without the special ones."""
    own = [token for token in run.tokens[1:] if not token.special]
    before: list[Token | None] = [None, *own]
    pieces = (_spaced(token, earlier) for token, earlier in zip(own, before, strict=False))
    return plain_label("".join(pieces).strip(), MOST_SHOWN) or "nothing"


def _spaced(token: Token, earlier: Token | None) -> str:
    """A piece with the space that parts it from the word before."""
    if token.shown.startswith(" ") or (earlier is not None and earlier.word == token.word):
        return token.shown.removeprefix("##")
    return f" {token.shown}"


def _end(run: Run) -> str:
    """Whether it came to an end by itself."""
    stops = rules(run.model.checkpoint.config).stops
    n = len(run.tokens) - 1
    return f", {n} tokens with its stop" if run.tokens[-1].id in stops else f", stopped after {n} tokens"


def _target(value: str) -> Mapping[str, Any]:
    current = state.current()
    return fields(current.on_another_text(target=value or None, pad=current.pad))
