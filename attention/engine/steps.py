"""Scaled dot-product attention, one pure function a step, in the order of the maths.

Vaswani et al. 2017, section 3.2: project → share kv heads → score → scale → mask → softmax → mix → merge
heads. Rows are queries, columns keys.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from attention.engine.masks import Causal, Full, MaskRule

STRIP = 256
"""Queries a strip: a mask that has no flag in the fused kernel never exists for more rows than this."""


def project(
    x: Float[Tensor, "pos d_model"],
    w: Float[Tensor, "head d_model width"],
    b: Float[Tensor, "head width"] | None,
) -> Float[Tensor, "head pos width"]:
    """Queries, keys or values: ``x @ w + b``, the same w for every position.

    >>> x = torch.tensor([[1.0, 2.0]])
    >>> w = torch.tensor([[[1.0, 0.0], [0.0, 10.0]]])
    >>> project(x, w, torch.tensor([[0.5, 0.0]]))
    tensor([[[ 1.5000, 20.0000]]])
    """
    n_heads, d_model, width = w.shape
    # One product for all heads: per-head products of this size leave the cores idle.
    flat = w.transpose(1, 2).reshape(n_heads * width, d_model)
    joined = F.linear(x, flat, None if b is None else b.reshape(-1))
    return joined.view(-1, n_heads, width).transpose(0, 1)


def share_kv_heads(kv: Float[Tensor, "kv_head key width"], n_heads: int) -> Float[Tensor, "head key width"]:
    """Give every query head its group's key or value head: 0 0 1 1, never 0 1 0 1 (Ainslie et al. 2023).

    >>> share_kv_heads(torch.tensor([[[1.0]], [[2.0]]]), n_heads=4).flatten()
    tensor([1., 1., 2., 2.])
    """
    return kv.repeat_interleave(n_heads // kv.shape[0], dim=0)


def score(
    queries: Float[Tensor, "head query d_head"], keys: Float[Tensor, "head key d_head"]
) -> Float[Tensor, "head query key"]:
    """The dot product of each query with each key: raw, unscaled, of either sign."""
    return queries @ keys.transpose(-1, -2)


def scale(scores: Float[Tensor, "head query key"], factor: float) -> Float[Tensor, "head query key"]:
    """Scores times a constant, 1/√d_head in most models."""
    return scores * factor


def mask(
    scaled: Float[Tensor, "head query key"], allowed: Bool[Tensor, "query key"]
) -> Float[Tensor, "head query key"]:
    """Minus infinity where a query may not attend."""
    return scaled.masked_fill(~allowed, -math.inf)


def softmax(masked: Float[Tensor, "head query key"]) -> Float[Tensor, "head query key"]:
    """Each row as shares of one: exp(score) over the row's sum.

    A query that may see nothing gets weights of zero, as in torch's fused kernel. (A plain softmax gives
    NaN there, and transformers' eager path spreads the row evenly over masked keys.)

    >>> softmax(torch.tensor([[[0.0, 0.0], [-math.inf, 1.0], [-math.inf, -math.inf]]]))
    tensor([[[0.5000, 0.5000],
             [0.0000, 1.0000],
             [0.0000, 0.0000]]])
    """
    sees = (masked > -math.inf).any(dim=-1, keepdim=True)
    return torch.softmax(masked.masked_fill(~sees, 0.0), dim=-1).masked_fill(~sees, 0.0)


def mix(
    weights: Float[Tensor, "head query key"], values: Float[Tensor, "head key d_value"]
) -> Float[Tensor, "head query d_value"]:
    """The weighted sum of the values."""
    return weights @ values


def merge_heads(
    head_outputs: Float[Tensor, "head query d_value"],
    w_o: Float[Tensor, "head d_value d_model"],
    b_o: Float[Tensor, " d_model"] | None,
) -> Float[Tensor, "query d_model"]:
    """Heads side by side, times W_O, plus b_o."""
    side_by_side = head_outputs.transpose(0, 1).flatten(1)
    return F.linear(side_by_side, w_o.flatten(0, 1).T, b_o)


def fused(
    queries: Float[Tensor, "head query d_head"],
    keys: Float[Tensor, "head key d_head"],
    values: Float[Tensor, "head key d_value"],
    rule: MaskRule,
    factor: float,
    first_query: int = 0,
) -> Float[Tensor, "head query d_value"]:
    """The steps from score to mix in torch's fused kernel, for the forward pass.

    Full and causal masks go by flag; any other goes in strips of queries, because a dense mask at 8,192
    tokens costs 340 MB and four times the time of the flag.
    """
    n_queries, n_keys = queries.shape[1], keys.shape[1]
    # The kernel's causal flag aligns the first query with the first key: right for whole sequences only.
    if rule == Full() or (rule == Causal() and n_queries == n_keys):
        return _kernel(queries, keys, values, None, rule == Causal(), factor)
    positions = torch.arange(first_query, first_query + n_queries)
    allowed = (rule.allows(strip, torch.arange(n_keys)) for strip in torch.split(positions, STRIP))
    parts = zip(torch.split(queries, STRIP, dim=1), allowed, strict=True)
    return torch.cat([_kernel(part, keys, values, mask, False, factor) for part, mask in parts], dim=1)


def _kernel(
    queries: Tensor, keys: Tensor, values: Tensor, allowed: Tensor | None, causal: bool, factor: float
) -> Tensor:
    batched = (queries[None], keys[None], values[None])
    return F.scaled_dot_product_attention(*batched, attn_mask=allowed, is_causal=causal, scale=factor)[0]
