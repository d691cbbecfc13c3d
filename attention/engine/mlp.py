"""The MLP: what a block does to each position by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from attention.engine.params import MLPParams

Activation: TypeAlias = Callable[[Tensor], Tensor]


def gelu(x: Float[Tensor, "pos d_mlp"]) -> Float[Tensor, "pos d_mlp"]:
    """x·Φ(x) with the exact normal distribution function (Hendrycks & Gimpel 2016), not the tanh form."""
    return F.gelu(x)


def relu(x: Float[Tensor, "pos d_mlp"]) -> Float[Tensor, "pos d_mlp"]:
    """The larger of x and 0."""
    return F.relu(x)


ACTIVATIONS: dict[str, Activation] = {"gelu": gelu, "relu": relu}
"""By the names that configs use (``hidden_act``)."""


def mlp(
    x: Float[Tensor, "pos d_model"], params: MLPParams, activation: Activation
) -> Float[Tensor, "pos d_model"]:
    """Widen, bend, narrow: ``activation(x·w_in + b_in)·w_out + b_out``."""
    hidden = activation(F.linear(x, params.w_in.T, params.b_in))
    return F.linear(hidden, params.w_out.T, params.b_out)
