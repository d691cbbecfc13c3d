"""The sheet of all heads on paper: one image of all squares, with names and marks over it."""

import math

import numpy as np
from jaxtyping import UInt8
from matplotlib.figure import Figure

from attention.export.canvas import Canvas, canvas
from attention.export.plan import BAR, GAP, LEGEND, LINE
from attention.export.view import View
from attention.figures.head_grid import HeadGrid, layer_names, meaning, pooled_note
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
    foot = 3 * GAP + BAR[1] + LINE * LEGEND * 2
    page = canvas(view, palette, (wide, high + foot))
    for layer in range(n_layers):
        for head in range(n_heads):
            _square(page, grid, (layer, head), pitch)
    _names(page, grid, pitch)
    _frame(page, grid.selected, pitch)
    note = pooled_note(grid)
    page.weight_bar(high + 2 * GAP, meaning=f"{meaning(grid)}{f'; {note}' if note else ''}")
    return page.figure


def _corner(head: tuple[int, int], pitch: float) -> tuple[float, float]:
    return _LEFT + head[1] * pitch, _ABOVE + head[0] * pitch


def _square(page: Canvas, grid: HeadGrid, head: tuple[int, int], pitch: float) -> None:
    x, y = _corner(head, pitch)
    side = pitch - _BETWEEN
    off = head in grid.heads_off
    colours = _colours(page.palette)[grid.shades[head]]
    times = math.ceil(64 / max(grid.shades.shape[2:]))  # some viewers smooth what they enlarge
    pixels = colours.repeat(times, axis=0).repeat(times, axis=1)
    reach = (x, x + side, y + side, y)
    page.axes.imshow(pixels, extent=reach, aspect="auto", interpolation="none", alpha=_FADED if off else 1.0)
    page.box((x, y), (side, side), fill=False, edgecolor=page.palette.line, linewidth=_LINE)
    if off:
        cross = ((x, x + side), (y, y + side)), ((x, x + side), (y + side, y))
        for across, down in cross:
            page.axes.plot(across, down, color=page.palette.masked, linewidth=_LINE)


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


def _colours(palette: Palette) -> UInt8[np.ndarray, "shade 3"]:
    steps = lut(weight_scale(palette))
    return np.array([list(bytes.fromhex(colour[1:])) for colour in steps], dtype=np.uint8)
