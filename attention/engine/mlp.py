"""The MLP: what a block does to each position by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from attention.engine.params import MLPParams

STRIP = 512
"""Positions a strip."""

Activation: TypeAlias = Callable[[Tensor], Tensor]


def gelu(x: Float[Tensor, "pos d_mlp"]) -> Float[Tensor, "pos d_mlp"]:
    """x·Φ(x) with the exact normal distribution function (Hendrycks & Gimpel 2016), not the tanh form."""
    return F.gelu(x)


def gelu_tanh(x: Float[Tensor, "pos d_mlp"]) -> Float[Tensor, "pos d_mlp"]:
    """The tanh form of the same, off by up to 5e-4: ½x(1 + tanh(√(2/π)(x + 0.044715x³)))."""
    return F.gelu(x, approximate="tanh")


def quick_gelu(x: Float[Tensor, "pos d_mlp"]) -> Float[Tensor, "pos d_mlp"]:
    """The sigmoid form of the same: x·σ(1.702x)."""
    return x * torch.sigmoid(1.702 * x)


def relu(x: Float[Tensor, "pos d_mlp"]) -> Float[Tensor, "pos d_mlp"]:
    """The larger of x and 0."""
    return F.relu(x)


def silu(x: Float[Tensor, "pos d_mlp"]) -> Float[Tensor, "pos d_mlp"]:
    """x·σ(x), also called swish (Ramachandran et al. 2017)."""
    return F.silu(x)


ACTIVATIONS: dict[str, Activation] = {
    "gelu": gelu,
    "gelu_fast": gelu_tanh,
    "gelu_new": gelu_tanh,
    "gelu_python": gelu,
    "gelu_pytorch_tanh": gelu_tanh,
    "quick_gelu": quick_gelu,
    "relu": relu,
    "silu": silu,
    "swish": silu,
}
"""By the names that configs use (``hidden_act``)."""


def mlp(
    x: Float[Tensor, "pos d_model"], params: MLPParams, activation: Activation
) -> Float[Tensor, "pos d_model"]:
    """Widen, bend, narrow: ``activation(x·w_in + b_in)·w_out + b_out``.

    With a gate (Shazeer 2020) the bend is on it alone: ``activation(x·w_gate + b_gate) * (x·w_in + b_in)``.
    Of a long text a strip of positions at a time is wide: each position goes its own way.
    """
    if len(x) <= STRIP:
        return _mlp(x, params, activation)
    return torch.cat([_mlp(strip, params, activation) for strip in torch.split(x, STRIP)])


def _mlp(x: Tensor, params: MLPParams, activation: Activation) -> Tensor:
    hidden = F.linear(x, params.w_in.T, params.b_in)
    if params.w_gate is None:
        hidden = activation(hidden)
    else:
        hidden = activation(F.linear(x, params.w_gate.T, params.b_gate)) * hidden
    return F.linear(hidden, params.w_out.T, params.b_out)
