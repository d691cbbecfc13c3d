"""The sentence lit by one row of weights, or by what each of its tokens receives."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from attention.errors import InputError
from attention.figures.labels import plain_label
from attention.figures.numbers import cell

Light = Literal["gives", "receives"]

WORDS_RULE = "pieces of a word: keys summed, rows averaged"

LEAST_NUMBER = 0.1
"""Weights from here on have their number under the chip."""

LEAST_SHADE = 0.05
"""Below, a chip is nearly the ground, and the theme's own ink reads best on it."""


@dataclass(frozen=True)
class LitChip:
    """One token as the sentence shows it.

    Attributes:
        shown: As it is read: "rry", "CLS".
        special: Whether the tokenizer put it there.
        joined: Whether it continues the word of the chip before it.
    """

    shown: str
    special: bool
    joined: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class LitSentence:
    """A sentence and its light.

    Attributes:
        chips: The tokens in order.
        light: How much light each has, 0 to 1.
        allowed: False where the token may not be looked at: hatched, never shaded.
        source: What the light is: what the query in focus gives, or what each token receives as a key.
        query: The query in focus; None where it stands in another sequence.
        key: The key in focus.
        query_name: The query's token, wherever it stands; its word where pieces are put together.
        by_words: Whether the light is of words: pieces of one share it, and have one number together.
    """

    chips: tuple[LitChip, ...]
    light: Float[np.ndarray, " key"]
    allowed: Bool[np.ndarray, " key"]
    source: Light
    query: int | None
    key: int | None
    query_name: str
    by_words: bool = False

    def __post_init__(self) -> None:
        """Refuse light for other tokens than these."""
        for name, row in (("light", self.light), ("allowed", self.allowed)):
            if row.shape != (len(self.chips),):
                raise InputError(f"{name} is for {row.size} tokens, but the sentence has {len(self.chips)}")


def number(sentence: LitSentence, at: int) -> str:
    """What stands under a chip."""
    if at == sentence.query and sentence.source == "gives":
        return "query"
    if sentence.by_words and at != _numbered(sentence, at):
        return ""
    light = float(sentence.light[at])
    return cell(light) if sentence.allowed[at] and light >= LEAST_NUMBER else ""


def _numbered(sentence: LitSentence, at: int) -> int:
    """The piece that has the number of a token's word: the one in focus, else the middle one."""
    word = _word_of(sentence.chips, at)
    focus = [place for place in (sentence.query, sentence.key) if place is not None and place in word]
    return focus[0] if focus else word[(len(word) - 1) // 2]


def _word_of(chips: tuple[LitChip, ...], at: int) -> range:
    start, stop = at, at + 1
    while start and chips[start].joined:
        start -= 1
    while stop < len(chips) and chips[stop].joined:
        stop += 1
    return range(start, stop)


def words(sentence: LitSentence) -> tuple[range, ...]:
    """The pieces of each word, in order."""
    starts = [at for at, chip in enumerate(sentence.chips) if not chip.joined or at == 0]
    ends = [*starts[1:], len(sentence.chips)]
    return tuple(range(start, end) for start, end in zip(starts, ends, strict=True))


def heading(sentence: LitSentence) -> str:
    """What the light is, in a few words."""
    if sentence.source == "receives":
        return f"what each {_unit(sentence)} receives"
    return f"what “{plain_label(sentence.query_name)}” looks at"


def meanings(sentence: LitSentence) -> tuple[str, ...]:
    """What a shade stands for, and by which rule the pieces of a word share theirs."""
    shade = "shade: weight from the query, 0 to 1"
    if sentence.source == "receives":
        unit = _unit(sentence)
        shade = f"shade: mean weight a {unit} gets from the queries that may look at it, 0 to 1"
    return (shade, WORDS_RULE) if sentence.by_words else (shade,)


def meaning(sentence: LitSentence) -> str:
    """The same in one line."""
    return "; ".join(meanings(sentence))


def _unit(sentence: LitSentence) -> str:
    return "word" if sentence.by_words else "token"


def describe(sentence: LitSentence) -> str:
    """The picture in words, for readers who do not see it."""
    open_light = np.where(sentence.allowed, sentence.light, -1)
    masked = int((~sentence.allowed).sum())
    said = f"{len(sentence.chips)} tokens shaded by {heading(sentence)}"
    said += f", {masked} masked." if masked else "."
    if masked == len(sentence.chips):
        return said
    at = int(open_light.argmax())
    return (
        f"{said} The most light, {open_light[at]:.2f}, is on {plain_label(sentence.chips[at].shown)} ({at})."
    )
