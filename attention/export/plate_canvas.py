"""A page with its words round an empty place in which a drawing of the page is repeated."""

from attention.export.canvas import Canvas
from attention.export.drawing import bare_axes
from attention.export.plan import GAP
from attention.export.plate_sheet import Body, Words, sheet
from attention.figures.theme import Palette

POINT = 0.75
"""Points to a pixel: a file is as large as the page's drawing."""


def plate_canvas(words: Words, size: tuple[float, float], palette: Palette) -> Canvas:
    """A place of this size, in which x goes to the right and y downwards in the page's pixels.

    Text is still measured in points.
    """
    width, height = (POINT * side for side in size)
    room = Body(width=width, height=height, left=0, right=0, above=GAP, below=2 * GAP)
    page = sheet(words, room, palette)
    axes = bare_axes(page.figure, (page.left, page.top), (width, height))
    axes.set_xlim(0, size[0])
    axes.set_ylim(size[1], 0)
    return Canvas(figure=page.figure, axes=axes, palette=palette, size=(width, height), scale=1.0)
