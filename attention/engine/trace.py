"""The steps of one attention sublayer, in order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.engine import steps
from attention.engine.config import AttentionConfig
from attention.engine.masks import MaskRule
from attention.engine.params import AttentionParams
from attention.errors import InputError


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentionTrace:
    """What one attention sublayer did with one sequence.

    Quantities with one position axis are kept once read. Those with two (scores to weights) are computed
    from them at each reading and never kept, so that a trace grows with the sequence and not its square.

    Attributes:
        config: Sizes and choices of the sublayer.
        params: Its learned tensors.
        query_input: What W_Q sees; in pre-norm families the normed residual stream.
        key_input: What W_K and W_V see: the same, or an encoder's memory.
        mask_rule: Who may attend to whom, padding included.
        heads_off: Heads whose outputs are zero before W_O.
        first_query: Position of the first query, when the trace is a strip of a longer one.
    """

    config: AttentionConfig
    params: AttentionParams
    query_input: Float[Tensor, "query d_model"]
    key_input: Float[Tensor, "key d_model"]
    mask_rule: MaskRule
    heads_off: frozenset[int] = frozenset()
    first_query: int = 0

    @cached_property
    def projected_queries(self) -> Float[Tensor, "head query d_head"]:
        """Queries as they come out of W_Q."""
        return steps.project(self.query_input, self.params.w_q, self.params.b_q)

    @cached_property
    def projected_keys(self) -> Float[Tensor, "kv_head key d_head"]:
        """Keys as they come out of W_K."""
        return steps.project(self.key_input, self.params.w_k, self.params.b_k)

    @cached_property
    def queries(self) -> Float[Tensor, "head query d_head"]:
        """Queries as they are scored."""
        return self.projected_queries

    @cached_property
    def keys(self) -> Float[Tensor, "kv_head key d_head"]:
        """Keys as they are scored."""
        return self.projected_keys

    @cached_property
    def values(self) -> Float[Tensor, "kv_head key d_value"]:
        """What each position has to give."""
        return steps.project(self.key_input, self.params.w_v, self.params.b_v)

    @property
    def scores(self) -> Float[Tensor, "head query key"]:
        """Raw dot products of queries and keys."""
        return steps.score(self.queries, self._shared(self.keys))

    @property
    def scaled(self) -> Float[Tensor, "head query key"]:
        """Scores times the scale."""
        return steps.scale(self.scores, self.config.scale)

    @property
    def mask(self) -> Bool[Tensor, "query key"]:
        """True where a query may attend to a key."""
        queries = torch.arange(self.first_query, self.first_query + self.n_queries)
        return self.mask_rule.allows(queries, torch.arange(self.n_keys))

    @property
    def masked(self) -> Float[Tensor, "head query key"]:
        """Scaled scores, minus infinity where masked."""
        return steps.mask(self.scaled, self.mask)

    @property
    def weights(self) -> Float[Tensor, "head query key"]:
        """Each query's shares of the keys; a row sums to one, or to zero if it may see nothing."""
        return steps.softmax(self.masked)

    @property
    def head_outputs(self) -> Float[Tensor, "head query d_value"]:
        """Each head's weighted sum of values; zero for heads that are off."""
        return self._lit(steps.mix(self.weights, self._shared(self.values)))

    @property
    def output(self) -> Float[Tensor, "query d_model"]:
        """What the sublayer adds to the residual stream, by the visible steps."""
        return steps.merge_heads(self.head_outputs, self.params.w_o, self.params.b_o)

    @property
    def fused_output(self) -> Float[Tensor, "query d_model"]:
        """The same output by torch's fused kernel, as the forward pass takes it."""
        keys, values = self._shared(self.keys), self._shared(self.values)
        outputs = steps.fused(self.queries, keys, values, self.mask_rule, self.config.scale, self.first_query)
        return steps.merge_heads(self._lit(outputs), self.params.w_o, self.params.b_o)

    @property
    def n_queries(self) -> int:
        """How many queries there are."""
        return self.query_input.shape[0]

    @property
    def n_keys(self) -> int:
        """How many keys there are."""
        return self.key_input.shape[0]

    def weighted_values(self, query: int) -> Float[Tensor, "head key d_value"]:
        """What one query takes from each key; summed over keys it is ``head_outputs[:, query]``.

        Args:
            query: Row of this trace; negative rows count from the end.

        Raises:
            InputError: There is no such row.
        """
        row = self._row(query)
        weights = self.rows(row, row + 1).weights[:, 0, :, None]
        return self._lit(weights * self._shared(self.values))

    def head_contributions(self) -> Float[Tensor, "head query d_model"]:
        """Each head's part of the output; they and b_o sum to ``output``."""
        return self.head_outputs @ self.params.w_o

    def head(self, head: int) -> AttentionTrace:
        """The same trace with one head and without b_o, which belongs to no head.

        Raises:
            InputError: There is no such head.
        """
        if not 0 <= head < self.config.n_heads:
            last = self.config.n_heads - 1
            raise InputError(f"There is no head {head}: the layer has {last + 1} (heads 0–{last}).")
        group = self.config.n_heads // self.config.n_kv_heads
        return replace(
            self,
            config=replace(self.config, n_heads=1, n_kv_heads=1),
            params=_one_head(self.params, head, head // group),
            heads_off=frozenset({0} if head in self.heads_off else ()),
        )

    def rows(self, start: int, stop: int) -> AttentionTrace:
        """The same trace for the queries from ``start`` up to ``stop``, against all keys.

        Raises:
            InputError: The strip is empty or leaves the sequence.
        """
        if not 0 <= start < stop <= self.n_queries:
            raise InputError(f"Rows {start} to {stop} do not lie within the {self.n_queries} queries.")
        strip = self.query_input[start:stop]
        part = replace(self, query_input=strip, first_query=self.first_query + start)
        # Keys and values are those of the whole sequence: hand them on instead of projecting them again.
        for name in ("projected_keys", "keys", "values"):
            if name in self.__dict__:
                part.__dict__[name] = self.__dict__[name]
        return part

    def _row(self, query: int) -> int:
        if not -self.n_queries <= query < self.n_queries:
            raise InputError(f"There is no query {query}: the sequence has {self.n_queries}.")
        return query % self.n_queries

    def _shared(self, kv: Float[Tensor, "kv_head key width"]) -> Float[Tensor, "head key width"]:
        return steps.share_kv_heads(kv, self.config.n_heads)

    def _lit(self, by_head: Float[Tensor, "head pos width"]) -> Float[Tensor, "head pos width"]:
        """The same with zeros for the heads that are off."""
        if not self.heads_off:
            return by_head
        off = torch.zeros(self.config.n_heads, 1, 1, dtype=torch.bool)
        off[sorted(self.heads_off)] = True
        return by_head.masked_fill(off, 0.0)


def _one_head(params: AttentionParams, head: int, kv_head: int) -> AttentionParams:
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
    )
