"""A batch of sentences of unequal length: its ids, its mask, and what padding changes."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from attention.analysis.checks import LAW
from attention.analysis.padding import MOST_SENTENCES, Padded, padded_batch
from attention.checkpoints.tokens import Token
from attention.errors import AttentionError
from attention.figures.labels import plain_label
from attention.figures.numbers import share
from attention.figures.theme import Palette
from attention.ui import cache
from attention.ui.chips import label
from attention.ui.facts import of_model
from attention.ui.masks import pictures, plates, words
from attention.ui.masks.choices import PAGE, lines
from attention.ui.masks.scene import MaskScene
from attention.ui.masks.sections import pair
from attention.ui.shown import NUMBERS, files, shown
from attention.ui.stores import Store
from attention.ui.titles import title
from attention.ui.words import literal

N_KEPT = 32
"""Batches that are kept."""


def batch(scene: MaskScene, colours: Palette) -> None:
    """The sentences, the rectangle they make, the proof, and what goes wrong without the mask."""
    named = title("A batch of unequal sentences", f"one a line, up to {MOST_SENTENCES}", kind="line")
    st.html(f'{named}<div class="cap">{words.BATCH}</div>')
    left, right = pair("masks-batch")
    with left:
        _sentences(scene.choices.batch)
    try:
        rows = _padded(scene.view.model, scene.choices.batch)
    except AttentionError as error:
        left.error(literal(str(error)), icon=":material/error:")
        return
    left.html(f'<div class="note" data-proof>{words.proof(rows)}</div>')
    with right:
        _without(scene, rows, colours)
    st.html(rectangle(scene, rows))
    held = plates.batch_plate(scene, rows, [_tokens(scene, row) for row in rows])
    files(held, colours, offered=NUMBERS)


def _sentences(sentences: tuple[str, ...]) -> None:
    st.text_area(
        "Sentences of the batch",
        key=PAGE.held("batch", "\n".join(sentences)),
        height=124,
        label_visibility="collapsed",
        placeholder="One sentence a line",
        on_change=PAGE.take,
        args=("batch", lines),
    )


def _without(scene: MaskScene, rows: tuple[Padded, ...], colours: Palette) -> None:
    """What open padding does, where it does anything."""
    if not any(row.unmasked > LAW for row in rows):
        return
    own = {"sentences": " / ".join(scene.choices.batch), "computed in": "float64"}
    picture = pictures.unmasked([row.unmasked for row in rows])
    said, facts = words.without_caption(rows), of_model(scene.run.model) | own
    shown(picture, key="masks-padding", colours=colours, caption=said, facts=facts, level=3)


def _padded(model: str, sentences: tuple[str, ...]) -> tuple[Padded, ...]:
    def read() -> tuple[Padded, ...]:
        with st.spinner("Reading the batch in float64"):
            return padded_batch(cache.model(model), sentences)

    return _kept().once((model, sentences), read)


@st.cache_resource(show_spinner=False)
def _kept() -> Store[tuple[str, tuple[str, ...]], tuple[Padded, ...]]:
    return Store(N_KEPT, lambda _: 1, model=lambda key: key[0])


def rectangle(scene: MaskScene, rows: tuple[Padded, ...]) -> str:
    """The batch as a table: token, id and mask of every place, and each row's largest differences."""
    n = len(rows[0].ids)
    places = "".join(f'<th scope="col">{at}</th>' for at in range(n))
    sides = "".join(f'<th class="n" scope="col">{name}</th>' for name in ("with mask", "without"))
    head = f"<tr><th></th>{sides}{places}</tr>"
    body = "".join(_row(number, row, _tokens(scene, row)) for number, row in enumerate(rows, 1))
    frame = 'class="batch" tabindex="0" role="region" aria-label="The batch"'
    return f'<div {frame}><table>{head}{body}</table></div><div class="cap wide">{words.RECTANGLE}</div>'


def _tokens(scene: MaskScene, row: Padded) -> tuple[Token, ...]:
    """What the ids of a row stand for; whoever read its sentence has a tokenizer."""
    tokenizer = scene.untouched.model.tokenizer
    return () if tokenizer is None else tokenizer.decode_ids(row.ids)


def _row(number: int, row: Padded, tokens: Sequence[Token]) -> str:
    places = "".join(_place(token, at < row.n_real) for at, token in enumerate(tokens))
    same, other = share(row.difference), share(row.unmasked)
    numbers = f'<td class="n" data-with>{same}</td><td class="n" data-without>{other}</td>'
    return f'<tr><th scope="row">{number}</th>{numbers}{places}</tr>'


def _place(token: Token, real: bool) -> str:
    name = html.escape(plain_label(label(token), 14))
    kind = "" if real else ' class="pad"'
    return f"<td{kind}><bdi>{name}</bdi><i>{token.id}</i><i>{int(real)}</i></td>"
