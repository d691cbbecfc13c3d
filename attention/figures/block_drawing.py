"""One block as a drawing: where norms, residual adds, attention and MLP sit.

The residual stream runs down at the left. A sublayer hangs on it at the right: it reads the stream at a dot
and is added back at a plus. A norm that stands on the stream itself changes what every later layer reads;
one that stands beside it changes what its sublayer reads or writes. Attention is one part of several.
"""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

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

Corner = tuple[float, float]

STROKES = {"norm": "hatch", "mlp": "ink"}
"""The colour of each frame by its name in a palette; attention's has the colour of weights ("beam")."""

_MEMORY_WAY = 34
_HEAD = 5
_SMALL, _NAME, _PLUS = 13, 15, 18


@dataclass(frozen=True)
class Label:
    """A line of text: where it begins or has its middle, how high its letters are, and whether it is bold."""

    x: float
    y: float
    text: str
    anchor: Literal["start", "middle"]
    colour: Literal["ink", "text2"] = "text2"
    size: int = _SMALL
    bold: bool = False


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


def stream(laid: Layout) -> float:
    """Where the line that everything hangs on ends, before its arrowhead; it begins at the top."""
    return laid.height - 20


def memory(laid: Layout) -> Line | None:
    """The way of the second source of a block that reads an encoder."""
    if laid.memory is None:
        return None
    x, y = laid.memory
    return Line(((x + _MEMORY_WAY, y), (x, y)))


def beside(laid: Layout) -> Iterator[Label]:
    """What is written beside the stream, and beside the memory where there is one."""
    yield Label(STREAM + 14, 18, "residual stream, from the layer before", "start")
    yield Label(STREAM + 14, laid.height - 14, "to the next layer", "start")
    if laid.memory is not None:
        x, y = laid.memory
        for at, text in enumerate(("keys, values:", "the encoder’s", "memory")):
            yield Label(x + _MEMORY_WAY + 6, y - 4 + 16 * at, text, "start")


def written(node: Node) -> Iterator[Label]:
    """What is written in a part: a name, and the lines under it, in the middle of its box."""
    if node.kind == "branch":
        return
    if node.kind == "add":
        yield Label(node.x, node.y + 6, node.label, "middle", "ink", _PLUS)
    elif node.kind == "norm":
        yield Label(node.x, node.y + 4.5, node.label, "middle", "ink")
    else:
        first = node.y + 5 - 8.5 * len(node.detail)
        yield Label(node.x, first, node.label, "middle", "ink", _NAME, True)
        for at, line in enumerate(node.detail):
            yield Label(node.x, first + 18 + 16 * at, line, "middle")


def arrowhead(before: Corner, tip: Corner) -> tuple[Corner, Corner, Corner]:
    """A small triangle at the end of a way, whose tip is here."""
    (x, y), (before_x, before_y) = tip, before
    dx, dy = (x > before_x) - (x < before_x), (y > before_y) - (y < before_y)
    back_x, back_y = x - 1.4 * _HEAD * dx, y - 1.4 * _HEAD * dy
    side_x, side_y = 0.8 * _HEAD * dy, 0.8 * _HEAD * dx
    return (x, y), (back_x + side_x, back_y + side_y), (back_x - side_x, back_y - side_y)


def stream_head(laid: Layout) -> tuple[Corner, Corner, Corner]:
    """The stream's own arrowhead."""
    return arrowhead((STREAM, 0), (STREAM, stream(laid) + _HEAD))


def box_size(node: Node) -> tuple[int, int, int]:
    """Width, height and how round the corners are of a part with a frame."""
    return (CHIP_WIDTH, HEIGHTS[node.kind], 13) if node.kind == "norm" else (BOX_WIDTH, HEIGHTS[node.kind], 4)


def _stream(laid: Layout) -> list[str]:
    """The line everything hangs on, and what it comes from and goes to."""
    return [
        f'<line class="stream" x1="{STREAM}" y1="6" x2="{STREAM}" y2="{stream(laid)}" stroke="var(--ink)" '
        'stroke-width="3"/>',
        _head(stream_head(laid), "var(--ink)"),
        *map(_text, beside(laid)),
    ]


def _line(line: Line) -> str:
    points = " ".join(f"{x:g},{y:g}" for x, y in line.points)
    return f'<polyline points="{points}" {_FLOW}/>' + _head(arrowhead(*line.points[-2:]), "var(--text2)")


def _head(corners: Sequence[Corner], colour: str) -> str:
    points = " ".join(f"{x:g},{y:g}" for x, y in corners)
    return f'<polygon points="{points}" fill="{colour}"/>'


def _memory(laid: Layout) -> list[str]:
    way = memory(laid)
    return [] if way is None else [_line(way)]


def _node(node: Node) -> str:
    place = f'class="{node.kind}" data-x="{node.x:g}" data-y="{node.y:g}"'
    return f"<g {place}>{_shape(node)}{''.join(map(_text, written(node)))}</g>"


def _shape(node: Node) -> str:
    if node.kind == "branch":
        return f'<circle cx="{node.x:g}" cy="{node.y:g}" r="4" fill="var(--ink)"/>'
    if node.kind == "add":
        return f'<circle cx="{node.x:g}" cy="{node.y:g}" r="{HEIGHTS["add"] / 2:g}" {_FILLED}/>'
    width, height, radius = box_size(node)
    return (
        f'<rect x="{node.x - width / 2:g}" y="{node.top:g}" width="{width}" height="{height}" '
        f'rx="{radius}" fill="var(--panel)" stroke="var(--{STROKES.get(node.kind, "beam")})" '
        'stroke-width="1.5"/>'
    )


_FILLED = 'fill="var(--bg)" stroke="var(--ink)" stroke-width="1.5"'


def _text(label: Label) -> str:
    return (
        f'<text x="{label.x:g}" y="{label.y:g}" text-anchor="{label.anchor}" '
        f'fill="var(--{label.colour})" font-size="{label.size}" '
        f'font-weight="{600 if label.bold else 400}">{html.escape(label.text)}</text>'
    )
