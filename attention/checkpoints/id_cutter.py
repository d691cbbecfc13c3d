"""Token ids written out, for models that came without a tokenizer."""

from __future__ import annotations

import re

from attention.checkpoints.pieces import WHOLE, Spelling, Token
from attention.errors import InputError

_PART = re.compile(r"[^\s,]+")
_ID = re.compile("[0-9]+")
_LONGEST = 18
"""Digits of the longest id that is read as a number; no vocabulary has a longer one."""


class IdCutter:
    """Cuts "101 2000, 102" into the ids it lists; each is a token and a word of its own.

    >>> [(token.id, token.start, token.end) for token in IdCutter("toy", 200).cut("101, 20", None, True)]
    [(101, 0, 3), (20, 5, 7)]
    """

    def __init__(self, name: str, n_vocab: int) -> None:
        """Take ids of one vocabulary.

        Args:
            name: What the model is called in a refusal.
            n_vocab: One more than the highest id.
        """
        self._name = name
        self.n_vocab = n_vocab
        self.unknown_id: int | None = None
        self.pad_id: int | None = None
        self.special_ids: frozenset[int] = frozenset()
        self.spelling: Spelling = WHOLE

    def cut(self, text: str, pair: str | None, _special_tokens: bool, /) -> tuple[Token, ...]:
        """The ids of a text, or of two, exactly as given.

        Raises:
            InputError: Something else than a whole number, or one outside the vocabulary.
        """
        return self._segment(text, 0) + (() if pair is None else self._segment(pair, 1))

    def piece(self, id: int, /) -> str | None:
        """The id itself."""
        return str(id)

    def _segment(self, text: str, segment: int) -> tuple[Token, ...]:
        parts = _PART.finditer(text)
        return tuple(self._token(part, place, segment) for place, part in enumerate(parts))

    def _token(self, part: re.Match[str], place: int, segment: int) -> Token:
        id = self._id(part[0])
        return Token(str(id), id, part.start(), part.end(), special=False, word=place, segment=segment)

    def _id(self, part: str) -> int:
        shown = part if len(part) <= _LONGEST else f"{part[:_LONGEST]}…"
        if not _ID.fullmatch(part):
            raise InputError(
                f"{self._name} came without a tokenizer: it takes token ids only, such as 3 1 4, and "
                f"“{shown}” is not a whole number."
            )
        if len(part) > _LONGEST or int(part) >= self.n_vocab:
            raise InputError(f"Token id {shown} is not in the vocabulary (0–{self.n_vocab - 1}).")
        return int(part)
