"""Queries, keys and values: what a sublayer makes of each position by itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from jaxtyping import Float, Int
from torch import Tensor

from attention.engine import steps
from attention.engine.config import AttentionConfig
from attention.engine.params import AttentionParams


@dataclass(frozen=True, kw_only=True, eq=False)
class Heads:
    """The half of a trace that grows with the sequence and not with its square.

    Each quantity is kept once read. A step that the model does not have gives back the step before.

    Attributes:
        config: Sizes and choices of the sublayer.
        params: Its learned tensors.
        query_input: What W_Q sees; in pre-norm families the normed residual stream.
        key_input: What W_K and W_V see: the same, or an encoder's memory.
        query_positions: The position number of each query; None where positions are taken away.
        key_positions: The position number of each key.
    """

    config: AttentionConfig
    params: AttentionParams
    query_input: Float[Tensor, "query d_model"]
    key_input: Float[Tensor, "key d_model"]
    query_positions: Int[Tensor, " query"] | None = None
    key_positions: Int[Tensor, " key"] | None = None

    @property
    def has_norm(self) -> bool:
        """Whether queries and keys are normed."""
        return self.config.norm_eps is not None

    @property
    def has_rotation(self) -> bool:
        """Whether queries and keys turn with their position."""
        return self.config.rotary is not None and self.query_positions is not None

    @cached_property
    def projected_queries(self) -> Float[Tensor, "head query d_head"]:
        """Queries as they come out of W_Q."""
        return steps.project(self.query_input, self.params.w_q, self.params.b_q)

    @cached_property
    def projected_keys(self) -> Float[Tensor, "kv_head key d_head"]:
        """Keys as they come out of W_K."""
        return steps.project(self.key_input, self.params.w_k, self.params.b_k)

    @cached_property
    def normed_queries(self) -> Float[Tensor, "head query d_head"]:
        """Queries after their norm, before they turn."""
        return self._normed(self.projected_queries, self.params.g_q)

    @cached_property
    def normed_keys(self) -> Float[Tensor, "kv_head key d_head"]:
        """Keys after their norm, before they turn."""
        return self._normed(self.projected_keys, self.params.g_k)

    @cached_property
    def queries(self) -> Float[Tensor, "head query d_head"]:
        """Queries as they are scored."""
        return self._rotated(self.normed_queries, self.query_positions)

    @cached_property
    def keys(self) -> Float[Tensor, "kv_head key d_head"]:
        """Keys as they are scored."""
        return self._rotated(self.normed_keys, self.key_positions)

    @cached_property
    def values(self) -> Float[Tensor, "kv_head key d_value"]:
        """What each position has to give."""
        return steps.project(self.key_input, self.params.w_v, self.params.b_v)

    @property
    def n_queries(self) -> int:
        """How many queries there are."""
        return self.query_input.shape[0]

    @property
    def n_keys(self) -> int:
        """How many keys there are."""
        return self.key_input.shape[0]

    def _normed(self, heads: Tensor, gain: Tensor | None) -> Tensor:
        eps = self.config.norm_eps
        return heads if eps is None or gain is None else steps.norm(heads, gain, eps)

    def _rotated(self, heads: Tensor, numbers: Tensor | None) -> Tensor:
        rotary = self.config.rotary
        return heads if rotary is None or numbers is None else steps.rotate(heads, numbers, rotary)

    def _shared(self, kv: Float[Tensor, "kv_head key width"]) -> Float[Tensor, "head key width"]:
        return steps.share_kv_heads(kv, self.config.n_heads)
