"""One layer: an attention sublayer and an MLP sublayer, each with its norms and its residual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from jaxtyping import Float
from torch import Tensor

from attention.engine.config import AttentionConfig
from attention.engine.masks import MaskRule
from attention.engine.mlp import Activation, mlp
from attention.engine.norms import Norms
from attention.engine.params import AttentionParams, MLPParams
from attention.engine.trace import AttentionTrace

Attend: TypeAlias = Callable[[AttentionTrace], Tensor]


def by_kernel(trace: AttentionTrace) -> Float[Tensor, "query d_model"]:
    """Attention as the forward pass takes it."""
    return trace.fused_output


def by_visible_steps(trace: AttentionTrace) -> Float[Tensor, "query d_model"]:
    """Attention by the steps that a reader can see."""
    return trace.output


@dataclass(frozen=True)
class LayerPlan:
    """What the settings ask of one layer: its mask, padding included, and its heads that are off."""

    mask_rule: MaskRule
    heads_off: frozenset[int] = frozenset()


@dataclass(frozen=True, kw_only=True, eq=False)
class LayerStates:
    """The residual stream at three places of one layer.

    Attributes:
        pre: What the layer was given.
        mid: After attention; None where attention and MLP run in parallel.
        post: What the layer passed on.
    """

    pre: Float[Tensor, "pos d_model"]
    mid: Float[Tensor, "pos d_model"] | None
    post: Float[Tensor, "pos d_model"]


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentionSublayer:
    """Self-attention with its norms."""

    config: AttentionConfig
    params: AttentionParams
    norms: Norms

    def trace(self, resid: Float[Tensor, "pos d_model"], plan: LayerPlan) -> AttentionTrace:
        """The steps of this sublayer on one residual stream."""
        x = self.norms.before(resid)
        return AttentionTrace(
            config=self.config,
            params=self.params,
            query_input=x,
            key_input=x,
            mask_rule=plan.mask_rule,
            heads_off=plan.heads_off,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class MLPSublayer:
    """An MLP with its norms."""

    params: MLPParams
    activation: Activation
    norms: Norms

    def forward(self, resid: Float[Tensor, "pos d_model"]) -> Float[Tensor, "pos d_model"]:
        """The residual stream after the MLP."""
        return self.norms.add(resid, mlp(self.norms.before(resid), self.params, self.activation))


@dataclass(frozen=True, kw_only=True, eq=False)
class Layer:
    """One block of a stack. A toy may do without the MLP."""

    attention: AttentionSublayer
    mlp: MLPSublayer | None = None

    def after_attention(
        self, resid: Float[Tensor, "pos d_model"], plan: LayerPlan, attend: Attend = by_kernel
    ) -> Float[Tensor, "pos d_model"]:
        """The residual stream between attention and MLP."""
        return self.attention.norms.add(resid, attend(self.attention.trace(resid, plan)))

    def forward(
        self, resid: Float[Tensor, "pos d_model"], plan: LayerPlan, attend: Attend = by_kernel
    ) -> Float[Tensor, "pos d_model"]:
        """The residual stream after the layer."""
        mid = self.after_attention(resid, plan, attend)
        return mid if self.mlp is None else self.mlp.forward(mid)
