"""How much of a whole lies along each of its parts."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


def shares(
    parts: Float[Tensor, "part ... d_model"], whole: Float[Tensor, "... d_model"]
) -> Float[Tensor, "part ..."]:
    """How much of a vector lies along each of its parts: part · whole / |whole|², in float64.

    The shares of all parts sum to 1; a part that works against the others has a negative share. NaN where
    the whole is zero: there is nothing to share, and 0 would be a number.

    >>> import torch
    >>> shares(torch.tensor([[3.0, 0.0], [-1.0, 0.0]]), torch.tensor([2.0, 0.0]))
    tensor([ 1.5000, -0.5000], dtype=torch.float64)
    """
    given, wide = parts.double(), whole.double()
    along: Tensor = (given * wide).sum(dim=-1) / (wide * wide).sum(dim=-1)
    return along
