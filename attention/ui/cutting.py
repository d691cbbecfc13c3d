"""A text that is too long, cut to what the model takes; only ever done when the reader asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attention.checkpoints.tokens import Token
from attention.errors import AttentionError
from attention.ui import cache
from attention.ui.view import ViewState


@dataclass(frozen=True)
class Shorter:
    """A text that fits.

    Attributes:
        text: The sentence, cut at the end of a word.
        pair: The second sentence, likewise.
        n_tokens: How many tokens are left.
        n_before: How many there were.
    """

    text: str
    pair: str | None
    n_tokens: int
    n_before: int


def cut(view: ViewState) -> Shorter | None:
    """The view's text cut to the model's positions; None when it is not too long or cannot be read at all."""
    try:
        model = cache.model(view.model)
        tokens = model.tokenize(view.text, view.pair or None)
    except AttentionError:
        return None
    limit = (model.encoder_config or model.config).n_positions
    if len(tokens) <= limit:
        return None
    own = [[token for token in tokens if not token.special and token.segment == side] for side in (0, 1)]
    room = limit - sum(token.special for token in tokens)
    first, second = _share(room, len(own[0]), len(own[1]))
    text, kept = _upto(view.text, own[0], first)
    pair, kept_of_pair = _upto(view.pair, own[1], second) if view.pair else (view.pair, 0)
    return Shorter(text, pair, limit - room + kept + kept_of_pair, len(tokens))


def _share(room: int, first: int, second: int) -> tuple[int, int]:
    """How many tokens of each sentence stay: the longer one gives way first."""
    half = room // 2
    if second <= half:
        return min(first, room - second), second
    if first <= room - half:
        return first, min(second, room - first)
    return room - half, half


def _upto(text: str, tokens: Sequence[Token], count: int) -> tuple[str, int]:
    """The text of the first tokens, without a word that would be left in pieces."""
    if count >= len(tokens):
        return text, len(tokens)
    while count > 1 and tokens[count].word is not None and tokens[count].word == tokens[count - 1].word:
        count -= 1
    return text[: tokens[count - 1].end], count
