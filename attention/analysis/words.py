"""The words of a text, each as the positions of its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Piece(Protocol):
    """What is asked of a token here."""

    @property
    def text(self) -> str:
        """The raw piece."""

    @property
    def special(self) -> bool:
        """Whether the tokenizer put it there."""

    @property
    def word(self) -> int | None:
        """Which word it is a piece of; None for a special token."""

    @property
    def segment(self) -> int:
        """0 for the first text and 1 for the second."""


def groups(tokens: Sequence[Piece]) -> tuple[tuple[int, ...], ...]:
    """Positions side by side that are pieces of one word; a special token is by itself."""
    found: list[list[int]] = []
    for at, token in enumerate(tokens):
        if found and token.word is not None and _place(tokens[at - 1]) == _place(token):
            found[-1].append(at)
        else:
            found.append([at])
    return tuple(map(tuple, found))


def words(tokens: Sequence[Piece]) -> tuple[tuple[int, ...], ...]:
    """The groups with a letter or a digit in them: neither special tokens nor punctuation."""
    return tuple(group for group in groups(tokens) if is_word(tokens, group))


def is_word(tokens: Sequence[Piece], group: Sequence[int]) -> bool:
    """Whether a group of pieces is a word and no punctuation."""
    text = "".join(tokens[at].text for at in group)
    return not tokens[group[0]].special and any(character.isalnum() for character in text)


def _place(token: Piece) -> tuple[int, int | None]:
    return token.segment, token.word
