"""The steps of one attention sublayer, in order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.engine import kernel, steps
from attention.engine.heads import Heads
from attention.engine.masks import MaskRule
from attention.engine.params import one_head
from attention.errors import InputError


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentionTrace(Heads):
    """What one attention sublayer did with one sequence.

    Queries, keys and values are kept once read. What has two position axes (scores to weights) is computed
    from them at each reading and never kept, so that a trace grows with the sequence and not its square. A
    step that the model does not have gives back the step before; ``has_norm``, ``has_rotation``,
    ``has_cap`` and ``has_bias`` tell which there are.

    Attributes:
        mask_rule: Who may attend to whom, padding included.
        heads_off: Heads whose outputs are zero before W_O.
        first_query: Place of the first query, when the trace is a strip of a longer one. Masks go by places.
    """

    mask_rule: MaskRule
    heads_off: frozenset[int] = frozenset()
    first_query: int = 0

    def __repr__(self) -> str:
        sizes = f"{self.config.n_heads} heads, {self.n_queries} queries × {self.n_keys} keys"
        return f"AttentionTrace({sizes}, {self.mask_rule!r})"

    @property
    def has_cap(self) -> bool:
        """Whether scaled scores are bent under a cap."""
        return self.config.softcap is not None

    @property
    def has_bias(self) -> bool:
        """Whether a bias for the distance is added to the scores."""
        return self.config.bias is not None and self.query_positions is not None

    @property
    def scores(self) -> Float[Tensor, "head query key"]:
        """Raw dot products of queries and keys."""
        return steps.score(self.queries, self._shared(self.keys))

    @property
    def scaled(self) -> Float[Tensor, "head query key"]:
        """Scores times the scale."""
        return steps.scale(self.scores, self.config.scale)

    @property
    def capped(self) -> Float[Tensor, "head query key"]:
        """Scaled scores, none beyond the cap."""
        limit = self.config.softcap
        return self.scaled if limit is None else steps.cap(self.scaled, limit)

    @property
    def bias(self) -> Float[Tensor, "head query key"]:
        """What each head adds to a score for the distance; zero where the model adds nothing."""
        rule, table = self.config.bias, self.params.bias
        queries, keys = self.query_positions, self.key_positions
        if rule is None or table is None or queries is None or keys is None:
            return self.query_input.new_zeros(self.config.n_heads, self.n_queries, self.n_keys)
        return rule(table, queries, keys)

    @property
    def biased(self) -> Float[Tensor, "head query key"]:
        """Capped scores plus the bias for the distance."""
        return steps.add_bias(self.capped, self.bias) if self.has_bias else self.capped

    @property
    def mask(self) -> Bool[Tensor, "query key"]:
        """True where a query may attend to a key."""
        queries = torch.arange(self.first_query, self.first_query + self.n_queries)
        return self.mask_rule.allows(queries, torch.arange(self.n_keys))

    @property
    def masked(self) -> Float[Tensor, "head query key"]:
        """The scores so far, minus infinity where masked."""
        return steps.mask(self.biased, self.mask)

    @property
    def weights(self) -> Float[Tensor, "head query key"]:
        """Each query's shares of the keys; a row sums to one, or to zero if it may see nothing."""
        return steps.softmax(self.masked)

    @property
    def head_outputs(self) -> Float[Tensor, "head query d_value"]:
        """Each head's weighted sum of values; zero for heads that are off."""
        return self.mixed(self.weights)

    @property
    def output(self) -> Float[Tensor, "query d_model"]:
        """What the sublayer adds to the residual stream, by the visible steps."""
        return steps.merge_heads(self.head_outputs, self.params.w_o, self.params.b_o)

    @property
    def fused_output(self) -> Float[Tensor, "query d_model"]:
        """The same output as the forward pass takes it: by torch's fused kernel.

        The kernel knows no cap, so capped scores go by the visible steps, a strip of queries at a time.
        """
        return steps.merge_heads(self._fused(), self.params.w_o, self.params.b_o)

    def mixed(self, weights: Float[Tensor, "head query key"]) -> Float[Tensor, "head query d_value"]:
        """Each head's sum of its values by some weights; zero for heads that are off."""
        return self._lit(steps.mix(weights, self._shared(self.values)))

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
            params=one_head(self.params, head, head // group),
            heads_off=frozenset({0} if head in self.heads_off else ()),
        )

    def rows(self, start: int, stop: int) -> AttentionTrace:
        """The same trace for the queries from ``start`` up to ``stop``, against all keys.

        Raises:
            InputError: The strip is empty or leaves the sequence.
        """
        if not 0 <= start < stop <= self.n_queries:
            raise InputError(f"Rows {start} to {stop} do not lie within the {self.n_queries} queries.")
        numbers = self.query_positions
        part = replace(
            self,
            query_input=self.query_input[start:stop],
            query_positions=None if numbers is None else numbers[start:stop],
            first_query=self.first_query + start,
        )
        # Keys and values are those of the whole sequence: hand them on instead of projecting them again.
        for name in ("projected_keys", "normed_keys", "keys", "values"):
            if name in self.__dict__:
                part.__dict__[name] = self.__dict__[name]
        return part

    def _row(self, query: int) -> int:
        if not -self.n_queries <= query < self.n_queries:
            raise InputError(f"There is no query {query}: the sequence has {self.n_queries}.")
        return query % self.n_queries

    def _fused(self) -> Float[Tensor, "head query d_value"]:
        if self.has_cap:
            strips = range(0, self.n_queries, kernel.STRIP)
            return torch.cat([self._strip(start).head_outputs for start in strips], dim=1)
        return self._lit(
            kernel.fused(
                self.queries,
                self._shared(self.keys),
                self._shared(self.values),
                self.mask_rule,
                self.config.scale,
                self.first_query,
                (lambda start: self._strip(start).bias) if self.has_bias else None,
            )
        )

    def _strip(self, start: int) -> AttentionTrace:
        return self.rows(start, min(start + kernel.STRIP, self.n_queries))

    def _lit(self, by_head: Float[Tensor, "head pos width"]) -> Float[Tensor, "head pos width"]:
        """The same with zeros for the heads that are off."""
        if not self.heads_off:
            return by_head
        off = torch.zeros(self.config.n_heads, 1, 1, dtype=torch.bool)
        off[sorted(self.heads_off)] = True
        return by_head.masked_fill(off, 0.0)
