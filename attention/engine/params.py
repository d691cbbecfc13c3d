"""Learned tensors with their shapes. No behaviour.

Matrices are written for row vectors, ``x @ w + b``, and per head, so that W_Q of one head is a slice.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentionParams:
    """The four projections of one attention sublayer and their biases."""

    w_q: Float[Tensor, "head d_model d_head"]
    w_k: Float[Tensor, "kv_head d_model d_head"]
    w_v: Float[Tensor, "kv_head d_model d_value"]
    w_o: Float[Tensor, "head d_value d_model"]
    b_q: Float[Tensor, "head d_head"] | None = None
    b_k: Float[Tensor, "kv_head d_head"] | None = None
    b_v: Float[Tensor, "kv_head d_value"] | None = None
    b_o: Float[Tensor, " d_model"] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class MLPParams:
    """The two matrices of an MLP and their biases."""

    w_in: Float[Tensor, "d_model d_mlp"]
    w_out: Float[Tensor, "d_mlp d_model"]
    b_in: Float[Tensor, " d_mlp"] | None = None
    b_out: Float[Tensor, " d_model"] | None = None
