"""What each query of a tile carries along: its largest score, its sum, and how far the past is corrected.

A table of HTML, so that the picture is its own table.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention.figures.labels import numbered
from attention.figures.numbers import exact, signed
from attention.figures.strips import Floats, themed
from attention.figures.theme import Palette

MOST = 10
"""Rows that are shown; a larger tile's others are in the table of the whole step."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TileRows:
    """The running numbers of the queries of one tile.

    Attributes:
        tokens: Raw tokens of all queries.
        positions: Which of them are in the tile.
        before: [query] the largest score before this tile; −∞ where nothing was seen.
        maxima: [query] m, the largest so far.
        corrections: [query] α.
        sums: [query] l.
    """

    tokens: Sequence[str]
    positions: range
    before: Floats
    maxima: Floats
    corrections: Floats
    sums: Floats


def tile_rows(rows: TileRows, palette: Palette) -> str:
    """A line a query; those whose past is corrected stand out."""
    names = numbered(rows.tokens)
    shown = "".join(_row(rows, at, names[rows.positions[at]]) for at in range(len(rows.positions))[:MOST])
    left = len(rows.positions) - MOST
    more = f'<tr class="more"><td colspan="4">{left} more, in the table</td></tr>' if left > 0 else ""
    head = (
        '<tr><th scope="col">query</th><th scope="col" class="number">m, largest score</th>'
        '<th scope="col" class="number">α = e<sup>old m − new m</sup></th>'
        '<th scope="col" class="number">l, sum</th></tr>'
    )
    table = f'<table class="running"><thead>{head}</thead><tbody>{shown}{more}</tbody></table>'
    return themed(palette, table)


def _row(rows: TileRows, at: int, name: str) -> str:
    before, now = float(rows.before[at]), float(rows.maxima[at])
    alpha, total = float(rows.corrections[at]), float(rows.sums[at])
    kind = ' class="corrected"' if corrected(before, now) else ""
    return (
        f'<tr{kind} data-query="{rows.positions[at]}"><th scope="row"><bdi>{html.escape(name)}</bdi></th>'
        f'<td class="number">{_rise(before, now)}</td><td class="number">{_alpha(before, alpha)}</td>'
        f'<td class="number">{exact(total)}</td></tr>'
    )


def corrected(before: float, now: float) -> bool:
    """Whether something had been gathered under a smaller maximum.

    >>> corrected(1.0, 2.0), corrected(2.0, 2.0), corrected(-np.inf, 2.0)
    (True, False, False)
    """
    return bool(np.isfinite(before) and now > before)


def _rise(before: float, now: float) -> str:
    if np.isneginf(now):
        return "sees nothing yet"
    return f"{signed(before)} → <b>{signed(now)}</b>" if before < now else f"stays <b>{signed(now)}</b>"


def _alpha(before: float, alpha: float) -> str:
    return "nothing to correct" if np.isneginf(before) else f"<b>{exact(alpha)}</b>"
