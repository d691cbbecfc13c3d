"""The page's pictures: both sentences lit, the cosine layer by layer, and what each word gathered."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attention.figures.chart import Axis, Chart, Series
from attention.figures.labels import numbered
from attention.figures.theme import Palette
from attention.ui.chips import chips
from attention.ui.components.token_strip import token_strip
from attention.ui.context import words
from attention.ui.context.choices import PAGE, ContextChoices
from attention.ui.context.controls import reading
from attention.ui.context.parted import Parted, Place
from attention.ui.facts import of_model
from attention.ui.shown import shown


def summary(found: Parted, choices: ContextChoices) -> None:
    """The point: how people read it, the cosine at both ends, and what that can be held against."""
    if said := reading(choices, found.word):
        st.html(f'<div class="cap wide">{said}</div>')
    st.html(f'<div class="note wide">{words.summary(found)}</div>')
    if said := words.meaning(found):
        st.html(f'<div class="note">{said}</div>')
    if said := words.pieces(found):
        st.html(f'<div class="cap">{said}</div>')


def lit(found: Parted, colours: Palette) -> None:
    """Both sentences, each lit by what its word gathered in the layer that is shown."""
    for name, place in (("first", found.first), ("second", found.second)):
        with st.container(key=f"context-{name}", gap=None):
            token_strip(
                chips(place.run.tokens),
                weights=place.gathered(found.layer),
                allowed=place.open(found.layer),
                query=place.chosen.positions[0],
                key=None,
                palette=colours,
                label=f"Tokens of the {name} sentence; choose a word to follow",
                element_key=f"context.{name}",
                on_pick=_pick(found, place, name),
            )
    st.html(f'<div class="cap wide">{words.light(found)}</div>')


def _pick(found: Parted, place: Place, name: str) -> Callable[[int], None]:
    """What a click on a token does: its word is followed, if it can be."""

    def pick(position: int) -> None:
        word, occurrence = place.word_at(position)
        if word in found.words:
            fresh = {} if word == found.word else {"at": 0, "other": None}
            PAGE.change(**(fresh | {"word": word, "at" if name == "first" else "other": occurrence}))

    return pick


def curve(found: Parted, colours: Palette) -> None:
    """The cosine at each door, and the same with the other words."""
    doors = range(found.n_layers + 1)
    same = Series(
        name=found.word,
        x=doors,
        y=found.alike,
        role="output",
        mark="both",
    )
    strangers = Series(
        name="with the other words there",
        x=doors,
        y=found.alike if found.strangers is None else found.strangers,
        role="text2",
        dashed=True,
    )
    chart = Chart(
        title=f"Cosine of “{found.word}” in its two places, layer by layer",
        x=Axis("after layer", labels=tuple(words.door(at, found.n_layers) for at in doors)),
        y=Axis("cosine"),
        series=(same,) if found.strangers is None else (same, strangers),
    )
    shown(chart, key="context-cosines", colours=colours, caption=words.curve(found), facts=_facts(found))


def gathered(found: Parted, colours: Palette) -> None:
    """What each of the two words mixed in the layer that is shown."""
    columns = st.columns(2, gap="large")
    places = (("first", found.first), ("second", found.second))
    # One scale for both: a bar is compared with the one beside it.
    end = 1.05 * max(float(place.gathered(found.layer).max()) for _, place in places)
    for column, (name, place) in zip(columns, places, strict=True):
        tokens = numbered(place.tokens)
        chart = Chart(
            title=f"What “{found.word}” gathered in L{found.layer}, {_where(found, name)}",
            x=Axis("token", labels=tokens),
            y=Axis("mean weight", range=(0, end)),
            series=(
                Series(
                    "mean weight of all heads",
                    range(len(tokens)),
                    place.gathered(found.layer),
                    "weight",
                    "bars",
                ),
            ),
        )
        caption = words.gathered(place, found.layer)
        with column:
            shown(chart, key=f"context-{name}", colours=colours, caption=caption, facts=_facts(found))


def _where(found: Parted, name: str) -> str:
    return f"{name} time" if found.one_sentence else f"{name} sentence"


def _facts(found: Parted) -> dict[str, str]:
    model = found.first.run.model
    other = {} if found.one_sentence else {"other text": found.second.text}
    positions = [", ".join(map(str, place.chosen.positions)) for place in (found.first, found.second)]
    word = {"word": f"{found.word}, at {positions[0]} and at {positions[1]}"}
    return of_model(model, text=found.first.text) | other | word
