"""Learned tensors with their shapes. No behaviour.

Matrices are written for row vectors, ``x @ w + b``, and per head, so that W_Q of one head is a slice.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention.errors import ConfigError


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentionParams:
    """The four projections of one attention sublayer and their biases.

    Attributes:
        g_q: Gain of the norm on each head's queries, where there is one; all heads share it.
        g_k: The same for the keys.
        bias: What each head's bias for distances is read from: a value a bucket, or its one slope.
    """

    w_q: Float[Tensor, "head d_model d_head"]
    w_k: Float[Tensor, "kv_head d_model d_head"]
    w_v: Float[Tensor, "kv_head d_model d_value"]
    w_o: Float[Tensor, "head d_value d_model"]
    b_q: Float[Tensor, "head d_head"] | None = None
    b_k: Float[Tensor, "kv_head d_head"] | None = None
    b_v: Float[Tensor, "kv_head d_value"] | None = None
    b_o: Float[Tensor, " d_model"] | None = None
    g_q: Float[Tensor, " d_head"] | None = None
    g_k: Float[Tensor, " d_head"] | None = None
    bias: Float[Tensor, "head bucket"] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class MLPParams:
    """The two matrices of an MLP and their biases, or three with a gate."""

    w_in: Float[Tensor, "d_model d_mlp"]
    w_out: Float[Tensor, "d_mlp d_model"]
    b_in: Float[Tensor, " d_mlp"] | None = None
    b_out: Float[Tensor, " d_model"] | None = None
    w_gate: Float[Tensor, "d_model d_mlp"] | None = None
    b_gate: Float[Tensor, " d_mlp"] | None = None


def one_head(params: AttentionParams, head: int, kv_head: int) -> AttentionParams:
    """The tensors of one query head and of the kv head that serves it; b_o belongs to no head."""

    def one(tensor: Tensor | None, index: int) -> Tensor | None:
        return None if tensor is None else tensor[index : index + 1]

    return AttentionParams(
        w_q=params.w_q[head : head + 1],
        w_k=params.w_k[kv_head : kv_head + 1],
        w_v=params.w_v[kv_head : kv_head + 1],
        w_o=params.w_o[head : head + 1],
        b_q=one(params.b_q, head),
        b_k=one(params.b_k, kv_head),
        b_v=one(params.b_v, kv_head),
        g_q=params.g_q,
        g_k=params.g_k,
        bias=one(params.bias, head),
    )


def check_dtype(dtype: torch.dtype) -> None:
    """Refuse to compute in anything but the two precisions that every step is tested in.

    Raises:
        ConfigError: It is another.
    """
    if dtype not in (torch.float32, torch.float64):
        raise ConfigError(f"Models are computed in torch.float32 or torch.float64, not in {dtype}.")
