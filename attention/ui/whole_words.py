"""Word pieces put together: the words' names, and a head's picture for any page that draws one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention.analysis.whole_words import Units, allowed_between, blind_words, weights_between
from attention.analysis.words import groups
from attention.checkpoints.tokens import Token
from attention.figures.lit_sentence import WORDS_RULE
from attention.figures.picture import Picture, blind
from attention.ui.chips import label

RULE = (
    "<b>Whole words</b>: a word is given the sum over its pieces, and gives the mean of their rows. Rows "
    "still sum to 1."
)
STAY = "The seven steps, this cell and the view Neurons are computed between tokens and stay so."
STEPS_STAY = "Here the pieces of a word stay apart."
NOTE = WORDS_RULE


def in_words(drawn: Picture, queries: Sequence[Token], keys: Sequence[Token]) -> Picture:
    """The same head between words: summed over the keys of a word, averaged over its queries.

    Rows that summed to 1 still do. What is in focus becomes its word, and a word stands where its first piece
    does. A picture in which no word has more than one piece is handed back.

    Args:
        drawn: The picture of the pieces, some of which may be hidden.
        queries: All tokens that look, by position.
        keys: All tokens that are looked at.
    """
    looking = [queries[at] for at in drawn.query_positions]
    seen = [keys[at] for at in drawn.key_positions]
    rows, columns = groups(looking), groups(seen)
    if (len(rows), len(columns)) == drawn.values.shape:
        return drawn
    sees = ~np.isin(range(len(looking)), blind(drawn))
    return replace(
        drawn,
        values=weights_between(drawn.values, sees, rows, columns).astype(np.float32),
        allowed=allowed_between(drawn.allowed, rows, columns),
        query_tokens=unit_labels(looking, rows),
        key_tokens=unit_labels(seen, columns),
        query=_unit_of(drawn.query, rows),
        key=_unit_of(drawn.key, columns),
        query_positions=tuple(drawn.query_positions[unit[0]] for unit in rows),
        key_positions=tuple(drawn.key_positions[unit[0]] for unit in columns),
        note=f"{drawn.note} · {NOTE}" if drawn.note else NOTE,
        blind=blind_words(sees, rows),
    )


def _unit_of(position: int | None, units: Units) -> int | None:
    return None if position is None else next(at for at, unit in enumerate(units) if position in unit)


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
