"""From text to the pieces a model reads, each with the characters it covers."""

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenizers

from attention.errors import CheckpointError, InputError

MAX_CHARACTERS = 100_000

_PAD_TOKENS = ("[PAD]", "<pad>")


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of the input as the model sees it.

    Attributes:
        text: The raw piece, such as "##rry".
        start: First character of the text that it covers (of the second text, when `segment` is 1).
        end: One past the last; both are 0 for a token that no character of the text stands behind.
        special: Put there by the tokenizer, not by the reader.
        word: Which word it is a piece of; None for a special token. Words of either segment count from 0.
        segment: 0 for the first text and 1 for the second.
    """

    text: str
    id: int
    start: int
    end: int
    special: bool
    word: int | None
    segment: int


class Tokenizer:
    """Cuts text into tokens, and refuses text from which no token can come.

    >>> words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"I": 0, "learn": 1}))
    >>> words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    >>> [(token.id, token.start, token.end) for token in Tokenizer(words).encode("I learn")]
    [(0, 0, 1), (1, 2, 7)]
    """

    def __init__(self, raw: tokenizers.Tokenizer, *, pad_id: int | None = None) -> None:
        """Take over a tokenizer of the `tokenizers` library.

        Args:
            raw: Its padding and truncation are switched off: nothing is cut or filled up in silence.
            pad_id: The id the model's configuration pads with; left out, the vocabulary is searched.
        """
        raw.no_padding()
        raw.no_truncation()
        self._raw = raw
        self._special_ids = frozenset(
            id for id, token in raw.get_added_tokens_decoder().items() if token.special
        )
        self.n_vocab = max(raw.get_vocab(with_added_tokens=True).values()) + 1
        self.unknown_id = _unknown_id(raw)
        self.pad_id = _pad_id(raw) if pad_id is None else pad_id

    @classmethod
    def from_file(cls, path: Path, *, pad_id: int | None = None) -> "Tokenizer":
        """Read a `tokenizer.json`.

        Raises:
            CheckpointError: The file is not one.
        """
        try:
            raw = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises nothing narrower
            raise CheckpointError(f"{path} cannot be read as a tokenizer: {error}.") from error
        return cls(raw, pad_id=pad_id)

    def encode(self, text: str, pair: str | None = None, *, special_tokens: bool = True) -> tuple[Token, ...]:
        """The tokens of a sentence, or of two.

        Raises:
            InputError: Blank, too long, not text, or nothing that the model knows.
        """
        _check_text(text, "The text")
        if pair is not None:
            _check_text(pair, "The second text")
        tokens = _tokens(self._encoding(text, pair, special_tokens))
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
        specials = [id in self._special_ids for id in checked]
        texts = [self._raw.id_to_token(id) or f"[{id}]" for id in checked]
        return tuple(
            Token(text, id, 0, 0, special=special, word=word, segment=0)
            for text, id, special, word in zip(
                texts, checked, specials, self._words(texts, specials), strict=True
            )
        )

    def pad_token(self) -> Token:
        """The token that fills a sequence up.

        Raises:
            InputError: This tokenizer has none.
        """
        if self.pad_id is None:
            raise InputError("This model has no padding token, so its input cannot be filled up.")
        text = self._raw.id_to_token(self.pad_id) or f"[{self.pad_id}]"
        return Token(text, self.pad_id, 0, 0, special=True, word=None, segment=0)

    def _encoding(self, text: str, pair: str | None, special_tokens: bool) -> tokenizers.Encoding:
        try:
            return self._raw.encode(text, pair, add_special_tokens=special_tokens)
        except Exception as error:  # a vocabulary of whole words without a token for the unknown
            raise InputError(
                f"The text holds a word that this model does not have: it knows {self._vocabulary()}."
            ) from error

    def _vocabulary(self, n_shown: int = 6) -> str:
        ids = self._raw.get_vocab()
        words = sorted(ids, key=ids.__getitem__)
        return ", ".join(f"“{word}”" for word in words[:n_shown]) + (" …" if len(words) > n_shown else "")

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

    def _words(self, texts: list[str], specials: list[bool]) -> list[int | None]:
        """Which word each piece belongs to, read off the mark that pieces of a word carry."""
        prefix: str | None = getattr(self._raw.model, "continuing_subword_prefix", None)
        words: list[int | None] = []
        word = -1
        for text, special in zip(texts, specials, strict=True):
            continues = prefix and text.startswith(prefix) and words[-1:] not in ([], [None])
            word += not (special or continues)
            words.append(None if special else word)
        return words


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


def _tokens(encoding: tokenizers.Encoding) -> tuple[Token, ...]:
    return tuple(
        Token(
            text,
            id,
            start,
            end,
            special=bool(special),
            word=word,
            # a special token belongs to no sequence: its type says which sentence it closes
            segment=type_id if sequence is None else sequence,
        )
        for text, id, (start, end), special, word, sequence, type_id in zip(
            encoding.tokens,
            encoding.ids,
            encoding.offsets,
            encoding.special_tokens_mask,
            encoding.word_ids,
            encoding.sequence_ids,
            encoding.type_ids,
            strict=True,
        )
    )


def _unknown_id(raw: tokenizers.Tokenizer) -> int | None:
    name: Any = getattr(raw.model, "unk_token", None)
    return None if name is None else raw.token_to_id(name)


def _pad_id(raw: tokenizers.Tokenizer) -> int | None:
    ids = (raw.token_to_id(name) for name in _PAD_TOKENS)
    return next((id for id in ids if id is not None), None)
