"""The steps of one head on paper: matrices of one row height, the query one line through them all."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import UInt8
from matplotlib.figure import Figure

from attention.export import fonts
from attention.export.canvas import Canvas, canvas
from attention.export.hovers import MOST
from attention.export.plan import GAP, LEGEND, LINE
from attention.export.view import View
from attention.figures.mask_runs import mask_runs
from attention.figures.numbers import cell, share, signed
from attention.figures.step_strip import StepStrip, scales
from attention.figures.theme import Palette, lut, text_on

_ABOVE, _BELOW, _INSIDE, _GAP = 40.0, 58.0, 6.0, 20.0
_POINT = 0.75
_SMALLEST, _WIDE, _NARROW, _LARGEST = 84.0, 22.0, 7.8, 260.0
_ROOM_FOR_NUMBERS, _LABEL = 16.0, 8.0

Words = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class _Box:
    """One matrix in its place."""

    words: Words
    x: float
    width: float


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """Where everything stands: the cell's side and the boxes of each step."""

    cell: float
    left: float
    boxes: tuple[tuple[_Box, ...], ...]
    width: float
    height: float


def draw(view: View, strip: StepStrip, palette: Palette) -> Figure:
    """All steps in one row."""
    layout = _layout(strip)
    note = f"Shown here: {strip.header['note']}. " if strip.header["note"] else ""
    legend = (
        f"{note}Amber is above zero, steel below; in X, Q, K, V and Z grey is below zero; hatched is masked."
    )
    page = canvas(view, palette, (layout.width, layout.height + 2 * GAP + LINE * LEGEND))
    _line(page, strip, layout)
    _labels(page, strip, layout)
    for step, boxes in zip(strip.header["steps"], layout.boxes, strict=True):
        _words(page, step, boxes[0].x, layout)
        for box in boxes:
            _matrix(page, strip, box, layout)
            _marks(page, strip, box, layout)
            _says(page, strip, step, box, layout)
    page.text(legend, (0, layout.height + 2 * GAP), page.scale * LEGEND, palette.text2)
    return page.figure


def _layout(strip: StepStrip) -> _Layout:
    rows, columns = len(strip.header["query_labels"]), len(strip.header["key_labels"])
    side = _side(max(rows, columns))
    pitch = side / max(rows, columns)
    left = 2 * GAP + max(
        fonts.label_width(label, _label_size(pitch)) for label in strip.header["query_labels"]
    )
    x, steps = left, []
    for step in strip.header["steps"]:
        boxes = []
        start = x
        for words in step["matrices"]:
            width = columns * pitch if words["width"] is None else _POINT * words["width"]
            boxes.append(_Box(words=words, x=x, width=width))
            x += width + _INSIDE
        x = max(x - _INSIDE, start + _widest(step)) + _GAP
        steps.append(tuple(boxes))
    height = _ABOVE + side + _BELOW
    return _Layout(cell=pitch, left=left, boxes=tuple(steps), width=x - _GAP, height=height)


def _side(count: int) -> float:
    """A square's side: rows high enough for a label each, and a square never tiny."""
    return max(_SMALLEST, min(_WIDE * count, max(_LARGEST, _NARROW * count)))


def _widest(step: Words) -> float:
    """Room for the words of a step, which may be wider than its matrices."""
    said = [(step["name"], 9.5, True), (step["formula"], 9.0, False), (step["shape"], 7.5, False)]
    said += [(step["value"], 12.0, True)]
    return max(fonts.width(fonts.drawable(text, bold=bold), size, bold=bold) for text, size, bold in said)


def _label_size(pitch: float) -> float:
    return min(_LABEL, max(4.5, 0.8 * pitch))


def _y(layout: _Layout, row: float) -> float:
    return _ABOVE + row * layout.cell


def _line(page: Canvas, strip: StepStrip, layout: _Layout) -> None:
    """The query's line, behind everything."""
    row = strip.header["query"] - strip.header["first_query"]
    y = _y(layout, row + 0.5)
    page.axes.plot(
        (layout.left - GAP, layout.width), (y, y), color=page.palette.query, linewidth=0.75, zorder=0
    )


def _labels(page: Canvas, strip: StepStrip, layout: _Layout) -> None:
    focus = strip.header["query"] - strip.header["first_query"]
    size = _label_size(layout.cell)
    for row, label in enumerate(strip.header["query_labels"]):
        focused = row == focus
        colour = page.palette.query if focused else page.palette.ink
        at = (layout.left - 2 * GAP, _y(layout, row + 0.5))
        page.text(label, at, size, colour, bold=focused, ha="right", va="center")


def _words(page: Canvas, step: Words, x: float, layout: _Layout) -> None:
    palette, below = page.palette, layout.height - _BELOW
    colours = vars(palette)
    page.text(str(step["number"]), (x, 9), 7.5, palette.text2)
    page.text(step["name"], (x, 22), 9.5, colours[step["role"]], bold=True)
    page.text(step["formula"], (x, below + 14), 9, palette.ink, style="italic")
    page.text(step["shape"], (x, below + 26), 7.5, palette.text2)
    page.text(step["value"], (x, below + 44), 12, colours[step["value_role"]], bold=True)


