"""A head's weights with some tokens left out of the picture."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor


def keep(
    weights: Float[Tensor, "query key"],
    positions: Sequence[int],
    keys: Sequence[int] | None = None,
    *,
    renormalise: bool,
) -> Float[Tensor, "kept_query kept_key"]:
    """The weights among some positions.

    The model's attention is not touched: this is a choice of what to show. Left as they are, rows no
    longer sum to 1; renormalised, they do, and are no longer the weights the model used.

    Args:
        weights: One head's weights.
        positions: What to keep, as queries and as keys.
        keys: What to keep as keys, where they are another sequence's.
        renormalise: Whether each row is divided by what is left of it. A row of which nothing is left
            stays zero.

    >>> keep(torch.tensor([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [1.0, 0.0, 0.0]]), [1, 2], renormalise=True)
    tensor([[0.2500, 0.7500],
            [0.0000, 0.0000]])
    """
    rows = torch.tensor(positions, dtype=torch.long)
    columns = rows if keys is None else torch.tensor(keys, dtype=torch.long)
    left = weights[rows][:, columns]
    return shares_of(left) if renormalise else left


def without(
    weights: Float[Tensor, "head query key"], hidden: Sequence[int], *, renormalise: bool
) -> Float[Tensor, "head query key"]:
    """The same weights as if some keys had none.

    Args:
        weights: Weights against all keys.
        hidden: Keys whose weight is taken for zero.
        renormalise: Whether each row is divided by what is left of it. A row of which nothing is left stays
            zero.

    >>> without(torch.tensor([[[0.5, 0.3, 0.2]]]), [0], renormalise=True)
    tensor([[[0.0000, 0.6000, 0.4000]]])
    """
    if not hidden:
        return weights
    left = weights.index_fill(-1, torch.tensor(hidden, dtype=torch.long), 0.0)
    return shares_of(left) if renormalise else left


def shares_of(left: Float[Tensor, "*rows key"]) -> Float[Tensor, "*rows key"]:
    """Each row divided by its sum; a row of zeros stays as it is."""
    sums = left.sum(dim=-1, keepdim=True)
    shares: Tensor = torch.where(sums > 0, left / sums.where(sums > 0, 1.0), 0.0)
    return shares
