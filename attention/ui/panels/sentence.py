"""The sentence: a box to type it in, examples, and what is said when the model cannot take it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attention.errors import AttentionError
from attention.figures.theme import Palette
from attention.ui import cache, state, titles
from attention.ui.components import Item, examples
from attention.ui.cutting import cut
from attention.ui.view import ViewState
from attention.ui.words import EXAMPLES, TAGLINE, literal

TOY, TOY_TEXT = "worked-example", "I learn"
"""The model that knows two words, and both of them."""

MOST_IDS = 4

MOST_BOXES = 4
"""More faults of a link than this stand in one box, so that the page is not pushed away."""


def brand() -> None:
    """The name and what it is."""
    st.html(titles.brand("Headlight", TAGLINE))


def sentence(view: ViewState, colours: Palette) -> None:
    """The text box, the examples below it, and the second sentence where it is wanted."""
    st.text_input(
        "Sentence",
        key=state.held("text", view.text),
        label_visibility="collapsed",
        placeholder="Type a sentence",
        on_change=state.take,
        args=("text", retype),
    )
    if view.pair is not None:
        st.text_input(
            "Second sentence",
            key=state.held("pair", view.pair),
            label_visibility="collapsed",
            placeholder="Second sentence",
            on_change=state.take,
            args=("pair", _pair),
        )
    to_try = [Item(example.label, example.text) for example in EXAMPLES]
    examples([*to_try, _pair_switch(view)], colours, on_pick=_use)


def link_warnings(told: Sequence[str]) -> None:
    """What was wrong with the link or does not fit the model."""
    lines = [literal(sentence) for sentence in told]
    for text in lines if len(lines) <= MOST_BOXES else ["  \n".join(lines)]:
        st.warning(text, icon=state.told_icon())


def refusal(view: ViewState, error: AttentionError) -> None:
    """Why the model cannot take this, and a way to cut what is too long."""
    st.error(literal(str(error)), icon=":material/error:")
    shorter = cut(view)
    if shorter is None or view.model == TOY:
        _offer(view, TOY_TEXT if view.model == TOY else _ids(view.model))
        return
    st.button(
        f"Cut to the first {shorter.n_tokens} tokens",
        icon=":material/content_cut:",
        help=f"Keeps {shorter.n_tokens} of {shorter.n_before} tokens, the most {view.model} can take.",
        on_click=state.show,
        args=(view.on_another_text(text=shorter.text, pair=shorter.pair),),
    )


def _offer(view: ViewState, known: str | None) -> None:
    """A text that the model can read; nothing where there is none to offer, or it is the one refused."""
    if known is not None and known != view.text:
        readable = view.on_another_text(text=known, pair=None, target=None)
        st.button(f"Read “{known}”", on_click=state.show, args=(readable,))


def _ids(model: str) -> str | None:
    """The first ids of a vocabulary, for a model that takes nothing else."""
    try:
        opened = cache.model(model)
    except AttentionError:
        return None
    n = min((opened.encoder_config or opened.config).d_vocab, MOST_IDS)
    return None if opened.tokenizer else " ".join(map(str, range(n)))


def _pair_switch(view: ViewState) -> Item:
    if view.pair is None:
        return Item("+ second sentence", "A box for a second sentence, read with the first")
    return Item("− second sentence", "Takes the second sentence away")


def _use(at: int) -> None:
    """Take up an example; what stands behind the last of them switches the second sentence."""
    current = state.current()
    if at == len(EXAMPLES):
        state.show(current.on_another_text(pair="" if current.pair is None else None))
    else:
        example = EXAMPLES[at]
        state.show(replace(current.on_another_text(text=example.text), query=example.query))


def retype(value: str) -> Mapping[str, Any]:
    """The fields of the view for a sentence that was typed anew."""
    return fields(state.current().on_another_text(text=value))


def _pair(value: str) -> Mapping[str, Any]:
    return fields(state.current().on_another_text(pair=value))


def fields(view: ViewState) -> Mapping[str, Any]:
    """What changes in the view when other tokens are read."""
    changed = ("text", "pair", "target", "query", "key", "mask", "elsewhere", "pad")
    return {name: getattr(view, name) for name in changed}