def _matrix(page: Canvas, strip: StepStrip, box: _Box, layout: _Layout) -> None:
    words, values = box.words, strip.arrays[box.words["array"]]
    colours = _colours(values, words, page.palette)
    high = len(values) * layout.cell
    reach = (box.x, box.x + box.width, _ABOVE + high, _ABOVE)
    page.axes.imshow(_enlarged(colours), extent=reach, aspect="auto", interpolation="none", zorder=1)
    if words["hatched"]:
        for row, start, stop in mask_runs(strip.arrays["allowed"] > 0):
            across = layout.cell
            page.hatch((box.x + start * across, _y(layout, row)), ((stop - start) * across, layout.cell))
    page.box((box.x, _ABOVE), (box.width, high), fill=False, edgecolor=page.palette.line, linewidth=0.6)
    if words["width"] is None and layout.cell >= _ROOM_FOR_NUMBERS:
        _numbers(page, strip, box, layout, colours)
    if words["label"]:
        colour = vars(page.palette)[words["role"]]
        page.text(words["label"], (box.x + box.width / 2, _ABOVE - 5), 9, colour, bold=True, ha="center")


def _numbers(
    page: Canvas, strip: StepStrip, box: _Box, layout: _Layout, colours: UInt8[np.ndarray, "row column 3"]
) -> None:
    values, allowed = strip.arrays[box.words["array"]], strip.arrays["allowed"] > 0
    for row, column in np.ndindex(*values.shape):
        open_ = bool(allowed[row, column]) or not box.words["hatched"]
        at = (box.x + (column + 0.5) * layout.cell, _y(layout, row + 0.5))
        ground = "#{:02X}{:02X}{:02X}".format(*colours[row, column])
        text = _number(float(values[row, column]), box.words, open_)
        colour = text_on(ground) if open_ else page.palette.masked
        page.text(text, at, 6.0, colour, ha="center", va="center")


def _says(page: Canvas, strip: StepStrip, step: Words, box: _Box, layout: _Layout) -> None:
    """Each cell of a square in numbers, or where they are many each row: its token."""
    words, header, values = box.words, strip.header, strip.arrays[box.words["array"]]
    names, of = header[f"{words['rows']}_labels"], f"{step['name']} {words['label']}".strip()
    squares = words["width"] is None and values.size <= MOST // 4  # four squares
    for row, name in enumerate(names):
        corner, cell_ = (box.x, _y(layout, row)), layout.cell
        if not squares:
            page.says(corner, (box.width, cell_), f"{of}: {name}")
            continue
        for column, key in enumerate(header["key_labels"]):
            open_ = bool(strip.arrays["allowed"][row, column]) or not words["hatched"]
            number = (signed if words["signed"] else share)(float(values[row, column])) if open_ else "masked"
            place = (box.x + column * cell_, corner[1])
            page.says(place, (cell_, cell_), f"{of}: {name} looks at {key}, {number}")


def _number(value: float, words: Words, open_: bool) -> str:
    if not words["signed"]:
        return cell(value) if open_ else ""
    return (signed(value, 2) if abs(value) < 1 else signed(value, 1)) if open_ else "−∞"


def _marks(page: Canvas, strip: StepStrip, box: _Box, layout: _Layout) -> None:
    """The row of the query, or of the key; and in a square the chosen cell."""
    header, words = strip.header, box.words
    side = words["rows"]
    row = header[side] - header[f"first_{side}"]
    if not 0 <= row < len(strip.arrays[words["array"]]):
        return
    colour = vars(page.palette)[words["role"] if side == "key" else "query"]
    look = {"fill": False, "linewidth": 1.4, "zorder": 4}
    y = _y(layout, row)
    page.box((box.x - 1, y - 0.5), (box.width + 2, layout.cell + 1), edgecolor=colour, **look)
    column = header["key"] - header["first_key"]
    if words["width"] is None:
        corner = (box.x + column * layout.cell - 0.5, y - 0.5)
        page.box(corner, (layout.cell + 1, layout.cell + 1), edgecolor=page.palette.ink, **look)


def _colours(values: Any, words: Words, palette: Palette) -> UInt8[np.ndarray, "row column 3"]:
    steps = np.array(
        [list(bytes.fromhex(hex_[1:])) for hex_ in lut(scales(palette)[words["ramp"]])], np.uint8
    )
    shares = np.nan_to_num(np.asarray(values, np.float64), neginf=0.0) / words["limit"]
    at = 0.5 + 0.5 * shares if words["signed"] else shares
    found: UInt8[np.ndarray, "row column 3"] = steps[np.rint(255 * np.clip(at, 0, 1)).astype(np.intp)]
    return found


def _enlarged(colours: UInt8[np.ndarray, "row column 3"]) -> UInt8[np.ndarray, "row column 3"]:
    """Each cell several pixels wide: some viewers smooth what they enlarge."""
    return colours.repeat(8, axis=0).repeat(8, axis=1)
