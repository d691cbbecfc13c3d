"""A view drawn by matplotlib, with the colours and marks of the page.

Only ``Figure`` objects, never pyplot: its list of open figures is shared by all readers of a server.
"""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text

from attention.export import fonts
from attention.export.block import block
from attention.export.plan import BAR, EDGE, GAP, LEGEND, LINE, SMALL, TITLE, Plan, plan
from attention.export.view import View
from attention.figures.frame import leaning, notes, spaced
from attention.figures.picture import Picture, beside, legend
from attention.figures.theme import Palette, lut, weight_scale

Place = tuple[float, float]
"""Points from the left and from the top of the page."""


def draw(view: View, palette: Palette, *, most_shapes: int) -> Figure:
    """The picture with its title, axes, colour bar and notes.

    Args:
        view: What to draw.
        palette: In which colours.
        most_shapes: Up to how many tokens each cell is a shape of its own; beyond, all are one image.
    """
    layout = plan(view)
    width, height = layout.page
    figure = Figure(figsize=(width / 72, height / 72), facecolor=palette.bg)
    _head(figure, layout, palette)
    axes = bare_axes(figure, (layout.left, layout.top), (layout.width, layout.height))
    block(axes, view.picture, layout, palette, most_shapes=most_shapes)
    _query_labels(figure, view.picture, layout, palette)
    _key_labels(figure, view.picture, layout, palette)
    _foot(figure, view.picture, layout, palette)
    return figure


def embedded_letters(figure: Figure) -> str:
    """CSS with the letters that this figure is written in."""
    written = {False: "", True: ""}
    for text in figure.findobj(Text):
        written[text.get_fontweight() == "bold"] += text.get_text()
    return fonts.embedded(written)


def _head(figure: Figure, layout: Plan, palette: Palette) -> None:
    y = EDGE
    title, small = layout.scale * TITLE, layout.scale * SMALL
    for line in layout.title:
        y += title * LINE
        write(figure, line, (EDGE, y), fonts.font(title, bold=True), palette.ink)
    for line in layout.facts:
        y += small * LINE
        write(figure, line, (EDGE, y), fonts.font(small), palette.text2)
    key = (layout.left, layout.top - layout.rise - GAP)
    query = (layout.left - GAP, layout.top - GAP)
    write(figure, "key, looked at →", key, fonts.font(small), palette.key)
    write(figure, "query, looks ↓", query, fonts.font(SMALL), palette.query, ha="right")


def _query_labels(figure: Figure, picture: Picture, layout: Plan, palette: Palette) -> None:
    tokens, _ = beside(picture)
    rows = len(tokens)
    for row in spaced(rows, int(layout.height / (1.2 * layout.label_size)), picture.query):
        focused = row == picture.query
        text = fonts.label(tokens[row], bold=focused)
        at = (layout.left - GAP, layout.top + layout.height * (row + 0.5) / rows)
        face = fonts.font(layout.label_size, bold=focused)
        write(figure, text, at, face, palette.query if focused else palette.ink, ha="right", va="center")


def _key_labels(figure: Figure, picture: Picture, layout: Plan, palette: Palette) -> None:
    _, tokens = beside(picture)
    columns = len(tokens)
    lean = leaning(columns)
    turned: dict[str, Any] = {"rotation": 45 if lean else 90, "rotation_mode": "anchor"}
    turned |= {"ha": "left", "va": "baseline" if lean else "center"}
    for column in spaced(columns, int(layout.width / (1.2 * layout.label_size)), picture.key):
        focused = column == picture.key
        text = fonts.label(tokens[column], bold=focused)
        at = (layout.left + layout.width * (column + 0.5) / columns, layout.top - GAP)
        face = fonts.font(layout.label_size, bold=focused)
        write(figure, text, at, face, palette.key if focused else palette.ink, **turned)


def _foot(figure: Figure, picture: Picture, layout: Plan, palette: Palette) -> None:
    y = layout.top + layout.height + 2 * GAP
    length, thickness = (layout.scale * side for side in BAR)
    bar = bare_axes(figure, (layout.left, y), (length, thickness))
    colours = ListedColormap(lut(weight_scale(palette)))
    bar.imshow(np.arange(256)[None], aspect="auto", cmap=colours, interpolation="none")
    size = layout.scale * LEGEND
    face = fonts.font(size)
    y += thickness + size * LINE
    for t, text in legend(picture):
        write(figure, text, (layout.left + t * length, y), face, palette.text2, ha="center")
    for note in notes(picture):
        y += size * LINE
        write(figure, fonts.drawable(note), (layout.left, y), face, palette.text2)


def bare_axes(figure: Figure, corner: Place, size: Place) -> Axes:
    """A bare plotting area; the corner is its upper left one."""
    width, height = 72 * figure.get_size_inches()
    bottom = height - corner[1] - size[1]
    axes = figure.add_axes((corner[0] / width, bottom / height, size[0] / width, size[1] / height))
    axes.set_axis_off()
    return axes


def write(figure: Figure, text: str, at: Place, face: FontProperties, colour: str, **placed: Any) -> None:
    """A line of text at a place."""
    width, height = 72 * figure.get_size_inches()
    figure.text(at[0] / width, 1 - at[1] / height, text, fontproperties=face, color=colour, **placed)
