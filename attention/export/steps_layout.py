"""Where the steps of one head stand on paper: two rows, as wide as a page that is read without scrolling.

The rows break after the first scores, as on a narrow page, so that a slide shows all steps in letters that
can be read. Squares are as large as the second row has room for; vectors take what is left of a row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from attention.export import fonts
from attention.export.plan import GAP
from attention.figures.step_strip import StepStrip

ABOVE, BELOW = 32.0, 52.0
NAME, FORMULA, SHAPE, VALUE = 11.0, 10.5, 8.5, 13.0
NUMBER_ROOM = 12.0
"""From a step's number to its name."""

_WIDTH, _POINT, _INSIDE, _GAP, _BETWEEN_ROWS = 664.0, 0.75, 6.0, 20.0, 14.0
_SMALLEST, _CELL, _LARGEST = 72.0, 22.0, 132.0
_LABEL, _SMALLEST_LABEL, _MOST_STRETCH = 9.0, 7.0, 2.5

Words: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Box:
    """One matrix in its place, by its upper left corner."""

    words: Words
    x: float
    y: float
    width: float


@dataclass(frozen=True, kw_only=True)
class Placed:
    """One step: its words and its matrices."""

    words: Words
    boxes: tuple[Box, ...]


@dataclass(frozen=True, kw_only=True)
class Row:
    """Steps side by side; their matrices begin at ``y`` and end at ``below``."""

    steps: tuple[Placed, ...]
    y: float
    below: float
    end: float


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where everything stands: the cell's side, where matrices begin, and the rows."""

    cell: float
    left: float
    label_size: float
    rows: tuple[Row, ...]
    width: float
    height: float


def layout(strip: StepStrip) -> Layout:
    """All steps in two rows of one width."""
    header = strip.header
    longest = max(len(header["query_labels"]), len(header["key_labels"]))
    parts, size = _broken(header["steps"]), _LABEL
    left = 2 * GAP + max(fonts.label_width(label, size) for label in header["query_labels"])
    side = min(_wanted(longest), *(_room(part, left) for part in parts))
    cell = max(side, _SMALLEST) / longest
    size = max(_SMALLEST_LABEL, min(_LABEL, 0.8 * cell))
    across = cell * len(header["key_labels"])
    width = max(_WIDTH, *(left + _row_width(part, across, 1.0) for part in parts))
    rows: list[Row] = []
    for part in parts:
        y = rows[-1].below + BELOW + _BETWEEN_ROWS + ABOVE if rows else ABOVE
        rows.append(_row(strip, part, (left, y), width, cell))
    height = rows[-1].below + BELOW
    return Layout(cell=cell, left=left, label_size=size, rows=tuple(rows), width=width, height=height)


def _broken(steps: Sequence[Words]) -> tuple[Sequence[Words], Sequence[Words]]:
    """From the vectors to their scores, and from there on."""
    first = next(at for at, step in enumerate(steps) if _is_square(step["matrices"][0])) + 1
    return steps[:first], steps[first:]


def _is_square(matrix: Words) -> bool:
    return matrix["width"] is None


def _wanted(count: int) -> float:
    return max(_SMALLEST, min(_CELL * count, _LARGEST))


def _room(steps: Sequence[Words], left: float) -> float:
    """The largest square with which a row fits, its vectors as narrow as they get."""
    squares = sum(_is_square(matrix) for step in steps for matrix in step["matrices"])
    fixed = sum(_step_width(step, 0.0, 1.0) for step in steps if not _is_square(step["matrices"][0]))
    return (_WIDTH - left - fixed - _GAP * (len(steps) - 1)) / squares


def _row_width(steps: Sequence[Words], across: float, stretch: float) -> float:
    return sum(_step_width(step, across, stretch) for step in steps) + _GAP * (len(steps) - 1)


def _step_width(step: Words, across: float, stretch: float) -> float:
    widths = [_width(matrix, across, stretch) for matrix in step["matrices"]]
    return max(sum(widths) + _INSIDE * (len(widths) - 1), _said(step))


def _width(matrix: Words, across: float, stretch: float) -> float:
    return across if _is_square(matrix) else stretch * _POINT * matrix["width"]


def _said(step: Words) -> float:
    """Room for the words of a step, which may be wider than its matrices."""
    said = [(step["formula"], FORMULA, False), (step["shape"], SHAPE, False), (step["value"], VALUE, True)]
    widths = [fonts.width(fonts.drawable(text, bold=bold), size, bold=bold) for text, size, bold in said]
    return max(NUMBER_ROOM + fonts.width(step["name"], NAME, bold=True), *widths)


def _row(
    strip: StepStrip, steps: Sequence[Words], corner: tuple[float, float], width: float, cell: float
) -> Row:
    """One row, its vectors as wide as makes it end where the other does."""
    x, y = corner
    across = cell * len(strip.header["key_labels"])
    vectors = sum(
        _width(matrix, 0.0, 1.0) for step in steps for matrix in step["matrices"] if not _is_square(matrix)
    )
    spare = width - x - _row_width(steps, across, 1.0)
    stretch = min(_MOST_STRETCH, 1 + spare / vectors) if vectors else 1.0
    placed = []
    for step in steps:
        placed.append(Placed(words=step, boxes=_boxes(step, (x, y), across, stretch)))
        x += _step_width(step, across, stretch) + _GAP
    tall = max(len(strip.arrays[matrix["array"]]) for step in steps for matrix in step["matrices"])
    return Row(steps=tuple(placed), y=y, below=y + tall * cell, end=x - _GAP)


def _boxes(step: Words, corner: tuple[float, float], across: float, stretch: float) -> tuple[Box, ...]:
    x, y = corner
    boxes = []
    for matrix in step["matrices"]:
        box = Box(words=matrix, x=x, y=y, width=_width(matrix, across, stretch))
        boxes.append(box)
        x += box.width + _INSIDE
    return tuple(boxes)
