"""Scaled dot-product attention, one pure function a step, in the order of the maths.

Vaswani et al. 2017, section 3.2: project → (norm) → (rotate) → share kv heads → score → scale → (cap) →
(bias) → mask → softmax → mix → merge heads. Steps in brackets are not in every model. Rows are queries,
columns keys.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention.engine.norms import rms
from attention.engine.positions import Rotary


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


def norm(
    heads: Float[Tensor, "head pos d_head"], gain: Float[Tensor, " d_head"], eps: float
) -> Float[Tensor, "head pos d_head"]:
    """Each query or key over its own root mean square, times one gain for all heads (Dehghani et al. 2023).

    >>> norm(torch.tensor([[[3.0, -3.0]]]), torch.tensor([1.0, 2.0]), 0.0)
    tensor([[[ 1., -2.]]])
    """
    return rms(heads, gain, eps)


def rotate(
    heads: Float[Tensor, "head pos d_head"], positions: Int[Tensor, " pos"], rotary: Rotary
) -> Float[Tensor, "head pos d_head"]:
    """Turn each query or key by its position number; channels i and i + half make a pair (Su et al. 2021).

    The paper pairs neighbours, 2i with 2i + 1; weights made for the one are wrong for the other.

    >>> rotate(torch.tensor([[[1.0, 2, 3, 4]]]), torch.tensor([3]), Rotary(base=10000.0, n_channels=4))
    tensor([[[-1.4134,  1.8791, -2.8289,  4.0582]]])
    """
    # The angles are taken in the precision of the queries, as they are where the models come from.
    angles = positions[:, None].to(heads.dtype) * rotary.frequencies(heads.dtype)
    cos, sin = angles.cos(), angles.sin()
    half = rotary.n_turning // 2
    first, second, still = heads[..., :half], heads[..., half : 2 * half], heads[..., 2 * half :]
    return torch.cat([first * cos - second * sin, second * cos + first * sin, still], dim=-1)


def share_kv_heads(kv: Float[Tensor, "kv_head key width"], n_heads: int) -> Float[Tensor, "head key width"]:
    """Give every query head its group's key or value head: 0 0 1 1, never 0 1 0 1 (Ainslie et al. 2023).

    >>> share_kv_heads(torch.tensor([[[1.0]], [[2.0]]]), n_heads=4).flatten()
    tensor([1., 1., 2., 2.])
    """
    group = n_heads // kv.shape[0]
    return kv if group == 1 else kv.repeat_interleave(group, dim=0)  # which copies even when there is no need


def score(
    queries: Float[Tensor, "head query d_head"], keys: Float[Tensor, "head key d_head"]
) -> Float[Tensor, "head query key"]:
    """The dot product of each query with each key: raw, unscaled, of either sign."""
    return queries @ keys.transpose(-1, -2)


def scale(scores: Float[Tensor, "head query key"], factor: float) -> Float[Tensor, "head query key"]:
    """Scores times a constant, 1/√d_head in most models."""
    return scores * factor


def cap(scaled: Float[Tensor, "head query key"], limit: float) -> Float[Tensor, "head query key"]:
    """Bend scores so that none passes the limit: limit·tanh(score/limit) (Bello et al. 2016).

    >>> cap(torch.tensor([[[1.0, -500.0]]]), 50.0)
    tensor([[[  0.9999, -50.0000]]])
    """
    return torch.tanh(scaled / limit) * limit


def add_bias(
    capped: Float[Tensor, "head query key"], bias: Float[Tensor, "head query key"]
) -> Float[Tensor, "head query key"]:
    """Scores plus what each head adds for the distance between query and key."""
    return capped + bias


def mask(
    biased: Float[Tensor, "head query key"], allowed: Bool[Tensor, "query key"]
) -> Float[Tensor, "head query key"]:
    """Minus infinity where a query may not attend."""
    return biased.masked_fill(~allowed, -math.inf)


def softmax(masked: Float[Tensor, "head query key"]) -> Float[Tensor, "head query key"]:
    """Each row as shares of one: exp(score) over the row's sum.

    A query that may see nothing gets weights of zero, as in torch's fused kernel. (A plain softmax gives
    NaN there, and transformers' eager path spreads the row evenly over masked keys.) A score that is NaN
    stays one, and so does its row.

    >>> softmax(torch.tensor([[[0.0, 0.0], [-math.inf, 1.0], [-math.inf, -math.inf]]]))
    tensor([[[0.5000, 0.5000],
             [0.0000, 1.0000],
             [0.0000, 0.0000]]])
    """
    sees = (masked != -math.inf).any(dim=-1, keepdim=True)
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
