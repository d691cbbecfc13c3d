"""The steps of one head on paper: matrices of one row height, the query one line through them all."""

from typing import Any

import numpy as np
from jaxtyping import UInt8
from matplotlib.figure import Figure

from attention.export.canvas import Canvas, canvas
from attention.export.hovers import MOST
from attention.export.plan import GAP, LEGEND, LINE
from attention.export.steps_layout import (
    FORMULA,
    NAME,
    NUMBER_ROOM,
    SHAPE,
    VALUE,
    Box,
    Layout,
    Placed,
    Row,
    Words,
    layout,
)
from attention.export.view import View
from attention.figures.frame import spaced
from attention.figures.mask_runs import mask_runs
from attention.figures.numbers import cell, share, signed
from attention.figures.step_strip import StepStrip, scales
from attention.figures.theme import Palette, lut, text_on

_ROOM_FOR_NUMBERS = 16.0


def draw(view: View, strip: StepStrip, palette: Palette) -> Figure:
    """All steps in two rows."""
    places = layout(strip)
    note = f"Shown here: {strip.header['note']}. " if strip.header["note"] else ""
    legend = (
        f"{note}Amber is above zero, steel below; in X, Q, K, V and Z grey is below zero; hatched is masked."
    )
    page = canvas(view, palette, (places.width, places.height + 2 * GAP + LINE * LEGEND))
    for row in places.rows:
        _line(page, strip, row, places)
        _labels(page, strip, row, places)
        for step in row.steps:
            _words(page, step, row)
            for box in step.boxes:
                _matrix(page, strip, box, places)
                _marks(page, strip, box, places)
                _says(page, strip, step.words, box, places)
    page.text(legend, (0, places.height + 2 * GAP), page.scale * LEGEND, palette.text2)
    return page.figure


def _line(page: Canvas, strip: StepStrip, row: Row, places: Layout) -> None:
    """The query's line, behind everything."""
    y = row.y + (strip.header["query"] - strip.header["first_query"] + 0.5) * places.cell
    page.axes.plot((places.left - GAP, row.end), (y, y), color=page.palette.query, linewidth=0.75, zorder=0)


def _labels(page: Canvas, strip: StepStrip, row: Row, places: Layout) -> None:
    """The queries' names, thinned out where they would touch."""
    labels, size = strip.header["query_labels"], places.label_size
    focus = strip.header["query"] - strip.header["first_query"]
    for at in spaced(len(labels), int(len(labels) * places.cell / (1.2 * size)), focus):
        colour = page.palette.query if at == focus else page.palette.ink
        place = (places.left - 2 * GAP, row.y + (at + 0.5) * places.cell)
        page.text(labels[at], place, size, colour, bold=at == focus, ha="right", va="center")


def _words(page: Canvas, step: Placed, row: Row) -> None:
    palette, words, x, below = page.palette, step.words, step.boxes[0].x, row.below
    colours = vars(palette)
    page.text(str(words["number"]), (x, row.y - 20), SHAPE, palette.text2)
    page.text(words["name"], (x + NUMBER_ROOM, row.y - 20), NAME, colours[words["role"]], bold=True)
    page.text(words["formula"], (x, below + 14), FORMULA, palette.ink, style="italic")
    page.text(words["shape"], (x, below + 26), SHAPE, palette.text2)
    page.text(words["value"], (x, below + 44), VALUE, colours[words["value_role"]], bold=True)
    if words["value_says"]:
        page.says((x, below + 44 - VALUE), (page.width - x, 1.3 * VALUE), words["value_says"])


def _matrix(page: Canvas, strip: StepStrip, box: Box, places: Layout) -> None:
    words, values = box.words, strip.arrays[box.words["array"]]
    colours = _colours(values, words, page.palette)
    high = len(values) * places.cell
    reach = (box.x, box.x + box.width, box.y + high, box.y)
    page.axes.imshow(_enlarged(colours), extent=reach, aspect="auto", interpolation="none", zorder=1)
    if words["hatched"]:
        for row, start, stop in mask_runs(strip.arrays["allowed"] > 0):
            across = places.cell
            page.hatch(
                (box.x + start * across, box.y + row * places.cell), ((stop - start) * across, places.cell)
            )
    page.box((box.x, box.y), (box.width, high), fill=False, edgecolor=page.palette.line, linewidth=0.6)
    if words["width"] is None and places.cell >= _ROOM_FOR_NUMBERS:
        _numbers(page, strip, box, places, colours)
    if words["label"]:
        colour = vars(page.palette)[words["role"]]
        page.text(words["label"], (box.x + box.width / 2, box.y - 5), 9, colour, bold=True, ha="center")


def _numbers(
    page: Canvas, strip: StepStrip, box: Box, places: Layout, colours: UInt8[np.ndarray, "row column 3"]
) -> None:
    values, allowed = strip.arrays[box.words["array"]], strip.arrays["allowed"] > 0
    for row, column in np.ndindex(*values.shape):
        open_ = bool(allowed[row, column]) or not box.words["hatched"]
        at = (box.x + (column + 0.5) * places.cell, box.y + (row + 0.5) * places.cell)
        ground = "#{:02X}{:02X}{:02X}".format(*colours[row, column])
        text = _number(float(values[row, column]), box.words, open_)
        colour = text_on(ground) if open_ else page.palette.masked
        page.text(text, at, 6.0, colour, ha="center", va="center")


def _says(page: Canvas, strip: StepStrip, step: Words, box: Box, places: Layout) -> None:
    """Each cell of a square in numbers, or where they are many each row: its token."""
    words, header, values = box.words, strip.header, strip.arrays[box.words["array"]]
    names, of = header[f"{words['rows']}_labels"], f"{step['name']} {words['label']}".strip()
    squares = words["width"] is None and values.size <= MOST // 4  # four squares
    for row, name in enumerate(names):
        corner, cell_ = (box.x, box.y + row * places.cell), places.cell
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


def _marks(page: Canvas, strip: StepStrip, box: Box, places: Layout) -> None:
    """The row of the query, or of the key; and in a square the chosen cell."""
    header, words = strip.header, box.words
    side = words["rows"]
    row = header[side] - header[f"first_{side}"]
    if not 0 <= row < len(strip.arrays[words["array"]]):
        return
    colour = vars(page.palette)[words["role"] if side == "key" else "query"]
    look = {"fill": False, "linewidth": 1.4, "zorder": 4}
    y = box.y + row * places.cell
    page.box((box.x - 1, y - 0.5), (box.width + 2, places.cell + 1), edgecolor=colour, **look)
    column = header["key"] - header["first_key"]
    if words["width"] is None:
        corner = (box.x + column * places.cell - 0.5, y - 0.5)
        page.box(corner, (places.cell + 1, places.cell + 1), edgecolor=page.palette.ink, **look)


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
