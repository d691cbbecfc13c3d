"""What a head moves: how long the vectors are that it weighs, and how much of the output is its own."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from attention.engine.steps import merge_heads
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

    The head's contribution c_h = z_h W_O projected on the output o: c_h·o / o·o, in float64. The shares of
    all heads and of b_o sum to 1. NaN where the output is zero and there is nothing to share.
    """
    mixed, w_o, b_o = trace.head_outputs.double(), trace.params.w_o.double(), trace.params.b_o
    output = merge_heads(mixed, w_o, None if b_o is None else b_o.double())
    # c_h·o = z_h·(W_O o): as many residual streams as there are heads are never made.
    along = (mixed * torch.einsum("hvd,qd->hqv", w_o, output)).sum(dim=-1)
    return along / (output * output).sum(dim=-1)
