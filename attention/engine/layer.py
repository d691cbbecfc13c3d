"""One layer: attention and MLP sublayers, each with its norms and its residual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from jaxtyping import Float
from torch import Tensor

from attention.engine.config import AttentionConfig
from attention.engine.masks import Full, MaskRule
from attention.engine.mlp import Activation, mlp
from attention.engine.norms import Norms
from attention.engine.params import AttentionParams, MLPParams
from attention.engine.positions import numbers
from attention.engine.settings import Positions
from attention.engine.trace import AttentionTrace

Attend: TypeAlias = Callable[[AttentionTrace], Tensor]


def by_kernel(trace: AttentionTrace) -> Float[Tensor, "query d_model"]:
    """Attention as the forward pass takes it."""
    return trace.fused_output


@dataclass(frozen=True)
class SublayerPlan:
    """What the settings ask of one attention sublayer.

    Attributes:
        mask_rule: Who may attend to whom, padding included.
        heads_off: Heads that are off.
        positions: Which position numbers rotation and bias go by.
    """

    mask_rule: MaskRule
    heads_off: frozenset[int] = frozenset()
    positions: Positions = "own"


@dataclass(frozen=True)
class LayerPlan(SublayerPlan):
    """What the settings ask of one layer: of self-attention, and of cross-attention where there is one."""

    cross: SublayerPlan = field(default_factory=lambda: SublayerPlan(Full()))


@dataclass(frozen=True, kw_only=True, eq=False)
class LayerStates:
    """The residual stream at the joints of one layer.

    Attributes:
        pre: What the layer was given.
        mid: After self-attention; None where attention and MLP run in parallel.
        crossed: After cross-attention; None where the layer has none.
        post: What the layer passed on.
    """

    pre: Float[Tensor, "pos d_model"]
    mid: Float[Tensor, "pos d_model"] | None
    crossed: Float[Tensor, "pos d_model"] | None = None
    post: Float[Tensor, "pos d_model"]


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentionSublayer:
    """Attention with its norms."""

    config: AttentionConfig
    params: AttentionParams
    norms: Norms

    def trace(
        self,
        resid: Float[Tensor, "pos d_model"],
        plan: SublayerPlan,
        memory: Float[Tensor, "key d_model"] | None = None,
    ) -> AttentionTrace:
        """The steps of this sublayer on one residual stream.

        Args:
            resid: Where the queries come from.
            plan: What is asked of the sublayer.
            memory: Where keys and values come from in cross-attention: an encoder's final states, used as
                they are. Left out, the residual stream attends to itself.
        """
        x = self.norms.before(resid)
        key_input = x if memory is None else memory
        return AttentionTrace(
            config=self.config,
            params=self.params,
            query_input=x,
            key_input=key_input,
            mask_rule=plan.mask_rule,
            heads_off=plan.heads_off,
            query_positions=numbers(plan.positions, len(x)),
            key_positions=numbers(plan.positions, len(key_input)),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class MLPSublayer:
    """An MLP with its norms."""

    params: MLPParams
    activation: Activation
    norms: Norms

    def output(self, resid: Float[Tensor, "pos d_model"]) -> Float[Tensor, "pos d_model"]:
        """What the MLP makes of the residual stream, before it is added."""
        return mlp(self.norms.before(resid), self.params, self.activation)

    def forward(self, resid: Float[Tensor, "pos d_model"]) -> Float[Tensor, "pos d_model"]:
        """The residual stream after the MLP."""
        return self.norms.add(resid, self.output(resid))


@dataclass(frozen=True, kw_only=True, eq=False)
class Layer:
    """One block of a stack. A toy may do without the MLP.

    Attributes:
        attention: Self-attention.
        cross: Attention to an encoder's memory, after self-attention.
        mlp: The MLP, last.
        parallel: Attention and MLP both read the residual stream as the layer was given it, and both are
            added at the end (Wang & Komatsuzaki 2021).
    """

    attention: AttentionSublayer
    cross: AttentionSublayer | None = None
    mlp: MLPSublayer | None = None
    parallel: bool = False

    def after_attention(
        self, resid: Float[Tensor, "pos d_model"], plan: LayerPlan, attend: Attend = by_kernel
    ) -> Float[Tensor, "pos d_model"]:
        """The residual stream after self-attention alone."""
        return self.attention.norms.add(resid, attend(self.attention.trace(resid, plan)))

    def after_cross(
        self,
        mid: Float[Tensor, "pos d_model"],
        plan: LayerPlan,
        memory: Float[Tensor, "key d_model"] | None,
        attend: Attend = by_kernel,
    ) -> Float[Tensor, "pos d_model"]:
        """The residual stream after cross-attention; as it was where there is none."""
        if self.cross is None:
            return mid
        return self.cross.norms.add(mid, attend(self.cross.trace(mid, plan.cross, memory)))

    def forward(
        self,
        resid: Float[Tensor, "pos d_model"],
        plan: LayerPlan,
        attend: Attend = by_kernel,
        memory: Float[Tensor, "key d_model"] | None = None,
    ) -> Float[Tensor, "pos d_model"]:
        """The residual stream after the layer."""
        if self.mlp is not None and self.parallel:
            return self.mlp.output(resid) + self.after_attention(resid, plan, attend)
        mid = self.after_attention(resid, plan, attend)
        crossed = self.after_cross(mid, plan, memory, attend)
        return crossed if self.mlp is None else self.mlp.forward(crossed)
