"""How large a heatmap is and which of its labels there is room for, in pixels of the page."""

import math
from dataclasses import dataclass

from attention.figures.labels import columns, plain_label
from attention.figures.picture import Picture, beside, blind

LABEL_LIMIT = 14
"""Characters of a tick label."""

_CELL, _SMALLEST, _LARGEST = 52, 200, 460
_MOST_LABELS = 64
_ROOM_FOR_ONE = 11
_ROW_FOR_WORDS = 12


@dataclass(frozen=True)
class Frame:
    """The block of cells (width × height) and the margins round it."""

    left: int
    top: int
    right: int
    bottom: int
    width: int
    height: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height over all."""
        return self.left + self.width + self.right, self.top + self.height + self.bottom


def frame(picture: Picture) -> Frame:
    """Square cells where the page is wide enough, and room for every label and note."""
    rows, cols = picture.values.shape
    width, height = _side(cols, rows), _side(rows, cols)
    rows_said, columns_said = beside(picture)
    longest_query, longest_key = _longest(rows_said), _longest(columns_said)
    rise = 4.9 if leaning(cols) else 6.3
    return Frame(
        left=max(96, 7 * longest_query + 16),
        top=math.ceil(rise * longest_key + 38),
        right=max(34, _overhang(columns_said, width)),
        bottom=44 + 18 * len(notes(picture)),
        width=width,
        height=height,
    )


def notes(picture: Picture) -> tuple[str, ...]:
    """The lines under the colour bar: tokens not shown, and blind queries too thin to be written on."""
    n_blind = len(blind(picture))
    if not n_blind or words_fit(picture):
        return (picture.note,) if picture.note else ()
    one, several = ("query", "queries") if picture.block[0] == 1 else ("row", "rows")
    said = f"1 {one} sees nothing" if n_blind == 1 else f"{n_blind} {several} see nothing"
    return (picture.note, said) if picture.note else (said,)


def words_fit(picture: Picture) -> bool:
    """Whether a row is high enough to be written on."""
    return row_height(picture) >= _ROW_FOR_WORDS


def row_height(picture: Picture) -> float:
    """Height of one row of cells."""
    n_queries, n_keys = len(picture.query_tokens), len(picture.key_tokens)
    return _side(n_queries, n_keys) / n_queries


def leaning(n_labels: int) -> bool:
    """Whether there is room for key labels at 45 degrees; beyond, they stand upright."""
    return n_labels <= 16


def tick_size(n_labels: int) -> float:
    """Height of tick labels; smaller ones are not read."""
    return 13 if n_labels <= 20 else 10.5


def ticks(n_labels: int, side: float, focus: int | None) -> tuple[int, ...]:
    """Which tokens of an axis get a label on the page."""
    return spaced(n_labels, min(_MOST_LABELS, int(side) // _ROOM_FOR_ONE), focus)


def spaced(n_labels: int, most: int, focus: int | None) -> tuple[int, ...]:
    """All labels where there is room, or every so many of them; the one in focus always, in its own room.

    >>> spaced(5, most=9, focus=None)
    (0, 1, 2, 3, 4)
    >>> spaced(200, most=46, focus=7)[:4]
    (0, 7, 15, 20)
    """
    step = math.ceil(n_labels / max(1, most))
    shown = tuple(range(0, n_labels, step))
    if focus is None or focus in shown:
        return shown
    return tuple(sorted((focus, *(at for at in shown if abs(at - focus) >= step))))


def _side(n_labels: int, n_other: int) -> int:
    """One side of the block: square cells, but never so flat that the shorter axis cannot be read."""
    pitch = min(max(_CELL * max(n_labels, n_other), _SMALLEST), _LARGEST) / max(n_labels, n_other)
    return round(max(pitch * n_labels, min(_CELL * n_labels, _SMALLEST)))


def _longest(tokens: tuple[str, ...]) -> int:
    return max(columns(plain_label(token, LABEL_LIMIT)) for token in tokens)


def _overhang(tokens: tuple[str, ...], width: int) -> int:
    """How far the last leaning labels reach past the block."""
    if not leaning(len(tokens)):
        return 0
    pitch = width / len(tokens)
    reach = [
        4.9 * columns(plain_label(token, LABEL_LIMIT)) + 10 - pitch * (len(tokens) - at - 0.5)
        for at, token in enumerate(tokens)
    ]
    return math.ceil(max(reach))
