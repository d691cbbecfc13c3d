"""Numbers that show whether the picture can be trusted."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

from attention.engine.layer import by_visible_steps
from attention.engine.trace import AttentionTrace
from attention.run import Run
from attention.sites import Site, SiteRun


def row_sum_deviation(run: Run, site: Site = "self") -> float:
    """How far any row of weights is from summing to 1, over all layers and heads of one kind of attention.

    Rows that may see nothing sum to 0 by definition and are left out.
    """
    of = SiteRun(run, site)
    return _largest(_deviation(of.trace(layer)) for layer in range(of.n_layers))


def visible_difference(run: Run, site: Site = "self") -> float:
    """The largest difference between the forward pass and the visible steps, over all layers of a stack.

    Each layer's visible steps start from the same residual stream as the forward pass did, whose
    attention is torch's fused kernel. In a decoder that has both, self- and cross-attention go by their
    visible steps together, so that their difference is one.
    """
    stack = SiteRun(run, site).stack
    return _largest(_layer_difference(stack, layer) for layer in range(stack.n_layers))


def blind_queries(trace: AttentionTrace) -> tuple[int, ...]:
    """Positions of the queries that may see nothing."""
    return tuple(torch.nonzero(~trace.mask.any(dim=1)).flatten().tolist())


def _largest(deviations: Iterable[float]) -> float:
    """NaN where any of them is; Python's own max would drop one that is not the first."""
    return float(torch.tensor(list(deviations), dtype=torch.float64).max())


def _deviation(trace: AttentionTrace) -> float:
    sums = trace.weights.sum(dim=-1)[:, trace.mask.any(dim=1)]
    return float((sums - 1).abs().max()) if sums.numel() else 0.0


def _layer_difference(run: Run, layer: int) -> float:
    states = run.model.transformer.stack.layers[layer]
    visible = states.forward(run.resid_pre[layer], run.stack_run.plans[layer], by_visible_steps, run.memory)
    return float((visible - run.after(layer)).abs().max())


def cosine_distances(
    changed: Float[Tensor, "pos d_model"], untouched: Float[Tensor, "pos d_model"]
) -> Float[Tensor, " pos"]:
    """How far each position's vector moved: 1 − cos, from 0 (same direction) to 2 (opposite).

    >>> cosine_distances(torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[2.0, 0.0], [3.0, 0.0]]))
    tensor([0., 1.])
    """
    return 1 - torch.cosine_similarity(changed, untouched, dim=-1)
