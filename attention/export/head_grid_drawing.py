"""The sheet of all heads on paper: one image of all squares, with names and marks over it."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import UInt8
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from attention.export.canvas import Canvas, bar_height, canvas
from attention.export.plan import GAP
from attention.export.view import View
from attention.figures.head_grid import HeadGrid, layer_names, meanings, pooled_note, said
from attention.figures.theme import Palette, lut, weight_scale

_LABEL = 7.5
_LEFT, _ABOVE, _BETWEEN = 30.0, 14.0, 4.0
_SMALLEST, _LARGEST, _ROOM = 24.0, 72.0, 560.0
_FADED = 0.25
_LINE = 0.6


def draw(view: View, grid: HeadGrid, palette: Palette) -> Figure:
    """Layers down, heads across; the chosen head framed, heads that are off faded and crossed."""
    n_layers, n_heads = grid.shades.shape[:2]
    pitch = min(_LARGEST, max(_SMALLEST, _ROOM / n_heads))
    wide, high = _LEFT + n_heads * pitch, _ABOVE + n_layers * pitch
    notes = (*meanings(grid), *filter(None, [pooled_note(grid)]))
    page = canvas(view, palette, (wide, high + bar_height(notes)))
    _squares(page, grid, pitch)
    _edges(page, grid, pitch)
    for off in sorted(grid.heads_off):
        _cross(page, off, pitch)
    _names(page, grid, pitch)
    _frame(page, grid.selected, pitch)
    for one in grid.numbers:
        side = pitch - _BETWEEN
        page.says(_corner((one.layer, one.head), pitch), (side, side), said(one))
    page.weight_bar(high + 2 * GAP, notes=notes, end="1" if grid.shade == "shared" else "largest")
    return page.figure


def _corner(head: tuple[int, int], pitch: float) -> tuple[float, float]:
    return _LEFT + head[1] * pitch, _ABOVE + head[0] * pitch


def _squares(page: Canvas, grid: HeadGrid, pitch: float) -> None:
    """One image of all squares: an image for each would take seconds where there are many."""
    n_layers, n_heads, rows, columns = grid.shades.shape
    side = math.ceil(max(2 * (pitch - _BETWEEN), 2 * max(rows, columns)))
    step = round(side * pitch / (pitch - _BETWEEN))
    ground = bytes.fromhex(page.palette.bg[1:])
    pixels = np.full((n_layers * step, n_heads * step, 3), list(ground), np.uint8)
    down, across = np.arange(side) * rows // side, np.arange(side) * columns // side
    for layer, head in np.ndindex(n_layers, n_heads):
        colours = _colours(page.palette, faded=(layer, head) in grid.heads_off)
        square = colours[grid.shades[layer, head]][down][:, across]
        pixels[layer * step : layer * step + side, head * step : head * step + side] = square
    reach = (_LEFT, _LEFT + n_heads * pitch, _ABOVE + n_layers * pitch, _ABOVE)
    page.axes.imshow(pixels, extent=reach, aspect="auto", interpolation="none")


def _edges(page: Canvas, grid: HeadGrid, pitch: float) -> None:
    """A hairline round each square."""
    heads, side = np.ndindex(*grid.shades.shape[:2]), pitch - _BETWEEN
    squares = [Rectangle(_corner(head, pitch), side, side) for head in heads]
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": page.palette.line, "linewidth": _LINE}
    page.axes.add_collection(PatchCollection(squares, **look), autolim=False)


def _cross(page: Canvas, head: tuple[int, int], pitch: float) -> None:
    (x, y), side = _corner(head, pitch), pitch - _BETWEEN
    for down in ((y, y + side), (y + side, y)):
        page.axes.plot((x, x + side), down, color=page.palette.masked, linewidth=_LINE)


def _names(page: Canvas, grid: HeadGrid, pitch: float) -> None:
    every = math.ceil(4.2 * _LABEL / 1.5 / pitch)
    for head in range(0, grid.shades.shape[1], every):
        at = (_corner((0, head), pitch)[0] + (pitch - _BETWEEN) / 2, _ABOVE - 5)
        chosen = head == grid.selected[1]
        page.text(f"H{head}", at, _LABEL, _ink(page, chosen), bold=chosen, ha="center")
    for layer, name in enumerate(layer_names(grid)):
        at = (_LEFT - 6, _corner((layer, 0), pitch)[1] + (pitch - _BETWEEN) / 2)
        chosen = layer == grid.selected[0]
        page.text(name, at, _LABEL, _ink(page, chosen), bold=chosen, ha="right", va="center")


def _ink(page: Canvas, chosen: bool) -> str:
    return page.palette.ink if chosen else page.palette.text2


def _frame(page: Canvas, head: tuple[int, int], pitch: float) -> None:
    x, y = _corner(head, pitch)
    corner, side = (x - _BETWEEN / 2, y - _BETWEEN / 2), pitch
    page.box(corner, (side, side), fill=False, edgecolor=page.palette.ink, linewidth=1.6, zorder=5)


@lru_cache
def _colours(palette: Palette, *, faded: bool) -> UInt8[np.ndarray, "shade 3"]:
    """The colours of all shades; of a head that is off they are nearly the ground."""
    steps = np.array([list(bytes.fromhex(colour[1:])) for colour in lut(weight_scale(palette))])
    ground = np.array(list(bytes.fromhex(palette.bg[1:])))
    share = _FADED if faded else 1.0
    return np.rint(share * steps + (1 - share) * ground).astype(np.uint8)
