"""The gallery of masks on paper."""

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from attention.export import fonts
from attention.export.canvas import Canvas
from attention.export.plate_canvas import POINT, plate_canvas
from attention.export.plate_sheet import Words
from attention.figures.mask_gallery import MaskGallery, MaskTile
from attention.figures.mask_runs import outlines
from attention.figures.theme import Palette

_SIDE, _STEP, _DOWN, _ACROSS = 60.0, 92.0, 116.0, 8
_EDGE = 4.0
_LETTER, _LINE = 9.0, 15.0


def draw(gallery: MaskGallery, words: Words, palette: Palette) -> Figure:
    """Eight masks a row, each over its name; the chosen one framed."""
    n = len(gallery.tiles)
    size = (min(n, _ACROSS) * _STEP, math.ceil(n / _ACROSS) * _DOWN)
    page = plate_canvas(words, size, palette)
    for at, tile in enumerate(gallery.tiles):
        corner = ((at % _ACROSS) * _STEP + (_STEP - _SIDE) / 2, at // _ACROSS * _DOWN + _EDGE)
        _cells(page, tile, corner)
        _frame(page, corner, chosen=tile.name == gallery.chosen)
        _name(page, tile, corner, chosen=tile.name == gallery.chosen)
    return page.figure


def _cells(page: Canvas, tile: MaskTile, corner: tuple[float, float]) -> None:
    """Hatch, and open cells filled over it."""
    page.hatch(corner, (_SIDE, _SIDE))
    rows, columns = tile.allowed.shape
    corners = np.stack(outlines(~tile.allowed), axis=-1).reshape(-1, 6, 2)[:, :5] + 0.5
    if not len(corners):
        return
    places = corners * (_SIDE / columns, _SIDE / rows) + corner
    strokes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(corners)
    shape = Path(places.reshape(-1, 2), strokes)
    # The cells' own edge closes the seam between two rows.
    colour = page.palette.text2
    page.axes.add_patch(PathPatch(shape, facecolor=colour, edgecolor=colour, linewidth=0.2))


def _frame(page: Canvas, corner: tuple[float, float], *, chosen: bool) -> None:
    hair = {"facecolor": "none", "edgecolor": page.palette.line, "linewidth": POINT}
    page.box(corner, (_SIDE, _SIDE), **hair)
    if chosen:
        outside = (corner[0] - 3, corner[1] - 3)
        look = {"facecolor": "none", "edgecolor": page.palette.ink, "linewidth": 2 * POINT}
        page.box(outside, (_SIDE + 6, _SIDE + 6), **look)


def _name(page: Canvas, tile: MaskTile, corner: tuple[float, float], *, chosen: bool) -> None:
    colour = page.palette.ink if chosen else page.palette.text2
    room = POINT * (_STEP - 4)
    for at, line in enumerate(fonts.wrap(tile.title, _LETTER, room, 2, bold=chosen)):
        where = (corner[0] + _SIDE / 2, corner[1] + _SIDE + 19 + at * _LINE)
        page.text(line, where, _LETTER, colour, bold=chosen, ha="center")
