"""From text to the pieces a model reads, each with the characters it covers."""

import operator
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import tokenizers

from attention.checkpoints.library_cutter import LibraryCutter, library_cutter
from attention.checkpoints.pieces import Spelling, Token
from attention.errors import InputError

__all__ = ["MAX_CHARACTERS", "Cutter", "Token", "Tokenizer"]

MAX_CHARACTERS = 100_000


class Cutter(Protocol):
    """What is needed of a library that cuts text: `LibraryCutter`, `SentencePieceCutter`.

    Attributes:
        n_vocab: One more than the highest id.
        special_ids: Tokens that stand for no text.
    """

    n_vocab: int
    unknown_id: int | None
    pad_id: int | None
    special_ids: frozenset[int]
    spelling: Spelling

    def cut(self, text: str, pair: str | None, special_tokens: bool, /) -> tuple[Token, ...]:
        """The tokens of a text, or of two."""

    def piece(self, id: int, /) -> str | None:
        """The piece of an id, where there is one."""


class Tokenizer:
    """Cuts text into tokens, and refuses text from which no token can come.

    >>> words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"I": 0, "learn": 1}))
    >>> words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    >>> [(token.id, token.start, token.end) for token in Tokenizer(words).encode("I learn")]
    [(0, 0, 1), (1, 2, 7)]
    """

    def __init__(
        self, raw: tokenizers.Tokenizer | Cutter, *, pad_id: int | None = None, n_rows: int | None = None
    ) -> None:
        """Take over a tokenizer of the `tokenizers` library, or whatever else cuts text.

        Args:
            raw: Where its vocabulary is empty, it is refused.
            pad_id: The id the model's configuration pads with; left out, the vocabulary is searched.
            n_rows: Rows of the model's embedding; there may be more of them than pieces, and a model may
                write such an id.

        Raises:
            CheckpointError: It has no vocabulary.
        """
        self._cutter: Cutter = LibraryCutter(raw) if isinstance(raw, tokenizers.Tokenizer) else raw
        self.n_vocab = max(self._cutter.n_vocab, n_rows or 0)
        self.unknown_id = self._cutter.unknown_id
        self.pad_id = self._cutter.pad_id if pad_id is None else pad_id

    @classmethod
    def from_file(cls, path: Path, *, pad_id: int | None = None) -> "Tokenizer":
        """Read a `tokenizer.json`.

        Raises:
            CheckpointError: The file is not one.
        """
        return cls(library_cutter(path), pad_id=pad_id)

    def encode(self, text: str, pair: str | None = None, *, special_tokens: bool = True) -> tuple[Token, ...]:
        """The tokens of a sentence, or of two.

        Raises:
            InputError: Blank, too long, not text, or nothing that the model knows.
        """
        _check_text(text, "The text")
        if pair is not None:
            _check_text(pair, "The second text")
        tokens = self._cutter.cut(text, pair, special_tokens)
        self._check_tokens(tokens, n_segments=1 if pair is None else 2)
        return tokens

    def decode_ids(self, ids: Iterable[int]) -> tuple[Token, ...]:
        """The tokens that these ids stand for; the ids are used exactly as given.

        Raises:
            InputError: There are none, or one of them is not in the vocabulary.
        """
        checked = [self._checked_id(given, position) for position, given in enumerate(ids)]
        if not checked:
            raise InputError("There are no ids to read.")
        spelling = self._cutter.spelling
        specials = [id in self._cutter.special_ids for id in checked]
        texts = [self._piece(id) for id in checked]
        words = spelling.words(texts, specials)
        return tuple(
            Token(text, id, 0, 0, special, word, 0, spelling.readable(text))
            for text, id, special, word in zip(texts, checked, specials, words, strict=True)
        )

    def pad_token(self) -> Token:
        """The token that fills a sequence up.

        Raises:
            InputError: This tokenizer has none.
        """
        if self.pad_id is None:
            raise InputError("This model has no padding token, so its input cannot be filled up.")
        return Token(self._piece(self.pad_id), self.pad_id, 0, 0, special=True, word=None, segment=0)

    def _piece(self, id: int) -> str:
        return self._cutter.piece(id) or f"[{id}]"

    def _check_tokens(self, tokens: tuple[Token, ...], n_segments: int) -> None:
        for segment in range(n_segments):
            if not any(token.segment == segment and not token.special for token in tokens):
                which = "second text" if segment else "text"
                raise InputError(f"Nothing is left of the {which} once the tokenizer has cleaned it.")
        if all(token.id == self.unknown_id for token in tokens if not token.special):
            raise InputError("The model knows nothing of this text: all its tokens are unknown.")

    def _checked_id(self, given: int, position: int) -> int:
        try:
            id = operator.index(given)
        except TypeError:
            raise InputError(f"Ids are whole numbers; number {position} is {given!r}.") from None
        if not 0 <= id < self.n_vocab:
            raise InputError(f"Id {id} at position {position} is not among the {self.n_vocab} of this model.")
        return id


def _check_text(text: str, which: str) -> None:
    """Refuse what no tokenizer should see; the length comes first, so that a huge paste costs nothing."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"{which} has {len(text):,} characters; at most {MAX_CHARACTERS:,} can be read.")
    if not text.strip():
        raise InputError(f"{which} is blank.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise InputError(
            f"{which} has half a character (the lone surrogate U+{code:04X}) at position {error.start}."
        ) from None
