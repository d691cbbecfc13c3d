"""The two sentences, the examples, and which word is followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import streamlit as st

from attention.figures.labels import plain_label
from attention.ui.context.choices import FIRST, MOST_CHARACTERS, PAGE, SECOND, ContextChoices
from attention.ui.context.parted import Parted, Place
from attention.ui.view import ViewState


@dataclass(frozen=True)
class Example:
    """Sentences one click away.

    Attributes:
        choices: What the click chooses.
        word: The word it is about.
        reading: How people read the word in its two places; it speaks of English and of no model.
    """

    choices: ContextChoices
    word: str
    reading: str


TRY: Mapping[str, Example] = {
    "bank, bank": Example(
        ContextChoices(first=FIRST, second=SECOND),
        "bank",
        "People read a lender first, then a river’s edge.",
    ),
    "bank, twice": Example(
        ContextChoices(first="The bank by the river bank approved the loan.", second=""),
        "bank",
        "One sentence, the word in it twice: people read a lender first, then a river’s edge.",
    ),
    "light, light": Example(
        ContextChoices(first="The light in the room was bright.", second="The bag was light."),
        "light",
        "People read what shines in the first and what weighs little in the second.",
    ),
    "it, it": Example(
        ContextChoices(
            first="The animal crossed the road because it was frightened.",
            second="The animal crossed the road because it was empty.",
            word="it",
        ),
        "it",
        "People read the animal in the first and the road in the second; one word at the end differs.",
    ),
}


def reading(choices: ContextChoices, word: str) -> str:
    """How people read the word that is followed, where all is as an example has it; else nothing is known."""
    told = {(one.choices.first, one.choices.second, one.word): one.reading for one in TRY.values()}
    return told.get((choices.first, choices.second, word), "")


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
            _button(name, f"context-{at}", example.choices)
        if len(view.text) <= MOST_CHARACTERS:
            _button("your sentence", "context-own", ContextChoices(first=view.text, second=""))


def followed(found: Parted) -> None:
    """Which word, and which of its occurrences where there are several."""
    titles = ("First place", "Second place") if found.one_sentence else ("In the first", "In the second")
    asked = (("at", titles[0], found.first), ("other", titles[1], found.second))
    several = [one for one in asked if len(one[2].places) > 1]
    with st.container(horizontal=True, gap="small", key="context-followed"):
        held = PAGE.held("word", found.word)
        st.selectbox("Word", found.words, key=held, width=_WIDTH, on_change=_another_word)
        st.selectbox(
            "Layer shown",
            range(found.n_layers),
            key=PAGE.held("layer", found.layer),
            format_func=lambda at: f"L{at}, where they part most" if at == found.parting else f"L{at}",
            width=_WIDTH,
            on_change=PAGE.take,
            args=("layer",),
        )
        for name, title, place in several:
            _occurrence(name, title, place)


_WIDTH = 240
"""Room for the longest of what can be chosen; where they do not fit in one row, they wrap."""


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
        format_func=lambda at: f"{positions[at]}: {_around(place, positions[at])}",
        width=_WIDTH,
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
