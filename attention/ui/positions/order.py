"""Word order: the same words in another order, with positions and without."""

from __future__ import annotations

import html
import random

import streamlit as st

from attention.analysis.words import groups
from attention.errors import AttentionError
from attention.figures.chart import Axis, Chart, Series, SeriesRole
from attention.figures.labels import numbered
from attention.figures.numbers import exact, share
from attention.figures.theme import Palette
from attention.ui.chips import chips
from attention.ui.facts import of_model
from attention.ui.positions import words
from attention.ui.positions.choices import MOST_CHARACTERS, PAGE, TEXT, PositionsChoices
from attention.ui.positions.reordered import EQUAL, Reordered, fitted, n_words, reordered, shuffled
from attention.ui.shown import shown
from attention.ui.view import ViewState
from attention.ui.words import literal

TRY = {"dog, cat": TEXT, "man, dog": "The man bit the dog.", "bank, loan": "The bank approved the loan."}
_ROLES: tuple[SeriesRole, ...] = ("output", "ink", "text2")


def order(view: ViewState, choices: PositionsChoices, colours: Palette) -> None:
    """The sentence, its other order, and how far its vectors moved."""
    st.text_input(
        "Sentence in two orders",
        key=PAGE.held("text", choices.text),
        max_chars=MOST_CHARACTERS,
        label_visibility="collapsed",
        placeholder="Type a sentence",
        on_change=_retyped,
    )
    try:
        count = n_words(view.model, choices.text)
        _examples(view, count)
        wanted, told = fitted(choices, count)
        with st.spinner("Reading both orders in float64"):
            result = reordered(view.model, choices.text, wanted)
    except AttentionError as error:
        st.error(literal(str(error)), icon=":material/error:")
        return
    if told:
        st.warning(literal(told), icon=":material/link_off:")
    _draw(result, colours)


def _examples(view: ViewState, count: int) -> None:
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="examples"):
        st.html('<div class="cap">Try</div>', width="content")
        for at, (name, text) in enumerate(TRY.items()):
            _button(name, f"order-{at}", text=text, order=None)
        if len(view.text) <= MOST_CHARACTERS:
            _button("your sentence", "order-own", text=view.text, order=None)
        _button("turned round", "order-turned", order=None)
        st.button(
            "shuffled",
            key="example-order-shuffled",
            type="tertiary",
            icon=":material/shuffle:",
            on_click=lambda: PAGE.change(order=shuffled(count, random.randrange(1_000_000))),
        )


def _button(name: str, key: str, **fields: object) -> None:
    st.button(name, key=f"example-{key}", type="tertiary", on_click=lambda: PAGE.change(**fields))


def _retyped() -> None:
    PAGE.take("text")
    PAGE.change(order=None)


def _draw(result: Reordered, colours: Palette) -> None:
    st.html(_orders(result))
    st.html(_verdicts(result))
    shown(
        _chart(result),
        key="positions-order",
        colours=colours,
        caption=words.moved(result),
        facts={
            **of_model(result.run.model),
            "first order": " ".join(result.first),
            "second order": " ".join(result.second),
            "computed in": "float64",
            **{
                f"largest difference, {name}": exact(found.difference)
                for name, found in result.results.items()
            },
        },
    )
    st.html(f'<div class="cap wide">{words.ORDER}</div>')


def _orders(result: Reordered) -> str:
    """Both orders, one under the other, word by word; one that occurs twice carries its first position."""
    whole = groups(result.run.tokens)
    shown_as = [chip.shown for chip in chips(result.run.tokens)]
    names = numbered(
        ["".join(shown_as[at] for at in group) for group in whole], [group[0] for group in whole]
    )
    place = {group[0]: at for at, group in enumerate(whole)}
    second = [place[at] for at in result.order if at in place]
    rows = {"first": range(len(whole)), "second": second}
    special = [result.run.tokens[group[0]].special for group in whole]
    lines = "".join(
        f"<small>{name}</small><span>{''.join(_word(names[at], special[at]) for at in order)}</span>"
        for name, order in rows.items()
    )
    return f'<div class="orders">{lines}</div>'


def _word(name: str, special: bool) -> str:
    return f'<bdi class="{"special" if special else "word"}">{html.escape(name)}</bdi>'


def _verdicts(result: Reordered) -> str:
    """A row for each way of telling positions apart: the largest difference, and what it means."""
    rows = "".join(
        f'<tr><th scope="row">{name}</th><td class="number">{share(found.difference)}</td>'
        f"<td>{words.verdict(found, EQUAL)}</td></tr>"
        for name, found in result.results.items()
    )
    head = '<tr><td></td><th scope="col">largest difference of an entry</th><td></td></tr>'
    return f'<table class="verdicts"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _chart(result: Reordered) -> Chart:
    tokens = numbered(result.first)
    series = tuple(
        Series(
            name=name,
            x=range(len(tokens)),
            y=found.distances.numpy(),
            role=role,
            mark="bars" if role == "output" else "points",
        )
        for role, (name, found) in zip(_ROLES, result.results.items(), strict=False)
    )
    return Chart(
        title="How far each final vector turned",
        x=Axis("token", labels=tokens),
        y=Axis("cosine distance between the two orders"),
        series=series,
    )
