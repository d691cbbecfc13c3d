"""The two sentences, the examples, and which word is followed."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from attention.figures.labels import plain_label
from attention.ui.context.choices import FIRST, MOST_CHARACTERS, PAGE, SECOND, ContextChoices
from attention.ui.context.parted import Parted, Place
from attention.ui.view import ViewState

TRY = {
    "bank, bank": ContextChoices(first=FIRST, second=SECOND),
    "bank, twice": ContextChoices(first="The bank by the river bank approved the loan.", second=""),
    "light, light": ContextChoices(first="The light in the room was bright.", second="The bag was light."),
    "it, it": ContextChoices(
        first="The animal crossed the road because it was frightened.",
        second="The animal crossed the road because it was empty.",
        word="it",
    ),
}


def sentences(view: ViewState, choices: ContextChoices) -> None:
    """A text box each, and examples below them."""
    left, right = st.columns(2, gap="medium")
    with left:
        _box("first", "First sentence", choices.first, "Type a sentence")
    with right:
        _box("second", "Second sentence", choices.second, "Leave empty to compare within the first")
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="examples"):
        st.html('<div class="cap">Try</div>', width="content")
        for at, (name, example) in enumerate(TRY.items()):
            _button(name, f"context-{at}", example)
        if len(view.text) <= MOST_CHARACTERS:
            _button("your sentence", "context-own", ContextChoices(first=view.text, second=""))


def followed(found: Parted) -> None:
    """Which word, and which of its occurrences where there are several."""
    again = "Where, again" if found.one_sentence else "Where, in the second"
    asked = (("at", "Where, in the first", found.first), ("other", again, found.second))
    several = [one for one in asked if len(one[2].places) > 1]
    word, layer, *places = st.columns(4, gap="small")
    with word:
        held = PAGE.held("word", found.word)
        st.selectbox("Word", found.words, key=held, on_change=_another_word)
    with layer:
        st.selectbox(
            "Layer shown",
            range(found.n_layers),
            key=PAGE.held("layer", found.layer),
            format_func=lambda at: f"L{at}, where they part most" if at == found.parting else f"L{at}",
            on_change=PAGE.take,
            args=("layer",),
        )
    for column, (name, title, place) in zip(places, several, strict=False):
        with column:
            _occurrence(name, title, place)


def _box(name: str, title: str, value: str, invite: str) -> None:
    st.text_input(
        title,
        key=PAGE.held(name, value),
        max_chars=MOST_CHARACTERS,
        placeholder=invite,
        on_change=_retyped,
        args=(name,),
    )


def _occurrence(name: str, title: str, place: Place) -> None:
    positions = [one.positions[0] for one in place.places]
    st.selectbox(
        title,
        range(len(positions)),
        key=PAGE.held(name, place.places.index(place.chosen)),
        format_func=lambda at: f"position {positions[at]}: {_around(place, positions[at])}",
        on_change=PAGE.take,
        args=(name,),
    )


def _around(place: Place, at: int) -> str:
    """The token with its neighbours, so that one occurrence is told from another."""
    tokens = place.tokens[max(0, at - 1) : at + 2]
    return " ".join(plain_label(token) for token in tokens)


def _button(name: str, key: str, example: ContextChoices) -> None:
    fields = asdict(example)
    st.button(name, key=f"example-{key}", type="tertiary", on_click=lambda: PAGE.change(**fields))


def _retyped(name: str) -> None:
    """Another sentence: which occurrence it was means nothing in it, the word may."""
    PAGE.take(name)
    PAGE.change(at=0, other=None)


def _another_word() -> None:
    PAGE.take("word")
    PAGE.change(at=0, other=None)
