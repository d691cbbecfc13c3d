"""What must wait for what, and how far two positions are apart (Vaswani et al. 2017, table 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from attention.errors import InputError

Layer: TypeAlias = Literal["attention", "recurrent", "convolution", "dilated"]
LAYERS: dict[Layer, str] = {
    "attention": "self-attention",
    "recurrent": "recurrent",
    "convolution": "convolutions, side by side",
    "dilated": "convolutions, dilated",
}


@dataclass(frozen=True)
class Passage:
    """How one kind of layer gets from one position to another.

    Attributes:
        layer: The kind.
        waiting: Steps of one layer that must wait for each other, over the whole sequence.
        path: Steps that what stands at one position takes to reach the other.
        n_layers: Layers that this takes, one on the other.
    """

    layer: Layer
    waiting: int
    path: int
    n_layers: int


def passages(n_tokens: int, distance: int, kernel: int = 3) -> tuple[Passage, ...]:
    """The four kinds of layer, over so many tokens, for two positions so far apart; all look backwards.

    Self-attention: every position at once, and any other is one step away. Recurrent: each position waits for
    the one before it, and what stands at one passes through all between. Convolutions of k neighbours reach
    k − 1 further back with every layer; dilated ones (van den Oord et al. 2016, WaveNet) take every kⁱ-th
    neighbour in layer i and reach kⁱ⁺¹ − 1 back with i + 1 layers.

    Args:
        n_tokens: N.
        distance: Between the two positions.
        kernel: k, the positions a convolution sees, the own among them.

    Raises:
        InputError: A distance that the sequence does not have, or a kernel that sees no neighbour.
    """
    if not 1 <= distance < n_tokens:
        raise InputError(
            f"Two of {n_tokens:,} positions are from 1 to {n_tokens - 1:,} apart; got {distance:,}."
        )
    if kernel < 2:
        raise InputError(f"A convolution sees 2 positions or more; got {kernel}.")
    plain, dilated = math.ceil(distance / (kernel - 1)), _dilated(distance, kernel)
    return (
        Passage("attention", waiting=1, path=1, n_layers=1),
        Passage("recurrent", waiting=n_tokens, path=distance, n_layers=1),
        Passage("convolution", waiting=1, path=plain, n_layers=plain),
        Passage("dilated", waiting=1, path=dilated, n_layers=dilated),
    )


def _dilated(distance: int, kernel: int) -> int:
    """Layers whose reach, kernel^layers − 1, covers a distance. A logarithm would round."""
    n_layers = 0
    while kernel**n_layers <= distance:
        n_layers += 1
    return n_layers


def scores_to_write(n_tokens: int) -> int:
    """Scores of one head while N tokens are written one by one with keys and values kept: 1 + 2 + … + N.

    >>> scores_to_write(4)
    10
    """
    return n_tokens * (n_tokens + 1) // 2
