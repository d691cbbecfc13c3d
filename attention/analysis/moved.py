"""What a head moves: how long the vectors are that it weighs, and how much of the output is its own."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from attention.analysis.shares import shares
from attention.engine.trace import AttentionTrace


def value_lengths(trace: AttentionTrace) -> Float[Tensor, "head key"]:
    """How long each head's transformed value vectors are: ‖f(x)‖ with f(x) = (x W_V + b_V) W_O.

    b_O belongs to no token and is left out (Kobayashi et al. 2020, "Attention is Not Only a Weight").
    """
    group = trace.config.n_heads // trace.config.n_kv_heads
    # One head at a time: all of them together would be as many residual streams.
    lengths = [
        (trace.values[head // group] @ w_o).norm(dim=-1) for head, w_o in enumerate(trace.params.w_o.unbind())
    ]
    return torch.stack(lengths).double()


def update_shares(trace: AttentionTrace) -> Float[Tensor, "head query"]:
    """Each head's share of what the sublayer adds to the residual stream, at every row of a trace.

    The head's contribution c_h (through W_O) projected on the output o: c_h·o / o·o. The shares of all heads
    and of b_o sum to 1. NaN where the output is zero and there is nothing to share.
    """
    contributions = trace.head_contributions().double()
    bias = trace.params.b_o
    output = contributions.sum(dim=0) + (0.0 if bias is None else bias.double())
    return shares(contributions, output)
