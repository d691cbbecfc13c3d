"""A matrix of numbers with named rows and columns, as it is to be drawn, and how a number becomes a shade."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from jaxtyping import Bool, Float

from attention.errors import InputError
from attention.figures.labels import plain_label
from attention.figures.numbers import MINUS, cell, measured, signed
from attention.figures.theme import Palette, Scale, role_scale, score_scale, weight_scale

GridScale: TypeAlias = Literal["weights", "scores", "allowed", "query", "key", "value", "output", "ink"]

LABEL_LIMIT = 18
"""Characters of a row's or a column's name beside the cells."""

MOST_WITH_NUMBERS, MOST_WITH_GAPS = 14, 24

_FEW_COLUMNS = 8


@dataclass(frozen=True, eq=False)
class Grid:
    """Numbers in rows and columns.

    Attributes:
        title: What it shows; the page and the exported file put it above.
        values: The numbers. −∞ is what a mask makes of a score: hatched, and written as −∞. NaN, where there
            is none, is for cells that are not allowed.
        rows: A name a row, from the top; the reader's own words too, as they are.
        columns: A name a column.
        row_title: What the rows are, such as "query, looks".
        column_title: What the columns are.
        scale: What the numbers are, hence their colours: attention weights (from 0), scores (both ways from
            0), entries of queries, keys, values or outputs (likewise), any other amount ("ink", likewise), or
            who may attend (1 or 0).
        limit: The number at the end of the colours; None is 1 for weights, else the largest magnitude.
        allowed: Which cells a mask leaves open; the others are hatched. None: all that are not −∞, and of
            "allowed" those that are not 0.
        note: What one must know to read it.
        focus_row: The row with an outline.
        focus_column: The column with an outline; with a row, their cell.
        part: Rows and columns that have one outline round them all.
    """

    title: str
    values: Float[np.ndarray, "row column"] | Bool[np.ndarray, "row column"]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_title: str
    column_title: str
    scale: GridScale = "scores"
    limit: float | None = None
    allowed: Bool[np.ndarray, "row column"] | None = None
    note: str = ""
    focus_row: int | None = None
    focus_column: int | None = None
    part: tuple[range, range] | None = None

    def __post_init__(self) -> None:
        """Keep the numbers as an array of its own; refuse parts that do not fit together."""
        values = np.array(self.values, dtype=np.float64)
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "rows", tuple(self.rows))
        object.__setattr__(self, "columns", tuple(self.columns))
        size = (len(self.rows), len(self.columns))
        if not size[0] or not size[1]:
            raise InputError(f"nothing to draw: {size[0]} rows by {size[1]} columns")
        _fits("numbers", values.shape, size)
        if self.allowed is not None:
            _fits("allowed cells", np.shape(self.allowed), size)
        _inside("row", self.focus_row, size[0])
        _inside("column", self.focus_column, size[1])
        if self.part is not None:
            _inside("row", self.part[0].stop - 1, size[0])
            _inside("column", self.part[1].stop - 1, size[1])
        _drawable(self)

    @property
    def open(self) -> Bool[np.ndarray, "row column"]:
        """The cells that are shaded and not hatched."""
        closed = np.isneginf(self.values) | ((self.values == 0) & (self.scale == "allowed"))
        allowed: Bool[np.ndarray, "row column"] = ~closed
        return allowed if self.allowed is None else np.asarray(self.allowed, dtype=np.bool_) & allowed


def attends(grid: Grid) -> bool:
    """Whether rows look and columns are looked at: their names then have the colours of query and key."""
    return grid.row_title.startswith("query") and grid.column_title.startswith("key")


def colours(grid: Grid, palette: Palette) -> Scale:
    """The colours from one end of the scale to the other."""
    match grid.scale:
        case "weights":
            return weight_scale(palette)
        case "scores":
            return score_scale(palette)
        case "allowed":
            return ((0, palette.bg), (1, palette.text2))
        case role:
            return role_scale(palette, role)


def limit(grid: Grid) -> float:
    """The number that gets the last shade; the first is its negative, or 0 for weights."""
    if grid.limit is not None:
        return grid.limit
    if grid.scale in ("weights", "allowed"):
        return 1.0
    return float(np.abs(grid.values[grid.open]).max(initial=0.0)) or 1.0


def heights(grid: Grid) -> Float[np.ndarray, "row column"]:
    """How far up the scale each number stands, 0 to 1."""
    shares = np.where(grid.open, grid.values, 0.0) / limit(grid)
    both = grid.scale not in ("weights", "allowed")
    stands: Float[np.ndarray, "row column"] = np.clip((shares + 1) / 2 if both else shares, 0, 1)
    return stands


def legend(grid: Grid) -> tuple[tuple[float, str], ...]:
    """Three places on the colour bar, 0 to 1, and what is written there; none where cells are open or not."""
    end = limit(grid)
    if grid.scale == "allowed":
        return ()
    if grid.scale == "weights":
        return ((0.0, "0"), (0.5, _short(end / 2)), (1.0, f"{_short(end)} weight"))
    return ((0.0, _short(-end)), (0.5, "0"), (1.0, _short(end)))


def cell_text(grid: Grid, row: int, column: int) -> str:
    """The number inside a cell: short enough for it, none where a weight would round to 0."""
    value = float(grid.values[row, column])
    if grid.scale == "allowed":
        return "1" if grid.open[row, column] else "0"
    if not grid.open[row, column]:
        return f"{MINUS}∞" if np.isneginf(value) else ""
    if grid.scale == "weights":
        return cell(value)
    room = 1 if len(grid.columns) <= _FEW_COLUMNS else 0
    digits = room + (-1 if abs(value) >= 99.5 else 0 if abs(value) >= 9.95 else 1)
    return _shorter(signed(value, max(0, digits if abs(value) >= 0.995 else 2)))


def reading(grid: Grid, row: int, column: int) -> str:
    """The number of a cell in full, for hovers."""
    value = float(grid.values[row, column])
    if grid.scale == "allowed":
        return "1, may attend" if grid.open[row, column] else "0, may not attend"
    if grid.open[row, column]:
        return measured(value)
    if np.isnan(value):
        return "no number"
    return f"{MINUS}∞, masked" if np.isneginf(value) else "masked"


def place(grid: Grid, row: int, column: int) -> str:
    """Which cell it is."""
    return f"{plain_label(grid.rows[row])} ({row}), {plain_label(grid.columns[column])} ({column})"


def notes(grid: Grid) -> tuple[str, ...]:
    """The lines under the picture."""
    n_outside = int((np.abs(grid.values[grid.open]) > limit(grid) * (1 + 1e-9)).sum())
    beyond = f"{n_outside} {'cell lies' if n_outside == 1 else 'cells lie'} beyond the end of the colours"
    key = "filled, 1: may attend; hatched, 0: may not" if grid.scale == "allowed" else ""
    return tuple(line for line in (key, grid.note, beyond if n_outside else "") if line)


def _short(x: float) -> str:
    return f"{x:.3g}".replace("-", MINUS)


def _shorter(text: str) -> str:
    """Without the zero before the point."""
    return text.replace("0.", ".", 1) if text.lstrip(MINUS).startswith("0.") else text


def _fits(name: str, given: tuple[int, ...], size: tuple[int, int]) -> None:
    if given != size:
        found = " × ".join(map(str, given))
        raise InputError(f"{found} {name} for a picture of {size[0]} rows by {size[1]} columns")


def _inside(name: str, at: int | None, count: int) -> None:
    if at is not None and not 0 <= at < count:
        raise InputError(f"there is no {name} {at} to point at: the picture has {count}")


def _drawable(grid: Grid) -> None:
    bad = int((~np.isfinite(grid.values[grid.open])).sum())
    if bad:
        raise InputError(f"“{grid.title}” has {bad} of {grid.values.size} cells that are no finite number")
    if grid.limit is not None and not (np.isfinite(grid.limit) and grid.limit > 0):
        raise InputError(f"the colours of “{grid.title}” cannot end at {grid.limit:g}")
