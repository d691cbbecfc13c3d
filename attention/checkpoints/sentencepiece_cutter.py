"""Cutting text with the `sentencepiece` library: T5's `spiece.model`, Marian's `source.spm` and `target.spm`.

sentencepiece cuts; which id a piece has, and what is put round a text, is the model's own affair.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import sentencepiece

from attention.checkpoints.damage import what_it_is
from attention.checkpoints.pieces import UNDERLINED, Token
from attention.errors import CheckpointError

_LANGUAGE = re.compile(r">>[^<]*<<")


class SentencePieceCutter:
    """A sentencepiece model with the ids that a checkpoint gives its pieces.

    Attributes:
        n_vocab: One more than the highest id.
        special_ids: Tokens that stand for no text.
    """

    spelling = UNDERLINED

    def __init__(
        self,
        model: sentencepiece.SentencePieceProcessor,
        ids: Mapping[str, int],
        *,
        unknown: str,
        end: str,
        pad: str | None,
        whole: tuple[str, ...] = (),
        language_first: bool = False,
    ) -> None:
        """Put a model and a vocabulary together; `ids` holds every name given here.

        Args:
            model: What cuts the text.
            ids: Each piece's id.
            unknown: Stands for pieces that have none.
            end: Is put after every text.
            pad: Fills a sequence up, where the model knows such a token.
            whole: Found in a text before it is cut.
            language_first: Whether a text may begin with the language to write, such as >>fra<<.
        """
        self._model = model
        self._ids = MappingProxyType(dict(ids))
        self._pieces = {id: piece for piece, id in ids.items()}
        self._end = end
        self._whole = re.compile("|".join(map(re.escape, whole))) if whole else None
        self._language_first = language_first
        self.n_vocab = max(self._pieces) + 1
        self.unknown_id: int | None = ids[unknown]
        self.pad_id: int | None = None if pad is None else ids[pad]
        self.special_ids = frozenset(ids[name] for name in (end, pad, *whole) if name is not None)

    def cut(self, text: str, pair: str | None, special_tokens: bool) -> tuple[Token, ...]:
        """The tokens of a text, or of two, each with the end after it."""
        tokens: list[Token] = []
        for segment, part in enumerate((text,) if pair is None else (text, pair)):
            tokens += self._segment(part, segment)
            if special_tokens:
                tokens.append(Token(self._end, self._ids[self._end], 0, 0, True, None, segment))
        return tuple(tokens)

    def piece(self, id: int) -> str | None:
        """The piece of an id, where there is one."""
        return self._pieces.get(id)

    def _segment(self, text: str, segment: int) -> list[Token]:
        found = list(self._found(text))
        pieces = [piece for piece, _, _ in found]
        words = self.spelling.words(pieces, [False] * len(pieces))
        return [
            Token(piece, self._id(piece), start, end, False, word, segment, self.spelling.readable(piece))
            for (piece, start, end), word in zip(found, words, strict=True)
        ]

    def _id(self, piece: str) -> int:
        id = self._ids.get(piece, self.unknown_id)
        return id if id is not None else 0

    def _found(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Each piece with the characters it covers: what is found whole, and what is cut between."""
        at = 0
        language = _LANGUAGE.match(text) if self._language_first else None
        if language:
            at = language.end()
            yield language[0], 0, at
        for match in self._whole.finditer(text, at) if self._whole else ():
            yield from self._between(text, at, match.start())
            yield match[0], match.start(), match.end()
            at = match.end()
        yield from self._between(text, at, len(text))

    def _between(self, text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
        cut = self._model.encode(text[start:end], return_type="offset_mapping")
        for piece, (first, last) in zip(cut["pieces"], cut["offsets"], strict=True):
            yield piece, start + first, start + last


def read_model(path: Path) -> tuple[sentencepiece.SentencePieceProcessor, list[str]]:
    """A sentencepiece model from its file, and its pieces.

    Raises:
        CheckpointError: The file is not one.
    """
    try:
        model = sentencepiece.SentencePieceProcessor.from_proto(path.read_bytes())
        return model, [model.id_to_piece(id) for id in range(model.get_piece_size())]
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from error
    except (RuntimeError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{path} is {what_it_is(path) or 'no sentencepiece model'}.") from error


def t5_cutter(path: Path, n_extra: int) -> SentencePieceCutter:
    """T5's: ids are sentencepiece's own, followed by the blanks that it fills in, the last first.

    Raises:
        CheckpointError: The file is no sentencepiece model, or lacks T5's tokens.
    """
    model, pieces = read_model(path)
    ids = {piece: id for id, piece in enumerate(pieces)}
    blanks = {f"<extra_id_{n_extra - 1 - place}>": len(pieces) + place for place in range(n_extra)}
    whole = ("<pad>", "</s>", "<unk>")
    for name in whole:
        if name not in ids:
            raise CheckpointError(f"{path} has no {name}, which every T5 has.")
    return SentencePieceCutter(
        model, ids | blanks, unknown="<unk>", end="</s>", pad="<pad>", whole=(*whole, *blanks)
    )


def marian_cutter(path: Path, ids: Mapping[str, int], vocabulary: Path) -> SentencePieceCutter:
    """Marian's: the ids are those of its `vocab.json`.

    Raises:
        CheckpointError: The file is no sentencepiece model, or the vocabulary lacks Marian's tokens.
    """
    for name in ("</s>", "<unk>"):
        if name not in ids:
            raise CheckpointError(f"{vocabulary} has no {name}, which every Marian has.")
    pad = "<pad>" if "<pad>" in ids else None
    whole = ("</s>", "<unk>") if pad is None else ("</s>", "<unk>", pad)
    return SentencePieceCutter(
        read_model(path)[0], ids, unknown="<unk>", end="</s>", pad=pad, whole=whole, language_first=True
    )
