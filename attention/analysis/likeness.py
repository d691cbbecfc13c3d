"""How alike two heads are: what they mix on the same rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention.analysis.reading import Pieces, Reading, readings
from attention.engine.stack import OnLayer
from attention.run import Run


@dataclass(frozen=True)
class Likeness:
    """How far one head is from another.

    Attributes:
        layer: The other's layer.
        head: The other.
        distance: Mean Jensen–Shannon distance of their rows, 0 (the same weights) to 1 (never the same key).
    """

    layer: int
    head: int
    distance: float


def divergence_bits(ours: Float[Tensor, "... key"], theirs: Float[Tensor, "... key"]) -> Float[Tensor, ...]:
    """Jensen–Shannon divergence of rows in bits: (KL(p‖m) + KL(q‖m)) / 2 with m = (p + q) / 2.

    From 0 to 1. Written as H(m) − (H(p) + H(q)) / 2, which is the same and has no division
    (Lin 1991, "Divergence measures based on the Shannon entropy").

    >>> divergence_bits(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]))
    tensor(1.)
    """
    middle = (ours + theirs) / 2
    mixed, apart = _bits(middle), (_bits(ours) + _bits(theirs)) / 2
    divergence: Tensor = (mixed - apart).clamp(min=0)
    return divergence


def row_distances(
    ours: Float[Tensor, "query key"], theirs: Float[Tensor, "head query key"]
) -> Float[Tensor, "head query"]:
    """How far apart two heads are at each row: the square root of the divergence, 0 to 1.

    The mean of these is the distance of two heads; the root of the mean divergence would be another number.

    Args:
        ours: One head's weights.
        theirs: Other heads' weights on the same text.
    """
    return divergence_bits(ours, theirs).sqrt()


def nearest(
    run: Run, layer: int, head: int, pieces: Pieces, count: int, *, on_layer: OnLayer | None = None
) -> tuple[Likeness, ...]:
    """The heads whose weights are most like one head's, over all layers, nearest first.

    Rows count where both heads see something. One text is one sample: heads alike on it may differ on
    another.

    Args:
        run: What the model did.
        layer: The head's layer.
        head: The head.
        pieces: What is known of the tokens.
        count: How many heads to name at most.
        on_layer: Called with (layers done, layers in all) before each; an exception from it ends the work.
    """
    ours, found = [_one(rows, head) for rows, _ in readings(run.attention(layer), pieces)], []
    for other in range(run.n_layers):
        if on_layer is not None:
            on_layer(other, run.n_layers)
        distances = enumerate(_distances(ours, run, other, pieces))
        found += [Likeness(other, at, distance) for at, distance in distances]
    # NaN where no row counts.
    others = [one for one in found if (one.layer, one.head) != (layer, head) and one.distance == one.distance]
    return tuple(sorted(others, key=lambda one: one.distance)[:count])


def _one(rows: Reading, head: int) -> tuple[Tensor, Tensor]:
    return rows.weights[head].clone(), rows.counted


def _distances(ours: Sequence[tuple[Tensor, Tensor]], run: Run, layer: int, pieces: Pieces) -> list[float]:
    total, count = torch.zeros(run.n_heads, dtype=torch.float64), 0
    for (weights, counted), (strip, _) in zip(ours, readings(run.attention(layer), pieces), strict=True):
        both = counted & strip.counted
        total += row_distances(weights, strip.weights)[:, both].sum(dim=-1)
        count += int(both.sum())
    return (total / count).tolist() if count else [float("nan")] * run.n_heads


def _bits(rows: Tensor) -> Tensor:
    bits: Tensor = torch.special.entr(rows).sum(dim=-1) / math.log(2)
    return bits
