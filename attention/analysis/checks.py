"""Numbers that show whether the picture can be trusted."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

from attention.analysis.strips import strips
from attention.engine.trace import AttentionTrace
from attention.run import Run
from attention.sites import Site, SiteRun

LAW = 1e-10
"""What two float64 computations of the same thing may differ by."""


def row_sum_deviation(run: Run, site: Site = "self") -> float:
    """How far any row of weights is from summing to 1, over all layers and heads of one kind of attention."""
    of = SiteRun(run, site)
    return largest(row_sum_deviation_in(of.trace(layer)) for layer in range(of.n_layers))


def row_sum_deviation_in(trace: AttentionTrace) -> float:
    """How far any row of one layer's weights is from summing to 1.

    Rows that may see nothing sum to 0 by definition and are left out.
    """
    return largest(_deviation(strip) for strip in strips(trace))


def visible_difference(run: Run, site: Site = "self") -> float:
    """The largest difference between the forward pass and the visible steps, over all layers of a stack."""
    of = SiteRun(run, site)
    return largest(visible_difference_in(of, layer) for layer in range(of.n_layers))


def visible_difference_in(of: SiteRun, layer: int) -> float:
    """The largest difference between the forward pass and the visible steps of one layer.

    The visible steps start from the same residual stream as the forward pass did, whose attention is torch's
    fused kernel. In a decoder that has both, self- and cross-attention go by their visible steps together, so
    that their difference is one.
    """
    run = of.stack
    block = run.model.transformer.stack.layers[layer]
    visible = block.forward(run.resid_pre[layer], run.stack_run.plans[layer], by_visible_steps, run.memory)
    return float((visible - run.after(layer)).abs().max())


def by_visible_steps(trace: AttentionTrace) -> Float[Tensor, "query d_model"]:
    """Attention by the steps that a reader can see, a strip of queries at a time."""
    return torch.cat([strip.output for strip in strips(trace)])


def largest(deviations: Iterable[float]) -> float:
    """The largest; NaN where any of them is. Python's own max would drop one that is not the first."""
    return float(torch.tensor(list(deviations), dtype=torch.float64).max())


def _deviation(trace: AttentionTrace) -> float:
    sums = trace.weights.sum(dim=-1)[:, trace.mask.any(dim=1)]
    return float((sums - 1).abs().max()) if sums.numel() else 0.0


def cosine_distances(
    changed: Float[Tensor, "pos d_model"], untouched: Float[Tensor, "pos d_model"]
) -> Float[Tensor, " pos"]:
    """How far each position's vector moved: 1 − cos, from 0 (same direction) to 2 (opposite).

    >>> cosine_distances(torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[2.0, 0.0], [3.0, 0.0]]))
    tensor([0., 1.])
    """
    return 1 - torch.cosine_similarity(changed, untouched, dim=-1)
