"""Summaries of a whole model's weights. None of them is evidence of cause.

All ignore values, W_O, the MLPs, the norms and signs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.analysis.reading import even_weights
from attention.run import Run

Layers = Iterable[Float[Tensor, "head query key"]]
"""The weights of each layer's heads, from the first layer on; only one layer needs to exist at a time."""


def layers_of(run: Run) -> Iterator[Float[Tensor, "head query key"]]:
    """A run's weights, layer by layer."""
    return (run.attention(layer).weights for layer in range(run.n_layers))


def even_layers_of(run: Run) -> Iterator[Float[Tensor, "head query key"]]:
    """The same if every head gave each key it may see the same weight: what the masks alone make."""
    return (even_weights(run.attention(layer).mask)[None] for layer in range(run.n_layers))


def mean_over_heads(layers: Layers) -> Float[Tensor, "query key"]:
    """The mean of all heads' weights, over all layers.

    Rows that see nothing in a layer do not count there, so that every row sums to 1, or to 0 if it never
    sees anything.
    """
    total = _sum(weights.sum(dim=0, dtype=torch.float64) for weights in layers)
    sums = total.sum(dim=-1, keepdim=True)
    return total / torch.where(sums > 0, sums, 1.0)


def largest_over_heads(layers: Layers) -> Float[Tensor, "query key"]:
    """The largest weight that any head of any layer gives. Rows do not sum to 1."""
    largest: Tensor | None = None
    for weights in layers:
        here = weights.amax(dim=0)
        largest = here if largest is None else torch.maximum(largest, here)
    return torch.empty(0, 0) if largest is None else largest


def rollout(layers: Layers) -> Float[Tensor, "query key"]:
    """How much of each last position's mixing goes back to each input token, if weights were all there is.

    Worked out in float64, whatever the weights are.

    Ã_l = ½ mean_h A_l,h + ½ I, rows made to sum to 1; R_l = Ã_l R_(l−1), R_1 = Ã_1 (Abnar & Zuidema 2020,
    "Quantifying Attention Flow in Transformers", section 3). Rows are final positions, columns input tokens.
    A row that sees nothing keeps to itself.

    >>> rollout([torch.tensor([[[0.0, 1.0], [0.0, 1.0]]]), torch.tensor([[[1.0, 0.0], [1.0, 0.0]]])])
    tensor([[0.5000, 0.5000],
            [0.2500, 0.7500]], dtype=torch.float64)
    """
    rolled: Tensor | None = None
    for weights in layers:
        mean = weights.mean(dim=0, dtype=torch.float64)
        fused = mean + torch.eye(len(mean), dtype=mean.dtype)
        fused = fused / fused.sum(dim=-1, keepdim=True)
        rolled = fused if rolled is None else fused @ rolled
    return torch.empty(0, 0) if rolled is None else rolled


def received(
    weights: Float[Tensor, "query key"], counted: Bool[Tensor, " query"] | None = None
) -> Float[Tensor, " key"]:
    """What each key is given by all queries together: its column's sum. All keys make the number of rows.

    In a causal model early tokens are given more by construction: more queries may see them.

    Args:
        weights: One head's weights, or a mean of several.
        counted: The rows that count; all when left out.
    """
    rows = weights if counted is None else weights[counted]
    return rows.sum(dim=0)


def received_per_query(
    weights: Float[Tensor, "query key"],
    allowed: Bool[Tensor, "query key"],
    counted: Bool[Tensor, " query"] | None = None,
) -> tuple[float | None, ...]:
    """What each key is given by a query that may see it, on average; None where none may.

    Args:
        weights: One head's weights, or a mean of several.
        allowed: Who may attend to whom.
        counted: The rows that count; all when left out.

    >>> received_per_query(torch.tensor([[1.0, 0.0], [0.5, 0.5]]), torch.ones(2, 2).tril() > 0)
    (0.75, 0.5)
    """
    lit = allowed if counted is None else allowed & counted[:, None]
    viewers = lit.sum(dim=0).tolist()
    return tuple(
        total / n if n else None
        for total, n in zip(received(weights, counted).tolist(), viewers, strict=True)
    )


def each_received(
    weights: Float[np.ndarray, "query key"] | None,
    allowed: Bool[np.ndarray, "query key"],
    counted: Bool[np.ndarray, " query"],
) -> Float[np.ndarray, " key"]:
    """`received_per_query` of arrays; NaN, a gap in a chart, where no query may see the key.

    Args:
        weights: A matrix of weights; None is even weights.
        allowed: Who may attend to whom.
        counted: The rows that count.

    >>> each_received(None, np.array([[True, False], [True, False]]), np.array([True, True]))
    array([ 1., nan])
    """
    may, real = (torch.from_numpy(part.copy()) for part in (allowed, counted))
    given = even_weights(may) if weights is None else torch.from_numpy(weights.copy())
    return np.array([np.nan if one is None else one for one in received_per_query(given, may, real)])


def _sum(parts: Iterable[Tensor]) -> Tensor:
    total: Tensor | None = None
    for part in parts:
        total = part if total is None else total + part
    return torch.empty(0, 0) if total is None else total
