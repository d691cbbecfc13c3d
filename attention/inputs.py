"""What a model is given: text or ids, made into tokens and padded."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from attention.checkpoints.checkpoint import Checkpoint
from attention.checkpoints.id_cutter import IdCutter
from attention.checkpoints.tokens import Token, Tokenizer
from attention.errors import InputError

Text: TypeAlias = str | Sequence[int]


def from_text(
    checkpoint: Checkpoint, text: str, pair: str | None = None, *, d_vocab: int, special_tokens: bool = True
) -> tuple[Token, ...]:
    """The tokens of a sentence, or of two. Without a tokenizer a text lists ids, such as "101 2000, 102".

    Raises:
        InputError: The tokenizer cannot take the text, or there is none and it is no list of ids.
    """
    tokenizer = checkpoint.tokenizer or _of_ids(checkpoint, d_vocab)
    return tokenizer.encode(text, pair, special_tokens=special_tokens)


def from_target(
    checkpoint: Checkpoint, text: str, *, d_vocab: int, special_tokens: bool = True
) -> tuple[Token, ...]:
    """The tokens of a text that a decoder has written, likewise.

    Raises:
        InputError: The tokenizer cannot take the text, or there is none and it is no list of ids.
    """
    tokenizer = checkpoint.target_tokenizer or checkpoint.tokenizer or _of_ids(checkpoint, d_vocab)
    return tokenizer.encode(text, special_tokens=special_tokens)


def _of_ids(checkpoint: Checkpoint, d_vocab: int) -> Tokenizer:
    return Tokenizer(IdCutter(checkpoint.name, d_vocab))


def from_ids(
    tokenizer: Tokenizer | None, ids: Sequence[int], d_vocab: int, segment: int = 0
) -> tuple[Token, ...]:
    """The tokens that ids stand for; the ids are used exactly as given.

    Raises:
        InputError: An id outside the vocabulary.
    """
    checked = check_ids(ids, d_vocab)
    if tokenizer is not None:
        tokens = tokenizer.decode_ids(checked)
    else:
        tokens = tuple(Token(str(id), id, 0, 0, False, place, 0) for place, id in enumerate(checked))
    return tuple(replace(token, segment=segment) for token in tokens)


def check_ids(ids: Iterable[int], d_vocab: int) -> list[int]:
    """The ids as whole numbers, each of them a row of the embedding.

    Raises:
        InputError: One is not.
    """
    return [_checked(given, d_vocab) for given in ids]


def _checked(given: int, d_vocab: int) -> int:
    try:
        checked = operator.index(given)
    except TypeError:
        checked = -1
    if not 0 <= checked < d_vocab:
        raise InputError(f"Token id {given!r} is not in the vocabulary (0–{d_vocab - 1}).")
    return checked


def fit(
    checkpoint: Checkpoint,
    tokens: tuple[Token, ...],
    limit: int,
    pad_to: int | None = None,
    pad_id: int | None = None,
) -> tuple[Token, ...]:
    """The tokens, padded to the length asked for; never cut.

    Args:
        checkpoint: Whose padding to use.
        tokens: What there is to read.
        limit: Longest sequence the model takes.
        pad_to: Length asked for; None pads nothing.
        pad_id: What to pad with; None where the model has nothing for it.

    Raises:
        InputError: There is nothing to read, or too much, or nothing to pad with.
    """
    wanted = len(tokens) if pad_to is None else pad_to
    if not tokens:
        raise InputError("There is no token to read.")
    if wanted < len(tokens):
        raise InputError(f"The text has {len(tokens)} tokens; pad_to ({wanted}) cannot be shorter.")
    if wanted > limit:
        what = "The text has" if pad_to is None else "pad_to asks for"
        raise InputError(f"{what} {wanted} tokens; {checkpoint.name} takes at most {limit}.")
    if wanted == len(tokens):
        return tokens
    return tokens + (_padding(checkpoint, pad_id),) * (wanted - len(tokens))


def pad_id_of(checkpoint: Checkpoint, d_vocab: int) -> int | None:
    """What a model pads with: its tokenizer's id, else its config's; None unless it is in the vocabulary."""
    of_tokenizer = None if checkpoint.tokenizer is None else checkpoint.tokenizer.pad_id
    given = checkpoint.config.get("pad_token_id") if of_tokenizer is None else of_tokenizer
    return given if type(given) is int and 0 <= given < d_vocab else None


def _padding(checkpoint: Checkpoint, pad_id: int | None) -> Token:
    if pad_id is None:
        raise InputError(f"{checkpoint.name} has no padding token, so its input cannot be filled up.")
    if checkpoint.tokenizer is not None and checkpoint.tokenizer.pad_id == pad_id:
        return checkpoint.tokenizer.pad_token()
    return Token("[PAD]", pad_id, 0, 0, special=True, word=None, segment=0)
