"""The sentence as the model sees it, lit by what the query in focus looks at."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention.checkpoints.tokens import Token
from attention.figures.labels import plain_label
from attention.figures.theme import Palette
from attention.run import Run
from attention.sites import Site
from attention.ui import state
from attention.ui.between import axes, between_words, word_light_of_all
from attention.ui.captions import isolated
from attention.ui.chips import chips
from attention.ui.components.token_strip import Chip, token_strip
from attention.ui.panels.as_read import as_read
from attention.ui.panels.light import light_caption
from attention.ui.scene import Scene
from attention.ui.subjects import light_of_keys
from attention.ui.whole_words import RULE, STAY
from attention.ui.words import KINDS, role

MOST_UNKNOWN = 5
MOST_CHIPS = 400
MOST_OUTSIDE, BRIGHT = 3, 0.05
SOURCE, TARGET = "Source, read by the encoder", "Target, written by the decoder"


def strip(scene: Scene, colours: Palette) -> None:
    """The chips; a click puts a token in focus as the query. An encoder–decoder has two strips of them."""
    with st.container(key="strip", gap=None):
        if scene.run.encoder is None:
            _reading(scene, colours)
        else:
            _source(scene, scene.run.encoder, colours)
            _target(scene, colours)
        light_caption(scene)
        _unknown(scene)
        as_read(scene)
    if between_words(scene):
        st.html(f'<div class="cap wide">{RULE} {STAY}</div>')


def _reading(scene: Scene, colours: Palette, label: str = "Tokens of the sentence; choose the query") -> None:
    """A sequence that looks at itself."""
    if scene.long:
        _part_of(scene, colours, label)
        return
    gives = scene.view.light == "gives"
    words = between_words(scene)
    if gives:
        weights, allowed = word_light_of_all(scene) if words else (scene.head.weights, scene.head.allowed)
    else:
        weights, allowed = light_of_keys(scene)
    token_strip(
        _chips(scene, scene.site.queries),
        weights=weights,
        allowed=allowed,
        query=scene.query,
        key=scene.key,
        palette=colours,
        light=scene.view.light,
        by_words=words,
        label=label,
        on_pick=lambda query: state.change(query=query),
    )


def _part_of(scene: Scene, colours: Palette, label: str) -> None:
    """The chips round the query in focus, of a text that has too many."""
    n = len(scene.site.keys)
    start = min(max(scene.query - MOST_CHIPS // 2, 0), max(n - MOST_CHIPS, 0))
    shown = range(start, min(start + MOST_CHIPS, n))
    weights, allowed = light_of_keys(scene)
    token_strip(
        _chips(scene, scene.site.keys)[start : shown.stop],
        weights=weights[start : shown.stop],
        allowed=allowed[start : shown.stop],
        query=scene.query - start,
        key=scene.key - start if scene.key in shown else None,
        palette=colours,
        light=scene.view.light,
        by_words=between_words(scene),
        label=label,
        first=start,
        on_pick=lambda chip: state.change(query=start + chip),
    )
    if len(shown) < n:
        said = f"Tokens {start:,}–{shown[-1]:,} of {n:,}: those round the query in focus."
        st.html(f'<div class="cap">{said}{_lit_outside(scene, weights, shown)}</div>')


def _lit_outside(scene: Scene, weights: NDArray[np.floating[Any]], shown: range) -> str:
    """What gets most light among what is not shown."""
    keys = axes(scene)[1]
    names, light = keys.numbered(), weights[list(keys.positions)]
    outside = [at for at, position in enumerate(keys.positions) if position not in shown]
    lit = sorted((at for at in outside if light[at] >= BRIGHT), key=lambda at: -light[at])[:MOST_OUTSIDE]
    if not lit:
        return ""
    listed = ", ".join(f"{role('k', isolated(names[at]))} {light[at]:.2f}" for at in lit)
    return f" <b>Lit outside them:</b> {listed}."


def _source(scene: Scene, encoder: Run, colours: Palette) -> None:
    _name(SOURCE)
    if scene.view.site == "encoder":
        _reading(scene, colours, "Tokens of the source; choose the query")
    elif scene.crossing:
        weights, allowed = light_of_keys(scene)
        token_strip(
            _chips(scene, encoder.tokens),
            weights=weights,
            allowed=allowed,
            query=None,
            key=scene.key,
            palette=colours,
            light=scene.view.light,
            by_words=between_words(scene),
            label="Tokens of the source; choose the key",
            element_key="source",
            on_pick=lambda key: state.change(key=key),
        )
    else:
        _unlit(encoder.tokens, colours, "source", "encoder")


def _target(scene: Scene, colours: Palette) -> None:
    _name(TARGET)
    if scene.view.site == "self":
        _reading(scene, colours, "Tokens of the target; choose the query")
    elif scene.crossing:
        token_strip(
            _chips(scene, scene.site.queries),
            weights=None,
            allowed=None,
            query=scene.query,
            key=None,
            palette=colours,
            label="Tokens of the target; choose the query",
            on_pick=lambda query: state.change(query=query),
        )
    else:
        _unlit(scene.run.tokens, colours, "target", "self")


def _unlit(tokens: tuple[Token, ...], colours: Palette, key: str, site: Site) -> None:
    """A sequence that the chosen attention does not touch; a click goes over to the one that does."""
    token_strip(
        chips(tokens),
        weights=None,
        allowed=None,
        query=None,
        key=None,
        palette=colours,
        label=f"Tokens of the {key}; choosing one shows the {KINDS[site]}",
        element_key=key,
        on_pick=lambda query: state.show(replace(state.current().at(site), query=query)),
    )


def _chips(scene: Scene, tokens: Sequence[Token]) -> tuple[Chip, ...]:
    tokenizer = scene.run.model.tokenizer
    return chips(tokens, None if tokenizer is None else tokenizer.unknown_id)


def _unknown(scene: Scene) -> None:
    """What an unknown token stands for, and what the model makes of it."""
    read = scene.run.encoder or scene.run
    unknown = [chip for chip in _chips(scene, read.tokens) if chip.unknown]
    if not unknown:
        return
    texts = (scene.view.text, scene.view.pair or "")
    lost = dict.fromkeys(texts[chip.segment][chip.start : chip.end] for chip in unknown)
    listed = ", ".join(f"<bdi>{html.escape(plain_label(text))}</bdi>" for text in list(lost)[:MOST_UNKNOWN])
    more = f" and {len(lost) - MOST_UNKNOWN} more" if len(lost) > MOST_UNKNOWN else ""
    token = html.escape(plain_label(unknown[0].raw))
    why = "the vocabulary has no piece for it, and whatever is unknown looks alike to the model"
    st.html(f'<div class="cap wide"><b>{token}</b> stands for {listed}{more}: {why}.</div>')


def _name(text: str) -> None:
    st.html(f'<div class="cap">{text}</div>')
