"""The word-order experiment worked out: one sentence in two orders, under each kind of telling them apart."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass

import streamlit as st

from attention.analysis.word_order import (
    NOTHING_LEFT,
    TAKEN_AWAY,
    WITH_POSITIONS,
    TwoOrders,
    order_of_tokens,
    two_orders,
)
from attention.analysis.words import words
from attention.engine.masks import Full
from attention.errors import InputError
from attention.run import Run
from attention.ui.asked import Asked
from attention.ui.chips import label
from attention.ui.positions.choices import MOST_WORDS, PositionsChoices
from attention.ui.read import asked_to_read, read
from attention.ui.stores import Store

EQUAL = 1e-10
"""Vectors that differ by less are the same: float64 rounds at 1e-16, and a few layers add up some of that."""

KINDS = {
    "with its positions": WITH_POSITIONS,
    "positions taken away": TAKEN_AWAY,
    "positions and mask taken away": NOTHING_LEFT,
}

_ONE_AT_A_TIME = threading.Lock()
"""A large model takes seconds in float64, and every layer's parameters once more while it is read."""

_Key = tuple[Asked, tuple[int, ...]]
_N_KEPT = 256


@dataclass(frozen=True, eq=False, kw_only=True)
class Reordered:
    """One sentence in two orders, worked out.

    Attributes:
        run: The sentence in its own order; of an encoder–decoder, the encoder's run.
        order: Which token stands at each place of the second order.
        results: What each kind of telling positions apart makes of it, by name.
    """

    run: Run
    order: tuple[int, ...]
    results: dict[str, TwoOrders]

    @property
    def first(self) -> tuple[str, ...]:
        """The tokens in their own order."""
        return tuple(label(token) for token in self.run.tokens)

    @property
    def second(self) -> tuple[str, ...]:
        """The tokens in the other."""
        return tuple(self.first[at] for at in self.order)


def n_words(model: str, text: str) -> int:
    """How many words of a text can change places.

    Raises:
        AttentionError: The model cannot take the text.
    """
    return len(words(read(model, text).tokens))


def fitted(choices: PositionsChoices, count: int) -> tuple[tuple[int, ...], str]:
    """The order of so many words that is asked for, and a sentence where it did not fit and is not used."""
    turned = tuple(reversed(range(count)))
    if choices.order is None:
        return turned, ""
    if len(choices.order) == count:
        return choices.order, ""
    return turned, f"The link's order is for {len(choices.order)} words, and the sentence has {count}."


def shuffled(count: int, seed: int) -> tuple[int, ...]:
    """Some other order of so many words than their own, the same for the same seed.

    >>> shuffled(3, 1), shuffled(1, 1)
    ((1, 2, 0), (0,))
    """
    own = list(range(count))
    order, draw = own[:], random.Random(seed)
    while order == own and count > 1:
        draw.shuffle(order)
    return tuple(order)


def reordered(model: str, text: str, order: tuple[int, ...]) -> Reordered:
    """Read a sentence in two orders.

    Raises:
        AttentionError: The model cannot take the text, or it has no two words.
    """
    run = read(model, text)
    if len(order) < 2:
        raise InputError("A sentence of one word has no other order: type a second one.")
    if len(order) > MOST_WORDS:
        raise InputError(f"The sentence has {len(order)} words; at most {MOST_WORDS} change places here.")
    moved = order_of_tokens(run.tokens, order)
    kinds = list(KINDS) if _is_masked(run) else list(KINDS)[:2]
    key = (asked_to_read(model, text), moved)
    results = _kept().once(key, lambda: _compared(run, moved, kinds))
    return Reordered(run=run, order=moved, results=dict(zip(kinds, results, strict=True)))


def _compared(run: Run, order: tuple[int, ...], kinds: list[str]) -> tuple[TwoOrders, ...]:
    with _ONE_AT_A_TIME:
        return two_orders(run, order, [KINDS[kind] for kind in kinds])


@st.cache_resource(show_spinner=False)
def _kept() -> Store[_Key, tuple[TwoOrders, ...]]:
    return Store(_N_KEPT, lambda _: 1, model=lambda key: key[0].model)


def _is_masked(run: Run) -> bool:
    """Whether the model's own mask hides anything: it tells a token how many stand before it."""
    return any(layer.attention.config.own_mask != Full() for layer in run.model.transformer.stack.layers)
