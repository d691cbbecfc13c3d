"""Tokens as the strip, lists and axes show them."""

from __future__ import annotations

from collections.abc import Sequence

from attention.checkpoints.tokens import Token
from attention.ui.components.token_strip import Chip


def label(token: Token) -> str:
    """A token for lists and axes: as the tokenizer writes it, but readable where that is spelled in bytes."""
    shown = token.shown
    starts_word = token.readable is not None and shown.startswith(" ") and len(shown) > 1
    return shown[1:] if starts_word else shown


def chips(tokens: Sequence[Token], unknown_id: int | None = None) -> tuple[Chip, ...]:
    """The tokens as the strip shows them: pieces joined to their word, brackets and ## taken off.

    Args:
        tokens: The tokens.
        unknown_id: The id of what the vocabulary lacks, where there is one.
    """
    before: Sequence[Token | None] = (None, *tokens)
    return tuple(_chip(token, earlier, unknown_id) for token, earlier in zip(tokens, before, strict=False))


def _chip(token: Token, earlier: Token | None, unknown_id: int | None) -> Chip:
    same_word = earlier is not None and token.word is not None and (token.word, token.segment) == (
        earlier.word,
        earlier.segment,
    )  # fmt: skip
    bracketed = token.special and token.text.startswith("[") and token.text.endswith("]")
    piece = token.shown.removeprefix("##") if same_word else label(token)
    shown = token.text[1:-1] if bracketed else piece
    return Chip(
        raw=token.text,
        shown=shown,
        id=token.id,
        start=token.start,
        end=token.end,
        special=token.special,
        joined=same_word,
        segment=token.segment,
        unknown=unknown_id is not None and token.id == unknown_id,
    )


def _has_letter(token: Token) -> bool:
    r"""Whether a token is more than punctuation. Half a letter, spelled "\xe4\xba", belongs to a word."""
    return any(character.isalnum() for character in token.shown)


def last_word(tokens: Sequence[Token]) -> int:
    """The last token with a letter or a digit in it; else the last one of the reader's own; else the last."""
    own = [at for at, token in enumerate(tokens) if not token.special]
    words = [at for at in own if _has_letter(tokens[at])]
    return (words or own or [len(tokens) - 1])[-1]
