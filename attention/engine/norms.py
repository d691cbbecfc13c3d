"""Norms, and where a sublayer's norms sit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

Norm: TypeAlias = Callable[[Tensor], Tensor]


@dataclass(frozen=True, kw_only=True, eq=False)
class LayerNorm:
    """Subtract the mean, divide by the standard deviation, then gain and bias (Ba et al. 2016).

    Attributes:
        gain: Multiplies each channel.
        bias: Is added to each channel.
        eps: Is added to the (biased) variance under the root.
    """

    gain: Float[Tensor, " d_model"]
    bias: Float[Tensor, " d_model"]
    eps: float

    def __call__(self, x: Float[Tensor, "pos d_model"]) -> Float[Tensor, "pos d_model"]:
        """Normalise each position by itself."""
        return F.layer_norm(x, self.gain.shape, self.gain, self.bias, self.eps)


@dataclass(frozen=True, kw_only=True, eq=False)
class RMSNorm:
    """Divide by the root of the mean square, then gain: no mean, no bias (Zhang & Sennrich 2019).

    Attributes:
        gain: Multiplies each channel; families that store gain − 1 add the one when they are built.
        eps: Is added to the mean square under the root.
    """

    gain: Float[Tensor, " d_model"]
    eps: float

    def __call__(self, x: Float[Tensor, "pos d_model"]) -> Float[Tensor, "pos d_model"]:
        """Normalise each position by itself."""
        return rms(x, self.gain, self.eps)


def rms(
    x: Float[Tensor, "*axes width"], gain: Float[Tensor, " width"], eps: float
) -> Float[Tensor, "*axes width"]:
    """Each vector over its root mean square, times the gain.

    >>> rms(torch.tensor([[3.0, -3.0]]), torch.tensor([1.0, 10.0]), 0.0)
    tensor([[  1., -10.]])
    """
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * gain


def unchanged(x: Float[Tensor, "pos d_model"]) -> Float[Tensor, "pos d_model"]:
    """The norm of a place where there is none."""
    return x


@dataclass(frozen=True, kw_only=True, eq=False)
class Norms:
    """Where the norms of one sublayer sit.

    ``after_add(resid + after_sublayer(sublayer(before(resid))))`` covers pre-norm (before; Xiong et al.
    2020), post-norm (after_add; Vaswani et al. 2017) and the sandwich (before and after_sublayer; Ding et
    al. 2021).
    """

    before: Norm = unchanged
    after_sublayer: Norm = unchanged
    after_add: Norm = unchanged

    def add(
        self, resid: Float[Tensor, "pos d_model"], sublayer_output: Float[Tensor, "pos d_model"]
    ) -> Float[Tensor, "pos d_model"]:
        """Add a sublayer's output to the residual stream."""
        return self.after_add(resid + self.after_sublayer(sublayer_output))
