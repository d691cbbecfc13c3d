"""All heads of a model side by side, each as a small picture of its weights."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt8

from attention.figures.lit_sentence import WORDS_RULE
from attention.figures.numbers import share
from attention.figures.thumbnails import EXPONENT, Pool, Shade

Head = tuple[int, int]
RING = "○"
SCALES: Mapping[Shade, str] = {
    "shared": "0 to 1, one scale for all heads",
    "head": "0 to the largest weight of each square, a scale for each head",
}


@dataclass(frozen=True, kw_only=True)
class HeadNumbers:
    """One head of the sheet in numbers.

    Attributes:
        layer: From 0.
        head: From 0.
        entropy: Mean entropy of its rows, in bits.
        query: Whose row its largest weight stands in, named with its position; "" where all weights are 0.
        key: Whose column, likewise.
        weight: That weight.
    """

    layer: int
    head: int
    entropy: float
    query: str
    key: str
    weight: float


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadGrid:
    """The sheet of heads.

    Attributes:
        shades: Every head's weights, pooled, as shades: 255 is the end of the scale.
        selected: The chosen head.
        heads_off: Heads that are switched off: faded and crossed.
        n_queries: How many queries each picture has before pooling.
        n_keys: How many keys.
        pool: Which weight of a block stands for it where a picture is pooled.
        shade: Whether the scale ends at a weight of 1, or at the largest that each picture shows.
        words: Whether the pieces of a word were put together.
        local: Layers that see a window of the text only, while others of this model see it all: ringed.
        numbers: Each head in numbers, layer by layer.
    """

    shades: UInt8[np.ndarray, "layer head row column"]
    selected: Head
    heads_off: frozenset[Head]
    n_queries: int
    n_keys: int
    pool: Pool = "max"
    shade: Shade = "shared"
    words: bool = False
    local: frozenset[int] = frozenset()
    numbers: tuple[HeadNumbers, ...] = ()


def layer_names(grid: HeadGrid) -> tuple[str, ...]:
    """What stands beside each row."""
    return tuple(
        f"{RING} L{layer}" if layer in grid.local else f"L{layer}" for layer in range(len(grid.shades))
    )


def pooled_note(grid: HeadGrid) -> str:
    """How a square stands for more cells than it has; nothing where it has them all."""
    rows, columns = grid.shades.shape[2:]
    if (rows, columns) == (grid.n_queries, grid.n_keys):
        return ""
    which = "the largest weights" if grid.pool == "max" else "the mean weights"
    return f"each square shows {which} of blocks of its {grid.n_queries} × {grid.n_keys} cells"


def meanings(grid: HeadGrid) -> tuple[str, ...]:
    """What a shade stands for, by which rule pieces were put together, and what a ring is."""
    shade = f"shade: weight to the power {EXPONENT:g}, {SCALES[grid.shade]}"
    words = WORDS_RULE if grid.words else ""
    ringed = f"{RING} layers see a window of the text" if grid.local else ""
    return tuple(filter(None, (shade, words, ringed)))


def meaning(grid: HeadGrid) -> str:
    """The same in one line."""
    return "; ".join(meanings(grid))


def said(head: HeadNumbers) -> str:
    """One head of the sheet in words."""
    if math.isnan(head.entropy):
        return f"L{head.layer} H{head.head}: no row sees anything"
    name = f"L{head.layer} H{head.head}: mean entropy {head.entropy:.2f} bits"
    if not head.query:
        return f"{name}, no weight"
    return f"{name}, largest weight {share(head.weight)}, {head.query} looks at {head.key}"


def content(grid: HeadGrid) -> str:
    """The end of a file's name: what it is, and how it is drawn where that is not the usual way."""
    mean = "-mean" if grid.pool == "mean" else ""
    return f"all-heads{mean}{'-own-scales' if grid.shade == 'head' else ''}"


def describe(grid: HeadGrid) -> str:
    """The picture in words, for readers who do not see it."""
    n_layers, n_heads = grid.shades.shape[:2]
    off = f", {len(grid.heads_off)} of them off" if grid.heads_off else ""
    chosen = f"L{grid.selected[0]} H{grid.selected[1]}"
    between = " between words" if grid.words else ""
    square = f"each a square of its weights{between}, {SCALES[grid.shade]}"
    return f"{n_layers} layers by {n_heads} heads{off}, {square}. {chosen} is framed."
