"""One block of a model on paper: its residual stream and what hangs on it."""

from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Polygon

from attention.export.canvas import Canvas
from attention.export.plate_canvas import POINT, plate_canvas
from attention.export.plate_sheet import Words
from attention.figures.block_drawing import (
    STROKES,
    Label,
    arrowhead,
    beside,
    box_size,
    memory,
    stream,
    stream_head,
    written,
)
from attention.figures.block_layout import HEIGHTS, STREAM, Block, Line, Node, lay_out
from attention.figures.theme import Palette


def draw(block: Block, words: Words, palette: Palette) -> Figure:
    """The stream at the left, sublayers at the right, norms where they stand."""
    laid = lay_out(block)
    page = plate_canvas(words, (laid.width, laid.height), palette)
    page.axes.plot([STREAM] * 2, [6, stream(laid)], color=palette.ink, linewidth=3 * POINT, zorder=1)
    page.axes.add_patch(Polygon(stream_head(laid), facecolor=palette.ink, linewidth=0))
    way = memory(laid)
    for line in laid.lines if way is None else (*laid.lines, way):
        _line(page, line)
    for node in laid.nodes:
        _shape(page, node)
        for label in written(node):
            _text(page, label)
    for label in beside(laid):
        _text(page, label)
    return page.figure


def _line(page: Canvas, line: Line) -> None:
    across, down = zip(*line.points, strict=True)
    page.axes.plot(across, down, color=page.palette.text2, linewidth=1.5 * POINT, zorder=1)
    head = Polygon(arrowhead(*line.points[-2:]), facecolor=page.palette.text2, linewidth=0)
    page.axes.add_patch(head)


def _shape(page: Canvas, node: Node) -> None:
    palette, edge = page.palette, 1.5 * POINT
    if node.kind == "branch":
        page.axes.add_patch(Circle((node.x, node.y), 4, facecolor=palette.ink, linewidth=0, zorder=2))
        return
    if node.kind == "add":
        look = {"facecolor": palette.bg, "edgecolor": palette.ink, "linewidth": edge, "zorder": 2}
        page.axes.add_patch(Circle((node.x, node.y), HEIGHTS["add"] / 2, **look))
        return
    width, height, radius = box_size(node)
    stroke = getattr(palette, STROKES.get(node.kind, "beam"))
    round_box = FancyBboxPatch(
        (node.x - width / 2, node.top), width, height, f"round,pad=0,rounding_size={radius}"
    )
    round_box.set(facecolor=palette.panel, edgecolor=stroke, linewidth=edge, zorder=2)
    page.axes.add_patch(round_box)


def _text(page: Canvas, label: Label) -> None:
    placed = {"ha": "left" if label.anchor == "start" else "center", "zorder": 3}
    colour = getattr(page.palette, label.colour)
    page.text(label.text, (label.x, label.y), POINT * label.size, colour, bold=label.bold, **placed)
