"""How large a grid is on the page, in pixels."""

import math
from dataclasses import dataclass

from attention.figures.frame import Frame, leaning
from attention.figures.grid import LABEL_LIMIT, Grid, legend
from attention.figures.labels import columns, plain_label

_CELL, _SMALLEST, _TALLEST, _WIDEST = 52, 160, 460, 560
_FEW, _SMALLEST_OF_MANY = 24, 300
_LETTER = 7.0


@dataclass(frozen=True)
class GridFrame(Frame):
    """The block of cells and its margins.

    Attributes:
        level: Whether the columns' names are short enough to stand level.
    """

    level: bool = False


def grid_frame(grid: Grid) -> GridFrame:
    """Square cells where that leaves both sides readable, and room for every name."""
    rows, cols = grid.values.shape
    width, height = _sides(rows, cols)
    longest = _longest(grid.columns)
    level = _LETTER * longest + 6 <= width / cols
    leans = leaning(cols)
    return GridFrame(
        left=max(56, int(6.3 * columns(grid.row_title)) + 26, int(_LETTER * _longest(grid.rows)) + 16),
        top=44 if level else math.ceil((4.9 if leans else 6.3) * longest + 38),
        right=max(24, 0 if level or not leans else _overhang(grid, width)),
        bottom=44 if legend(grid) else 10,
        width=width,
        height=height,
        level=level,
    )


def _sides(rows: int, cols: int) -> tuple[int, int]:
    """One pitch for both sides, but no side so short that it cannot be read, or longer than the page."""
    pitch = min(_CELL, _WIDEST / cols if cols > rows else _TALLEST / cols, _TALLEST / rows)
    most = _WIDEST if cols > rows else _TALLEST
    least = _SMALLEST if max(rows, cols) <= _FEW else _SMALLEST_OF_MANY
    width = min(most, max(pitch * cols, min(_CELL * cols, least)))
    height = min(_TALLEST, max(pitch * rows, min(_CELL * rows, least)))
    return round(width), round(height)


def _longest(names: tuple[str, ...]) -> int:
    return max(columns(plain_label(name, LABEL_LIMIT)) for name in names)


def _overhang(grid: Grid, width: int) -> int:
    """How far leaning names reach past the block."""
    pitch = width / len(grid.columns)
    reach = [
        4.9 * columns(plain_label(name, LABEL_LIMIT)) + 10 - pitch * (len(grid.columns) - at - 0.5)
        for at, name in enumerate(grid.columns)
    ]
    return math.ceil(max(reach))
