"""Cutting text with the `tokenizers` library."""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import tokenizers

from attention.checkpoints.pieces import BYTES, UNDERLINE, UNDERLINED, WHOLE, Spelling, Token, continued
from attention.errors import CheckpointError, InputError

_PAD_TOKENS = ("[PAD]", "<pad>")


class LibraryCutter:
    """A tokenizer of the `tokenizers` library; what `Tokenizer` needs of it.

    Attributes:
        n_vocab: One more than the highest id.
    """

    def __init__(self, raw: tokenizers.Tokenizer, where: str = "The tokenizer") -> None:
        """Take it over: its padding and truncation are switched off, nothing is cut or filled up in silence.

        Args:
            raw: What to take over.
            where: The beginning of a sentence about it.

        Raises:
            CheckpointError: It knows no token at all.
        """
        raw.no_padding()
        raw.no_truncation()
        ids = raw.get_vocab(with_added_tokens=True)
        if not ids:
            raise CheckpointError(f"{where} has a vocabulary of 0 tokens.")
        self._raw = raw
        self.n_vocab: int = max(ids.values()) + 1
        self.special_ids = frozenset(
            id for id, token in raw.get_added_tokens_decoder().items() if token.special
        )
        self.unknown_id = _unknown_id(raw)
        self.pad_id = _pad_id(raw)
        self.spelling = _spelling(raw)

    def cut(self, text: str, pair: str | None, special_tokens: bool) -> tuple[Token, ...]:
        """The tokens of a text, or of two.

        Raises:
            InputError: A word that is not in a vocabulary of whole words.
        """
        try:
            encoding = self._raw.encode(text, pair, add_special_tokens=special_tokens)
        except Exception as error:  # a vocabulary of whole words without a token for the unknown
            raise InputError(
                f"The text holds a word that this model does not have: it knows {self._vocabulary()}."
            ) from error
        return self._tokens(encoding)

    def piece(self, id: int) -> str | None:
        """The piece of an id, where there is one."""
        piece: str | None = self._raw.id_to_token(id)
        return piece

    def _vocabulary(self, n_shown: int = 6) -> str:
        ids = self._raw.get_vocab()
        words = sorted(ids, key=ids.__getitem__)
        return ", ".join(f"“{word}”" for word in words[:n_shown]) + (" …" if len(words) > n_shown else "")

    def _tokens(self, encoding: tokenizers.Encoding) -> tuple[Token, ...]:
        # a special token belongs to no sequence: its type says which sentence it closes
        segments = [
            type_id if sequence is None else sequence
            for sequence, type_id in zip(encoding.sequence_ids, encoding.type_ids, strict=True)
        ]
        specials = [bool(special) for special in encoding.special_tokens_mask]
        words = self._words(encoding, segments, specials)
        return tuple(
            Token(text, id, start, end, special, word, segment, self.spelling.readable(text))
            for text, id, (start, end), special, word, segment in zip(
                encoding.tokens, encoding.ids, encoding.offsets, specials, words, segments, strict=True
            )
        )

    def _words(
        self, encoding: tokenizers.Encoding, segments: Sequence[int], specials: Sequence[bool]
    ) -> list[int | None]:
        """The library's, save where it cuts a text without first dividing it into words."""
        if self.spelling is not UNDERLINED:
            return list(encoding.word_ids)
        words: list[int | None] = []
        for _, run in groupby(zip(segments, encoding.tokens, specials, strict=True), key=itemgetter(0)):
            _, pieces, are_special = zip(*run, strict=True)
            words += self.spelling.words(pieces, are_special)
        return words


def library_cutter(path: Path) -> LibraryCutter:
    """Read a `tokenizer.json`.

    Raises:
        CheckpointError: The file is not one, or its vocabulary is empty.
    """
    try:
        raw = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise CheckpointError(f"{path} cannot be read as a tokenizer: {error}.") from error
    return LibraryCutter(raw, str(path))


def _spelling(raw: tokenizers.Tokenizer) -> Spelling:
    prefix: Any = getattr(raw.model, "continuing_subword_prefix", None)
    decoder = repr(raw.decoder)
    if "ByteLevel" in decoder:
        return BYTES
    if UNDERLINE in decoder or "Metaspace" in decoder:
        return UNDERLINED
    return continued(prefix) if prefix else WHOLE


def _unknown_id(raw: tokenizers.Tokenizer) -> int | None:
    name: Any = getattr(raw.model, "unk_token", None)
    return None if name is None else raw.token_to_id(name)


def _pad_id(raw: tokenizers.Tokenizer) -> int | None:
    ids = (raw.token_to_id(name) for name in _PAD_TOKENS)
    return next((id for id in ids if id is not None), None)
