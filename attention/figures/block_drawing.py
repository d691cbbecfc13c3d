"""One block as a drawing: where norms, residual adds, attention and MLP sit.

The residual stream runs down at the left. A sublayer hangs on it at the right: it reads the stream at a dot
and is added back at a plus. A norm that stands on the stream itself changes what every later layer reads;
one that stands beside it changes what its sublayer reads or writes. Attention is one part of several.
"""

import html
from collections.abc import Sequence

from attention.figures.block_layout import (
    BOX_WIDTH,
    CHIP_WIDTH,
    HEIGHTS,
    NAMES,
    STREAM,
    Block,
    Layout,
    Line,
    Node,
    Sublayer,
    lay_out,
)
from attention.figures.strips import themed
from attention.figures.theme import Palette

_MEMORY_WAY = 34
_HEAD = 5


def block_drawing(block: Block, palette: Palette) -> str:
    """The drawing as markup, with the same in words for those who cannot see it."""
    laid = lay_out(block)
    inner = [
        *_stream(laid),
        *(_line(line) for line in laid.lines),
        *_memory(laid),
        *(_node(node) for node in laid.nodes),
    ]
    size = f'viewBox="0 0 {laid.width} {laid.height}" width="{laid.width}"'
    name = f'role="img" aria-label="{html.escape(describe(block))}"'
    return themed(palette, f'<svg class="block" {name} {size} style="{_FIT}">{"".join(inner)}</svg>')


def describe(block: Block) -> str:
    """The same in words.

    >>> describe(Block(sublayers=(Sublayer(kind="mlp", before="RMSNorm"),)))
    'One block. The MLP reads the residual stream through RMSNorm; what it makes is added to the stream.'
    """
    if block.parallel:
        both = " ".join(_said(sublayer) for sublayer in block.sublayers)
        return f"One block. All read the residual stream as it came in, side by side. {both}"
    return " ".join(["One block.", *(_said(sublayer) for sublayer in block.sublayers)])


def _said(sublayer: Sublayer) -> str:
    name = NAMES[sublayer.kind]
    through = f" through {sublayer.before}" if sublayer.before else ""
    memory = ", and the encoder’s memory for keys and values" if sublayer.kind == "cross" else ""
    normed = f" goes through {sublayer.after_sublayer} and" if sublayer.after_sublayer else ""
    on_stream = f", and the sum goes through {sublayer.after_add}" if sublayer.after_add else ""
    named = name if name.isupper() else name.lower()
    return (
        f"The {named} reads the residual stream{through}{memory}; what it makes{normed} is added to the "
        f"stream{on_stream}."
    )


_FIT = "max-width:100%;height:auto"
_FLOW = 'fill="none" stroke="var(--text2)" stroke-width="1.5"'


def _stream(laid: Layout) -> list[str]:
    """The line everything hangs on, and what it comes from and goes to."""
    end = laid.height - 20
    return [
        f'<line class="stream" x1="{STREAM}" y1="6" x2="{STREAM}" y2="{end}" stroke="var(--ink)" '
        'stroke-width="3"/>',
        _head((STREAM, end + _HEAD), (0, 1), "var(--ink)"),
        _text(STREAM + 14, 18, "residual stream, from the layer before", "start"),
        _text(STREAM + 14, laid.height - 14, "to the next layer", "start"),
    ]


def _line(line: Line) -> str:
    (before_x, before_y), (x, y) = line.points[-2:]
    towards = ((x > before_x) - (x < before_x), (y > before_y) - (y < before_y))
    points = " ".join(f"{px:g},{py:g}" for px, py in line.points)
    return f'<polyline points="{points}" {_FLOW}/>' + _head((x, y), towards, "var(--text2)")


def _head(tip: tuple[float, float], towards: tuple[int, int], colour: str) -> str:
    """A small triangle whose tip is here."""
    (x, y), (dx, dy) = tip, towards
    back_x, back_y = x - 1.4 * _HEAD * dx, y - 1.4 * _HEAD * dy
    side_x, side_y = 0.8 * _HEAD * dy, 0.8 * _HEAD * dx
    corners = ((x, y), (back_x + side_x, back_y + side_y), (back_x - side_x, back_y - side_y))
    return f'<polygon points="{_points(corners)}" fill="{colour}"/>'


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _memory(laid: Layout) -> list[str]:
    """The second source of a block that reads an encoder."""
    if laid.memory is None:
        return []
    x, y = laid.memory
    return [
        _line(Line(((x + _MEMORY_WAY, y), (x, y)))),
        _text(x + _MEMORY_WAY + 6, y - 4, "keys, values:", "start"),
        _text(x + _MEMORY_WAY + 6, y + 12, "the encoder’s", "start"),
        _text(x + _MEMORY_WAY + 6, y + 28, "memory", "start"),
    ]


def _node(node: Node) -> str:
    place = f'class="{node.kind}" data-x="{node.x:g}" data-y="{node.y:g}"'
    return f"<g {place}>{_shape(node)}</g>"


def _shape(node: Node) -> str:
    if node.kind == "branch":
        return f'<circle cx="{node.x:g}" cy="{node.y:g}" r="4" fill="var(--ink)"/>'
    if node.kind == "add":
        circle = f'<circle cx="{node.x:g}" cy="{node.y:g}" r="{HEIGHTS["add"] / 2:g}" {_FILLED}/>'
        return circle + _text(node.x, node.y + 6, node.label, "middle", "var(--ink)", 18)
    if node.kind == "norm":
        return _box(node, CHIP_WIDTH, 13) + _text(node.x, node.y + 4.5, node.label, "middle", "var(--ink)")
    return _box(node, BOX_WIDTH, 4) + _words(node)


def _words(node: Node) -> str:
    """A name and the lines under it, in the middle of their box."""
    first = node.y + 5 - 8.5 * len(node.detail)
    name = _text(node.x, first, node.label, "middle", "var(--ink)", 15, 600)
    return name + "".join(
        _text(node.x, first + 18 + 16 * at, line, "middle") for at, line in enumerate(node.detail)
    )


_FILLED = 'fill="var(--bg)" stroke="var(--ink)" stroke-width="1.5"'
_STROKES = {"norm": "var(--hatch)", "mlp": "var(--ink)"}


def _box(node: Node, width: int, radius: int) -> str:
    """Attention's frame has the colour of weights; its name says the same."""
    stroke = _STROKES.get(node.kind, "var(--beam)")
    return (
        f'<rect x="{node.x - width / 2:g}" y="{node.top:g}" width="{width}" height="{HEIGHTS[node.kind]}" '
        f'rx="{radius}" fill="var(--panel)" stroke="{stroke}" stroke-width="1.5"/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    anchor: str,
    colour: str = "var(--text2)",
    size: int = 13,
    weight: int = 400,
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}" font-size="{size}" '
        f'font-weight="{weight}">{html.escape(text)}</text>'
    )
