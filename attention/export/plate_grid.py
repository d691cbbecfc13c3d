"""A grid on paper."""

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from attention.export import fonts
from attention.export.block import cells
from attention.export.drawing import bare_axes, write
from attention.export.plan import BAR, GAP, LEGEND, LINE, SMALL
from attention.export.plate_sheet import Body, Sheet, Words, sheet
from attention.figures.frame import leaning, spaced
from attention.figures.grid import (
    MOST_WITH_NUMBERS,
    Grid,
    attends,
    cell_text,
    colours,
    heights,
    legend,
)
from attention.figures.theme import Palette, lut, text_on

_PITCH, _MIDDLE, _LABEL = 30.0, 480.0, 9.0
_SHORTEST, _FEW, _SHORTEST_OF_MANY = 110.0, 24, 240.0
_MOST_LABELS = 64
_OUTLINE = 1.6


def draw_grid(grid: Grid, words: Words, palette: Palette, *, most_shapes: int) -> Figure:
    """Cells with their names, colour bar and marks, on a page with its words."""
    body = _body(grid)
    page = sheet(words, body, palette)
    axes = bare_axes(page.figure, (page.left, page.top), (body.width, body.height))
    rows, columns = grid.values.shape
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    steps = np.rint(255 * heights(grid)).astype(np.intp)
    cells(axes, steps, grid.open, colours(grid, palette), palette, most_shapes=most_shapes)
    if max(rows, columns) <= MOST_WITH_NUMBERS:
        _numbers(axes, grid, steps, palette)
    _marks(axes, grid, palette)
    _row_names(page, grid, body, palette)
    _column_names(page, grid, body, palette)
    _bar(page, grid, body, palette)
    return page.figure


def _body(grid: Grid) -> Body:
    rows, columns = grid.values.shape
    width, height = _side(columns, rows), _side(rows, columns)
    longest = max(fonts.label_width(name, _size(len(grid.rows), height)) for name in set(grid.rows))
    title = fonts.width(f"{grid.row_title} ↓", SMALL)
    rise = max(fonts.label_width(name, _size(columns, width)) for name in set(grid.columns))
    rise = (rise + SMALL) * math.sqrt(0.5) if leaning(columns) else rise
    below = GAP * 2 + (BAR[1] + LINE * LEGEND * 1.5 if legend(grid) else 0)
    return Body(
        width=width,
        height=height,
        left=max(longest, title) + GAP,
        right=max(GAP, _overhang(grid, width)),
        above=rise + GAP + SMALL * LINE + GAP,
        below=below,
    )


def _side(count: int, other: int) -> float:
    """Square cells; at most 64 names a side, each with room."""
    longest = max(count, other)
    pitch = min(_PITCH, max(_MIDDLE, 1.2 * _LABEL * min(longest, _MOST_LABELS)) / longest)
    least = _SHORTEST if longest <= _FEW else _SHORTEST_OF_MANY
    return max(pitch * count, min(_PITCH * count, least))


def _size(count: int, side: float) -> float:
    return min(9.5, max(6.0, 0.75 * side / min(count, _MOST_LABELS)))


def _overhang(grid: Grid, width: float) -> float:
    columns = len(grid.columns)
    if not leaning(columns):
        return 0.0
    size = _size(columns, width)
    reach = (
        fonts.label_width(name, size) * math.sqrt(0.5) - width / columns * (columns - at - 0.5)
        for at, name in enumerate(grid.columns)
    )
    return max(reach) + GAP


def _numbers(axes: Axes, grid: Grid, steps: np.ndarray, palette: Palette) -> None:
    shades = np.array(lut(colours(grid, palette)))[steps]
    centred: dict[str, Any] = {"ha": "center", "va": "center", "fontproperties": fonts.font(SMALL)}
    for row, column in np.ndindex(grid.values.shape):
        shown = text_on(str(shades[row, column])) if grid.open[row, column] else palette.masked
        axes.text(column, row, cell_text(grid, row, column), color=shown, **centred)


def _marks(axes: Axes, grid: Grid, palette: Palette) -> None:
    """The row in focus, or the column; with both, the row and their cell; and a part of several."""
    rows, columns = grid.values.shape
    row, column = grid.focus_row, grid.focus_column
    query, key = (palette.query, palette.key) if attends(grid) else (palette.ink, palette.ink)
    frames = [] if row is None else [(-0.5, row - 0.5, columns, 1, query)]
    if column is not None:
        frames.append(
            (column - 0.5, -0.5, 1, rows, key)
            if row is None
            else (column - 0.5, row - 0.5, 1, 1, palette.ink)
        )
    if grid.part is not None:
        down, across = grid.part
        frames.append((across.start - 0.5, down.start - 0.5, len(across), len(down), palette.ink))
    for left, top, wide, high, colour in frames:
        frame = Rectangle((left, top), wide, high, fill=False, edgecolor=colour, linewidth=_OUTLINE)
        frame.set_clip_on(False)
        axes.add_patch(frame)


def _row_names(page: Sheet, grid: Grid, body: Body, palette: Palette) -> None:
    rows = len(grid.rows)
    size = _size(rows, body.height)
    focused = palette.query if attends(grid) else palette.ink
    for row in spaced(rows, min(_MOST_LABELS, int(body.height / (1.2 * size))), grid.focus_row):
        bold = row == grid.focus_row
        at = (page.left - GAP, page.top + body.height * (row + 0.5) / rows)
        text = fonts.label(grid.rows[row], bold=bold)
        face = fonts.font(size, bold=bold)
        write(page.figure, text, at, face, focused if bold else palette.ink, ha="right", va="center")
    title = fonts.drawable(f"{grid.row_title} ↓")
    colour = palette.query if attends(grid) else palette.text2
    write(page.figure, title, (page.left - GAP, page.top - GAP), fonts.font(SMALL), colour, ha="right")


def _column_names(page: Sheet, grid: Grid, body: Body, palette: Palette) -> None:
    columns = len(grid.columns)
    size, lean = _size(columns, body.width), leaning(columns)
    turned: dict[str, Any] = {"rotation": 45 if lean else 90, "rotation_mode": "anchor"}
    turned |= {"ha": "left", "va": "baseline" if lean else "center"}
    focused = palette.key if attends(grid) else palette.ink
    for column in spaced(columns, min(_MOST_LABELS, int(body.width / (1.2 * size))), grid.focus_column):
        bold = column == grid.focus_column
        at = (page.left + body.width * (column + 0.5) / columns, page.top - GAP)
        text = fonts.label(grid.columns[column], bold=bold)
        write(page.figure, text, at, fonts.font(size, bold=bold), focused if bold else palette.ink, **turned)
    title = fonts.drawable(f"{grid.column_title} →")
    above = (page.left, page.top - body.above + SMALL)
    write(page.figure, title, above, fonts.font(SMALL), palette.key if attends(grid) else palette.text2)


def _bar(page: Sheet, grid: Grid, body: Body, palette: Palette) -> None:
    marks = legend(grid)
    if not marks:
        return
    y = page.top + body.height + 2 * GAP
    bar = bare_axes(page.figure, (page.left, y), BAR)
    scale = ListedColormap(lut(colours(grid, palette)))
    bar.imshow(np.arange(256)[None], aspect="auto", cmap=scale, interpolation="none")
    for t, text in marks:
        at = (page.left + t * BAR[0], y + BAR[1] + LEGEND * LINE)
        write(page.figure, text, at, fonts.font(LEGEND), palette.text2, ha="center")
