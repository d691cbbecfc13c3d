"""Tokens and words as the page's lists and axes name them."""

from __future__ import annotations

from collections.abc import Sequence

from attention.analysis.whole_words import Units
from attention.checkpoints.tokens import Token
from attention.ui.chips import label


def unit_labels(tokens: Sequence[Token], units: Units) -> tuple[str, ...]:
    """A name for each word: its pieces one after the other, without the marks that join them.

    Args:
        tokens: The tokens.
        units: The positions of each word's pieces; one each where pieces are not put together.
    """
    return tuple(_joined([tokens[at] for at in unit]) for unit in units)


def _joined(pieces: Sequence[Token]) -> str:
    return "".join((label(pieces[0]), *map(_without_mark, pieces[1:])))


def _without_mark(piece: Token) -> str:
    return piece.text.removeprefix("##") if piece.readable is None else piece.readable
