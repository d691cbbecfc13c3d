"""A block of a model as data, and where its parts stand in a drawing of it, in pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["branch", "norm", "attention", "cross", "mlp", "add"]

STREAM = 62
"""Where the residual stream runs down."""

CHIP_WIDTH, BOX_WIDTH = 96, 216
HEIGHTS: dict[Kind, int] = {"branch": 0, "norm": 26, "attention": 62, "cross": 62, "mlp": 62, "add": 20}
NAMES: dict[Kind, str] = {"attention": "Self-attention", "cross": "Cross-attention", "mlp": "MLP"}

_TOP, _GAP, _BESIDE, _MEMORY = 50, 18, 22, 118
_MARGIN = STREAM - CHIP_WIDTH // 2


@dataclass(frozen=True, kw_only=True)
class Sublayer:
    """What hangs on the residual stream, and its norms by name; "" where there is none.

    Attributes:
        kind: Self-attention, cross-attention or the MLP.
        detail: Lines that stand under its name, two at most.
        before: The norm of what it reads.
        after_sublayer: The norm of what it writes, before that is added.
        after_add: The norm of the sum; it stands on the stream.
    """

    kind: Literal["attention", "cross", "mlp"]
    detail: tuple[str, ...] = ()
    before: str = ""
    after_sublayer: str = ""
    after_add: str = ""


@dataclass(frozen=True, kw_only=True)
class Block:
    """One layer: its sublayers in order, or all at once where they are parallel."""

    sublayers: tuple[Sublayer, ...]
    parallel: bool = False


@dataclass(frozen=True, kw_only=True)
class Node:
    """A part of the drawing; x and y are its centre."""

    kind: Kind
    x: float
    y: float
    label: str = ""
    detail: tuple[str, ...] = ()

    @property
    def top(self) -> float:
        """Its upper edge."""
        return self.y - HEIGHTS[self.kind] / 2

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + HEIGHTS[self.kind] / 2


@dataclass(frozen=True)
class Line:
    """A way from part to part, with an arrowhead at its end."""

    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Everything in a drawing, from top to bottom.

    Attributes:
        memory: Where the encoder's memory comes in, in a block that reads it.
    """

    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]
    memory: tuple[float, float] | None
    width: int
    height: int


def lay_out(block: Block) -> Layout:
    """Where everything stands."""
    nodes: list[Node] = []
    lines: list[Line] = []
    groups = (block.sublayers,) if block.parallel else tuple((one,) for one in block.sublayers)
    y: float = _TOP
    for group in groups:
        drawn, ways = _group(group, y)
        nodes += drawn
        lines += ways
        y = drawn[-1].bottom + _GAP
    lanes = max(len(group) for group in groups)
    crossed = next((node for node in nodes if node.kind == "cross"), None)
    right = int(_lane(lanes - 1) + BOX_WIDTH / 2) + (_MEMORY if crossed else 0)
    return Layout(
        nodes=tuple(nodes),
        lines=tuple(lines),
        memory=None if crossed is None else (crossed.x + BOX_WIDTH / 2, crossed.y),
        width=right + _MARGIN,
        height=int(y) + 2 * _GAP,
    )


def _group(sublayers: Sequence[Sublayer], top: float) -> tuple[list[Node], list[Line]]:
    """Sublayers that read the stream at one dot and are added at one plus."""
    columns = [list(_column(sublayer, lane, top + _GAP)) for lane, sublayer in enumerate(sublayers)]
    end = max(column[-1].bottom for column in columns) + _GAP
    on_stream = [Node(kind="add", x=STREAM, y=end, label="+")]
    on_stream += [
        Node(kind="norm", x=STREAM, y=end + HEIGHTS["add"] / 2 + _GAP + HEIGHTS["norm"] / 2, label=name)
        for name in dict.fromkeys(sublayer.after_add for sublayer in sublayers)
        if name
    ]
    lines = [line for column in columns for line in _ways(column, top, end)]
    return [
        Node(kind="branch", x=STREAM, y=top),
        *(n for column in columns for n in column),
        *on_stream,
    ], lines


def _column(sublayer: Sublayer, lane: int, top: float) -> Iterator[Node]:
    """A sublayer between its own norms, downwards."""
    parts: list[tuple[Kind, str, tuple[str, ...]]] = (
        [("norm", sublayer.before, ())] if sublayer.before else []
    )
    parts.append((sublayer.kind, NAMES[sublayer.kind], sublayer.detail))
    parts += [("norm", sublayer.after_sublayer, ())] if sublayer.after_sublayer else []
    for kind, label, detail in parts:
        height = HEIGHTS[kind]
        yield Node(kind=kind, x=_lane(lane), y=top + height / 2, label=label, detail=detail)
        top += height + _GAP


def _ways(column: Sequence[Node], top: float, end: float) -> Iterator[Line]:
    """From the dot through a column to the plus."""
    x = column[0].x
    yield Line(((STREAM, top), (x, top), (x, column[0].top)))
    for above, below in pairwise(column):
        yield Line(((x, above.bottom), (x, below.top)))
    yield Line(((x, column[-1].bottom), (x, end), (STREAM + HEIGHTS["add"] / 2, end)))


def _lane(lane: int) -> float:
    return STREAM + CHIP_WIDTH / 2 + _BESIDE + BOX_WIDTH / 2 + lane * (BOX_WIDTH + _BESIDE)
