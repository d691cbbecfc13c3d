"""The few keys that hold most of a row: what is left when small weights are dropped by their sum."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor

_ROUNDING = 1e-6


def largest_until(weights: Float[Tensor, "query key"], share: float) -> Bool[Tensor, "query key"]:
    """The largest weights of each row, as few as hold at least a share of that row's sum.

    A limit on the sum treats a sharp row and a flat one alike; a limit on the single weight would leave a
    flat row without any. Of equal weights the earlier key counts first. A weight of 0 is never among them.

    Args:
        weights: Each row's weights; a row need not sum to 1, as where tokens are hidden.
        share: Above 0 and at most 1; 1 takes every weight that is not 0.

    >>> largest_until(torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.0, 0.0, 0.0, 0.0]]), 0.9).int()
    tensor([[0, 1, 1, 1],
            [0, 0, 0, 0]], dtype=torch.int32)
    """
    ordered, order = weights.double().sort(dim=-1, descending=True, stable=True)
    before = ordered.cumsum(dim=-1) - ordered
    wanted = share * ordered.sum(dim=-1, keepdim=True)
    # Sums of float32 weights that reach the share exactly on paper miss it by their rounding.
    needed = before < wanted - _ROUNDING if share < 1 else torch.ones_like(order, dtype=torch.bool)
    found: Tensor = torch.zeros_like(needed).scatter(-1, order, needed) & (weights > 0)
    return found
