"""Nested squares on paper."""

from matplotlib.figure import Figure

from attention.export.canvas import Canvas
from attention.export.plate_canvas import POINT, plate_canvas
from attention.export.plate_sheet import Words
from attention.figures.squares import NAMES, SIDE, WIDTH, Square, Squares, depth
from attention.figures.theme import Palette, shade, weight_scale

_TITLE, _TEXT = 11.25, 10.0


def draw(squares: Squares, words: Words, palette: Palette) -> Figure:
    """With one corner in common, and beside each what it holds."""
    page = plate_canvas(words, (WIDTH, SIDE + 4), palette)
    many = len(squares.each)
    for at, side in reversed(list(enumerate(squares.sides))):
        fill = shade(weight_scale(palette), depth(at, many))
        page.box((0, 0), (side, side), facecolor=fill, edgecolor=palette.text2, linewidth=POINT)
    for one, side, low in zip(squares.each, squares.sides, squares.lows, strict=True):
        _name(page, one, side, low)
    return page.figure


def _name(page: Canvas, one: Square, side: float, low: float) -> None:
    way = ((side, NAMES - 14, NAMES - 4), (side, low - 1, low - 1))
    page.axes.plot(*way, color=page.palette.text2, linewidth=0.8 * POINT)
    page.text(f"{one.n_tokens:,} tokens", (NAMES, low - 19), _TITLE, page.palette.ink, bold=True)
    page.text(f"{one.count} · {one.size}", (NAMES, low - 2), _TEXT, page.palette.text2)
