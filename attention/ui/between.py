"""Between what weights are shown: tokens, or words where the reader has their pieces put together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.analysis.head_sums import HeadSums, head_sums
from attention.analysis.strips import Strongest
from attention.analysis.whole_words import Units
from attention.analysis.word_rows import rows_between
from attention.checkpoints.tokens import Token
from attention.figures.labels import numbered, plain_label
from attention.figures.numbers import share
from attention.ui import cache
from attention.ui.overview import units_of
from attention.ui.scene import Scene
from attention.ui.whole_words import unit_labels

Light = tuple[NDArray[np.floating[Any]], NDArray[np.bool_]]
"""Weights, and where a mask leaves room for any, of the same shape."""


@dataclass(frozen=True, eq=False)
class Axis:
    """What stands along one side of a matrix of weights.

    Attributes:
        units: The positions of each word's pieces; one each where pieces are not put together.
        names: What each is called.
    """

    units: Units
    names: tuple[str, ...]

    def at(self, position: int) -> int:
        """Which of them a token belongs to."""
        return next(at for at, unit in enumerate(self.units) if position in unit)

    def every(self, step: int) -> Axis:
        """The first of each block of so many."""
        return Axis(self.units[::step], self.names[::step])

    @property
    def positions(self) -> tuple[int, ...]:
        """Where the first token of each stands."""
        return tuple(unit[0] for unit in self.units)

    def named(self, at: int) -> str:
        """One of them in a list: its name, and where its first token stands."""
        return f"{plain_label(self.names[at])} ({self.units[at][0]})"

    def numbered(self) -> tuple[str, ...]:
        """All of them in a sentence: one that occurs twice carries where its first token stands."""
        return numbered(self.names, self.positions)

    def to_tokens(self, values: NDArray[Any], axis: int = -1) -> NDArray[Any]:
        """A number for each of them as a number for each token: pieces of a word have the word's."""
        return np.repeat(values, [len(unit) for unit in self.units], axis=axis)


@lru_cache(maxsize=32)  # several parts of a page ask for the same
def axis_of(tokens: tuple[Token, ...], *, words: bool, shown: range | None = None) -> Axis:
    """The tokens, or their words.

    Args:
        tokens: All tokens.
        words: Whether the pieces of a word are put together.
        shown: Which tokens are meant, side by side; all of them when left out.
    """
    first = 0 if shown is None else shown.start
    units = units_of(tokens if shown is None else tokens[first : shown.stop], words)
    placed = units if not first else tuple(tuple(first + at for at in unit) for unit in units)
    return Axis(placed, unit_labels(tokens, placed))


def axes(scene: Scene) -> tuple[Axis, Axis]:
    """What looks, and what is looked at."""
    words = scene.view.words
    return axis_of(scene.site.queries, words=words), axis_of(scene.site.keys, words=words)


def strongest_text(pair: Strongest, queries: Axis, keys: Axis) -> str:
    """A head's largest weight: "the (5) → lorry (2)  0.874"."""
    if not pair.weight:
        return "sees nothing"
    return f"{queries.named(pair.query)} → {keys.named(pair.key)}  {share(pair.weight)}"


def between_words(scene: Scene) -> bool:
    """Whether there are pieces to put together, and the reader wants it."""
    tokens = (scene.site.queries, scene.site.keys)
    return scene.view.words and any(len(units_of(side, True)) < len(side) for side in tokens)


def word_row(scene: Scene) -> Light:
    """What the word of the query in focus gives to each word: the mean of its pieces' rows."""
    queries, keys = axes(scene)
    word = queries.units[queries.at(scene.query)]
    rows = scene.trace.head(scene.view.head).rows(word[0], word[-1] + 1)
    (row,) = rows_between(rows, (tuple(range(len(word))),), keys.units)
    return row.weights[0, 0].numpy(), row.allowed[0].numpy()


def word_light(scene: Scene) -> Light:
    """The same for each token that is looked at: pieces share their word's; or what each word receives."""
    keys = axes(scene)[1]
    if scene.view.light == "gives":
        row, allowed = word_row(scene)
        return keys.to_tokens(row), keys.to_tokens(allowed)
    got = word_sums(scene).received
    light, seen = np.array([part or 0.0 for part in got]), np.array([part is not None for part in got])
    return keys.to_tokens(light), keys.to_tokens(seen)


def word_light_of_all(scene: Scene) -> Light:
    """The same for every query: pieces share the row of their word, too."""
    queries, keys = axes(scene)
    parts = list(rows_between(scene.trace.head(scene.view.head), queries.units, keys.units))
    weights = np.concatenate([part.weights[0].numpy() for part in parts])
    allowed = np.concatenate([part.allowed.numpy() for part in parts])
    return _spread(weights, queries, keys), _spread(allowed, queries, keys)


def _spread(matrix: NDArray[Any], queries: Axis, keys: Axis) -> NDArray[Any]:
    return queries.to_tokens(keys.to_tokens(matrix), axis=0)


def word_sums(scene: Scene) -> HeadSums:
    """What all words of the chosen head come to, as `Scene.sums` of its tokens."""
    view, (queries, keys) = scene.view, axes(scene)
    tokens = scene.site.keys
    special = [
        (keys.at(at), tokens[at].text if tokens[at].special else "first word") for at in scene.hideable
    ]
    n_real = sum(unit[0] < scene.site.stack.n_real for unit in queries.units)
    return cache.head_sums(
        (scene.asked, view.site, view.layer, view.head, "words"),
        lambda: head_sums(
            scene.trace.head(view.head),
            special,
            n_real,
            crossing=scene.crossing,
            words=(queries.units, keys.units),
        ),
    )
