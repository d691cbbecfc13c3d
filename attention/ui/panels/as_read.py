"""How the text reached the model, where the tokens do not show it: signs that were lost, sentences joined."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Sequence

import streamlit as st

from attention.checkpoints.tokens import Token
from attention.errors import InputError
from attention.figures.labels import plain_label
from attention.model import Model
from attention.ui.scene import Scene

MOST_NAMED = 5
_VARIATIONS = range(0xFE00, 0xFE10)


def as_read(scene: Scene) -> None:
    """A line about each of the two; nothing where there is nothing to say."""
    run, pair = scene.run.encoder or scene.run, scene.view.pair or None
    if lost := dropped(run.model, run.tokens[: run.n_real], scene.view.text, pair):
        _line(f"Dropped by the tokenizer, so not read: {_named(lost)}.")
    if pair and not tells_apart(run.model):
        joint = html.escape(_joint(run.tokens)) or "nothing, not even a space"
        _line(
            f"The second sentence is joined to the first by <b>{joint}</b>: this model has no segment ids "
            "and reads both as one text."
        )


def dropped(model: Model, tokens: Sequence[Token], text: str, pair: str | None) -> tuple[str, ...]:
    """The signs that make no difference to the model: without them the same tokens come out.

    White space apart, these are what no token covers, and unseen signs that are left out inside a token.

    Args:
        model: What reads.
        tokens: What it reads, without padding.
        text: What they were cut from.
        pair: The second sentence.
    """
    if model.tokenizer is None:  # its ids are parted by signs that nobody is meant to read
        return ()
    signs = [
        sign
        for segment, part in enumerate((text, pair or ""))
        for sign, covered in zip(part, _covered(len(part), segment, tokens), strict=True)
        if not sign.isspace() and (_is_unseen(sign) or not covered)
    ]
    return tuple(sign for sign in dict.fromkeys(signs) if _same_without(sign, model, text, pair, tokens))


def tells_apart(model: Model) -> bool:
    """Whether the model is told which of two sentences a token belongs to."""
    segments = model.transformer.embedding.segments
    return segments is not None and len(segments) > 1


def _same_without(sign: str, model: Model, text: str, pair: str | None, tokens: Sequence[Token]) -> bool:
    fewer = None if pair is None else pair.replace(sign, "")
    try:
        without = model.tokenize(text.replace(sign, ""), fewer)
    except InputError:  # nothing would be left to read
        return False
    return [token.id for token in without] == [token.id for token in tokens]


def _covered(n: int, segment: int, tokens: Sequence[Token]) -> list[bool]:
    """Which characters of a sentence some token stands for."""
    own = (token for token in tokens if token.segment == segment)
    covered = {at for token in own for at in range(token.start, token.end)}
    return [at in covered for at in range(n)]


def _is_unseen(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cc", "Cf") or ord(sign) in _VARIATIONS


def _named(signs: Sequence[str]) -> str:
    names = [f"{_name(sign)} (U+{ord(sign):04X})" for sign in signs[:MOST_NAMED]]
    more = f" and {len(signs) - MOST_NAMED} more" if len(signs) > MOST_NAMED else ""
    return html.escape(", ".join(names) + more)


def _name(sign: str) -> str:
    """What a sign is called; the sign itself where it can be seen."""
    return unicodedata.name(sign, "control character").lower() if _is_unseen(sign) else plain_label(sign)


def _joint(tokens: Sequence[Token]) -> str:
    """What stands between the last token of the first sentence and the first of the second."""
    own = [at for at, token in enumerate(tokens) if not token.special]
    second = next(at for at in own if tokens[at].segment == 1)
    first = max(at for at in own if at < second)
    return " ".join(plain_label(token.text) for token in tokens[first + 1 : second])


def _line(said: str) -> None:
    st.html(f'<div class="cap wide">{said}</div>')
