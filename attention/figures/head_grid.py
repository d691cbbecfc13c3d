"""All heads of a model side by side, each as a small picture of its weights."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt8

Head = tuple[int, int]
RING = "○"


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadGrid:
    """The sheet of heads.

    Attributes:
        shades: Every head's weights, pooled, as shades: 255 is a weight of 1.
        exponent: A shade is a weight to this power.
        selected: The chosen head.
        heads_off: Heads that are switched off: faded and crossed.
        n_queries: How many queries each picture has before pooling.
        n_keys: How many keys.
        local: Layers that see a window of the text only, while others of this model see it all: ringed.
    """

    shades: UInt8[np.ndarray, "layer head row column"]
    exponent: float
    selected: Head
    heads_off: frozenset[Head]
    n_queries: int
    n_keys: int
    local: frozenset[int] = frozenset()


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
    return f"each square shows the largest weights of blocks of its {grid.n_queries} × {grid.n_keys} cells"


def meaning(grid: HeadGrid) -> str:
    """What a shade stands for, and a ring."""
    ringed = f"; {RING} layers see a window of the text" if grid.local else ""
    return f"shade: weight to the power {grid.exponent:g}, 0 to 1, one scale for all heads{ringed}"


def describe(grid: HeadGrid) -> str:
    """The picture in words, for readers who do not see it."""
    n_layers, n_heads = grid.shades.shape[:2]
    off = f", {len(grid.heads_off)} of them off" if grid.heads_off else ""
    chosen = f"L{grid.selected[0]} H{grid.selected[1]}"
    return f"{n_layers} layers by {n_heads} heads{off}, each a square of its weights. {chosen} is framed."
