"""What a model is given: text or ids, made into tokens and padded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from attention.checkpoints.checkpoint import Checkpoint
from attention.checkpoints.tokens import Token, Tokenizer
from attention.errors import InputError

Text: TypeAlias = str | Sequence[int]


def from_text(
    checkpoint: Checkpoint, text: str, pair: str | None = None, *, special_tokens: bool = True
) -> tuple[Token, ...]:
    """The tokens of a sentence, or of two.

    Raises:
        InputError: There is no tokenizer, or it cannot take the text.
    """
    return _present(checkpoint, checkpoint.tokenizer).encode(text, pair, special_tokens=special_tokens)


def from_target(checkpoint: Checkpoint, text: str, *, special_tokens: bool = True) -> tuple[Token, ...]:
    """The tokens of a text that a decoder has written.

    Raises:
        InputError: There is no tokenizer, or it cannot take the text.
    """
    tokenizer = checkpoint.target_tokenizer or checkpoint.tokenizer
    return _present(checkpoint, tokenizer).encode(text, special_tokens=special_tokens)


def _present(checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> Tokenizer:
    if tokenizer is None:
        raise InputError(f"{checkpoint.name} came without a tokenizer: it takes token ids only.")
    return tokenizer


def from_ids(
    tokenizer: Tokenizer | None, ids: Sequence[int], d_vocab: int, segment: int = 0
) -> tuple[Token, ...]:
    """The tokens that ids stand for; the ids are used exactly as given.

    Raises:
        InputError: An id outside the vocabulary.
    """
    for token_id in ids:
        if not 0 <= token_id < d_vocab:
            raise InputError(f"Token id {token_id} is not in the vocabulary (0–{d_vocab - 1}).")
    if tokenizer is not None:
        tokens = tokenizer.decode_ids(list(ids))
    else:
        tokens = tuple(Token(str(id), id, 0, 0, False, place, 0) for place, id in enumerate(ids))
    return tuple(replace(token, segment=segment) for token in tokens)


def fit(
    checkpoint: Checkpoint, tokens: tuple[Token, ...], limit: int, pad_to: int | None = None
) -> tuple[Token, ...]:
    """The tokens, padded to the length asked for; never cut.

    Args:
        checkpoint: Whose padding to use.
        tokens: What there is to read.
        limit: Longest sequence the model takes.
        pad_to: Length asked for; None pads nothing.

    Raises:
        InputError: There is nothing to read, or too much.
    """
    wanted = len(tokens) if pad_to is None else pad_to
    if not tokens:
        raise InputError("There is no token to read.")
    if wanted < len(tokens):
        raise InputError(f"The text has {len(tokens)} tokens; pad_to ({wanted}) cannot be shorter.")
    if wanted > limit:
        what = "The text has" if pad_to is None else "pad_to asks for"
        raise InputError(f"{what} {wanted} tokens; {checkpoint.name} takes at most {limit}.")
    return tokens + (_padding(checkpoint),) * (wanted - len(tokens))


def _padding(checkpoint: Checkpoint) -> Token:
    if checkpoint.tokenizer is not None and checkpoint.tokenizer.pad_id is not None:
        return checkpoint.tokenizer.pad_token()
    return Token("[PAD]", int(checkpoint.config.get("pad_token_id") or 0), 0, 0, True, None, 0)
