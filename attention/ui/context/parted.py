"""One word in two places, worked out for the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attention.analysis import context
from attention.analysis.context import Occurrence
from attention.errors import InputError
from attention.figures.labels import plain_label
from attention.run import Run
from attention.ui.chips import label
from attention.ui.context.choices import ContextChoices
from attention.ui.read import read

Floats = NDArray[np.float64]
Views = Literal["alike", "first", "second", "unlike"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Place:
    """The word in one sentence.

    Attributes:
        run: The sentence; of an encoder–decoder, the encoder's run.
        text: As it was typed.
        found: All its words.
        chosen: The one that is followed.
    """

    run: Run
    text: str
    found: tuple[Occurrence, ...]
    chosen: Occurrence

    @property
    def places(self) -> tuple[Occurrence, ...]:
        """All occurrences of the word that is followed."""
        return tuple(one for one in self.found if one.name == self.chosen.name)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens as a list or an axis names them."""
        return tuple(label(token) for token in self.run.tokens)

    @property
    def ids(self) -> tuple[int, ...]:
        """What the word is written with."""
        return tuple(self.run.tokens[at].id for at in self.chosen.positions)

    def word_at(self, position: int) -> tuple[str | None, int]:
        """The word at a position, and which of its occurrences it is; None where there is no word."""
        here = next((one for one in self.found if position in one.positions), None)
        if here is None:
            return None, 0
        return here.name, [one for one in self.found if one.name == here.name].index(here)

    def gathered(self, layer: int) -> Floats:
        """What the word mixed in a layer: a share for each token."""
        shares: Floats = context.gathered(self.run, layer, self.chosen.positions).numpy()
        return shares

    def open(self, layer: int) -> NDArray[np.bool_]:
        """Which tokens any of its pieces may look at there."""
        rows = self.run.attention(layer).mask[list(self.chosen.positions)]
        seen: NDArray[np.bool_] = rows.any(dim=0).numpy()
        return seen


@dataclass(frozen=True, eq=False, kw_only=True)
class Parted:
    """One word in two places.

    Attributes:
        word: The word.
        words: All that could be followed.
        first: Where it stands first.
        second: Where it stands second; in the same run where there is one sentence.
        alike: Cosine of its two vectors at each layer's door and at the end.
        strangers: The mean cosine of the first vector with the second sentence's other words; None where
            there are none.
        parting: The layer through which the cosine falls most; None where it never falls.
        layer: The layer whose weights are shown.
        told: What did not fit and was not used, a sentence each.
    """

    word: str
    words: tuple[str, ...]
    first: Place
    second: Place
    alike: Floats
    strangers: Floats | None
    parting: int | None
    layer: int
    told: tuple[str, ...]

    @property
    def one_sentence(self) -> bool:
        """Whether both places are in one sentence."""
        return self.first.run is self.second.run

    @property
    def views(self) -> Views:
        """Which of two places in one sentence may look at what the other may not, over all layers."""
        pairs = [(self.first.open(at), self.second.open(at)) for at in range(self.n_layers)]
        first, second = (any((pair[at] & ~pair[1 - at]).any() for pair in pairs) for at in (0, 1))
        if first and second:
            return "unlike"
        return "first" if first else "second" if second else "alike"

    @property
    def n_layers(self) -> int:
        """Layers of the stack that reads."""
        return self.first.run.n_layers


def parted(model: str, choices: ContextChoices) -> Parted:
    """Work out the page.

    Raises:
        AttentionError: The model cannot take a sentence, or there is no word to follow.
    """
    run, again = read(model, choices.first), read(model, _second_text(choices))
    found, there = context.occurrences(run, choices.first), context.occurrences(again, _second_text(choices))
    one = again is run
    words = context.repeated(found) if one else context.shared(found, there)
    word, told = _word(words, choices, one)
    first, second, also_told = _places(run, again, choices, word, (found, there))
    vectors = [context.vectors(place.run, place.chosen.positions) for place in (first, second)]
    alike = context.cosines(*vectors)
    strangers = context.to_the_others(vectors[0], again, there, word)
    parting = context.parting(alike)
    layer, unfit = _layer(choices.layer, parting, run.n_layers)
    return Parted(
        word=word,
        words=words,
        first=first,
        second=second,
        alike=alike.numpy(),
        strangers=None if strangers is None else strangers.numpy(),
        parting=parting,
        layer=layer,
        told=(*told, *also_told, *unfit),
    )


def _second_text(choices: ContextChoices) -> str:
    return choices.second if choices.second.strip() else choices.first


def _word(words: tuple[str, ...], choices: ContextChoices, one: bool) -> tuple[str, tuple[str, ...]]:
    """The word that is asked for where it can be followed, else the longest; and what was not used."""
    if not words:
        raise InputError(
            "No word stands twice in this sentence: repeat one, or type a second sentence."
            if one
            else "The two sentences have no word in common: type one that stands in both."
        )
    longest = max(words, key=len)
    if choices.word is None or choices.word in words:
        return choices.word or longest, ()
    where = "stands only once or not at all in this sentence" if one else "does not stand in both sentences"
    return longest, (f"“{plain_label(choices.word)}” {where}; “{plain_label(longest)}” is followed instead.",)


def _places(
    run: Run,
    again: Run,
    choices: ContextChoices,
    word: str,
    found: tuple[tuple[Occurrence, ...], tuple[Occurrence, ...]],
) -> tuple[Place, Place, tuple[str, ...]]:
    """The two occurrences; of one sentence never the same twice."""
    here, there = (tuple(one for one in every if one.name == word) for every in found)
    at, told = _fitted(choices.at, len(here), word)
    own = int(at == 0) if again is run else 0
    other, also_told = (own, ()) if choices.other is None else _fitted(choices.other, len(there), word)
    other = own if again is run and other == at else other
    first = Place(run=run, text=choices.first, found=found[0], chosen=here[at])
    second = Place(run=again, text=_second_text(choices), found=found[1], chosen=there[other])
    return first, second, (*told, *also_told)


def _fitted(at: int, count: int, word: str) -> tuple[int, tuple[str, ...]]:
    if at < count:
        return at, ()
    times = "once" if count == 1 else f"{count} times"
    return 0, (f"“{plain_label(word)}” stands there {times}, counted from 0: there is no {at}.",)


def _layer(asked: int | None, parting: int | None, n_layers: int) -> tuple[int, tuple[str, ...]]:
    if asked is None or asked < n_layers:
        return asked if asked is not None else parting or 0, ()
    return parting or 0, (f"There is no layer {asked}: the model has {n_layers} (0–{n_layers - 1}).",)
