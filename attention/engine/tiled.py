"""Attention tile by tile with a running softmax: the same result, and never a whole matrix of scores.

Dao et al. 2022 (FlashAttention), algorithm 1, in the order of its second version (Dao 2023): a tile of
queries meets one tile of keys after another and divides once, at the end. The running softmax itself is
Milakov and Gimelshein's, 2018.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.engine import steps
from attention.engine.masks import MaskRule
from attention.engine.trace import AttentionTrace
from attention.errors import InputError

Bias: TypeAlias = Callable[[range, range], Tensor]
"""What is added to the scaled scores [head query key] of some rows of queries and some keys."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Tile:
    """A tile of queries after it has met one more tile of keys.

    Attributes:
        queries: Rows of the tile.
        keys: Its columns, the last that its queries have met.
        masked: The scores of this tile alone, minus infinity where masked.
        allowed: Where a query of it may attend to a key of it. A tile without any such cell is passed over.
        corrections: α, by which what was gathered before is multiplied: exp(old maximum − new maximum).
            0 where nothing was gathered before.
        maxima: m, each row's largest score so far.
        sums: l, each row's sum of exp(score − m) so far.
        gathered: O, the values so far, weighted by exp(score − m) and not yet divided by l.
    """

    queries: range
    keys: range
    masked: Float[Tensor, "head query key"]
    allowed: Bool[Tensor, "query key"]
    corrections: Float[Tensor, "head query"]
    maxima: Float[Tensor, "head query"]
    sums: Float[Tensor, "head query"]
    gathered: Float[Tensor, "head query d_value"]

    @property
    def output(self) -> Float[Tensor, "head query d_value"]:
        """The weighted sum of the values met so far, O/l; zero for a query that has seen nothing."""
        return self.gathered / self.sums.masked_fill(self.sums == 0, 1.0)[..., None]

    @property
    def passed_over(self) -> bool:
        """Whether no cell of the tile is allowed, so that nothing had to be computed."""
        return not bool(self.allowed.any())


@dataclass(frozen=True, kw_only=True, eq=False)
class TiledAttention:
    """The steps from score to mix, a tile at a time.

    Attributes:
        queries: As they are scored.
        keys: The same, one set a query head.
        values: One set a query head.
        rule: Who may attend to whom.
        scale: What the scores are multiplied by.
        n_rows: Queries a tile; the last tile has what is left.
        n_columns: Keys a tile.
        softcap: What the scaled scores are bent under; None leaves them.
        bias: What is added to the scaled scores; None adds nothing.
        first_query: Position of the first query in its sequence.

    Raises:
        InputError: A tile of no rows or columns, or of more than there are.
    """

    queries: Float[Tensor, "head query d_head"]
    keys: Float[Tensor, "head key d_head"]
    values: Float[Tensor, "head key d_value"]
    rule: MaskRule
    scale: float
    n_rows: int
    n_columns: int
    softcap: float | None = None
    bias: Bias | None = None
    first_query: int = 0

    def __post_init__(self) -> None:
        check_block("queries", self.n_rows, self.queries.shape[1])
        check_block("keys", self.n_columns, self.keys.shape[1])

    def tiles(self) -> Iterator[Tile]:
        """Every tile of every row of tiles, from left to right and from top to bottom."""
        for rows in blocks(self.queries.shape[1], self.n_rows):
            tile = self._before(rows)
            for columns in blocks(self.keys.shape[1], self.n_columns):
                tile = self._after(tile, columns)
                yield tile

    def output(self) -> Float[Tensor, "head query d_value"]:
        """Each head's weighted sum of values: the last state of each row of tiles."""
        n_keys = self.keys.shape[1]
        return torch.cat([tile.output for tile in self.tiles() if tile.keys.stop == n_keys], dim=1)

    def widened(self) -> TiledAttention:
        """The same in float64, where rounding does not hide a mistake."""
        return replace(
            self, queries=self.queries.double(), keys=self.keys.double(), values=self.values.double()
        )

    def _before(self, rows: range) -> Tile:
        """A tile of queries that has met no key."""
        n_heads, size = self.queries.shape[0], (self.queries.shape[0], len(rows))
        return Tile(
            queries=rows,
            keys=range(0),
            masked=self.queries.new_zeros(n_heads, len(rows), 0),
            allowed=torch.ones(len(rows), 0, dtype=torch.bool),
            corrections=self.queries.new_zeros(size),
            maxima=self.queries.new_full(size, -math.inf),
            sums=self.queries.new_zeros(size),
            gathered=self.values.new_zeros(*size, self.values.shape[2]),
        )

    def _after(self, tile: Tile, columns: range) -> Tile:
        """The same queries after one more tile of keys."""
        masked, allowed = self._scores(tile.queries, columns)
        maxima = torch.maximum(tile.maxima, masked.amax(dim=-1))
        corrections = correction(tile.maxima, maxima)
        shares = _exponentials(masked, maxima)
        return replace(
            tile,
            keys=columns,
            masked=masked,
            allowed=allowed,
            corrections=corrections,
            maxima=maxima,
            sums=corrections * tile.sums + shares.sum(dim=-1),
            gathered=corrections[..., None] * tile.gathered + steps.mix(shares, _part(self.values, columns)),
        )

    def _scores(self, rows: range, columns: range) -> tuple[Tensor, Tensor]:
        """The masked scores of one tile, and where they are not masked."""
        places = torch.arange(self.first_query + rows.start, self.first_query + rows.stop)
        allowed = self.rule.allows(places, torch.arange(columns.start, columns.stop))
        if not allowed.any():
            return self.queries.new_full((self.queries.shape[0], *allowed.shape), -math.inf), allowed
        scores = steps.score(_part(self.queries, rows), _part(self.keys, columns))
        scaled = steps.scale(scores, self.scale)
        capped = scaled if self.softcap is None else steps.cap(scaled, self.softcap)
        biased = capped if self.bias is None else steps.add_bias(capped, self.bias(rows, columns))
        return steps.mask(biased, allowed), allowed


def of_trace(trace: AttentionTrace, n_rows: int, n_columns: int) -> TiledAttention:
    """A trace's attention by tiles. Heads that are off are taken as they would be if they were on.

    Args:
        trace: The sublayer.
        n_rows: Queries a tile.
        n_columns: Keys a tile.

    Raises:
        InputError: A tile of no rows or columns, or of more than there are.
    """
    n_heads = trace.config.n_heads
    return TiledAttention(
        queries=trace.queries,
        keys=steps.share_kv_heads(trace.keys, n_heads),
        values=steps.share_kv_heads(trace.values, n_heads),
        rule=trace.mask_rule,
        scale=trace.config.scale,
        n_rows=n_rows,
        n_columns=n_columns,
        softcap=trace.config.softcap,
        bias=partial(_bias, trace) if trace.has_bias else None,
        first_query=trace.first_query,
    )


def blocks(n: int, size: int) -> tuple[range, ...]:
    """A sequence cut into pieces of one size; the last has what is left.

    >>> blocks(5, 2)
    (range(0, 2), range(2, 4), range(4, 5))
    """
    return tuple(range(start, min(start + size, n)) for start in range(0, n, size))


def check_block(what: str, size: int, n: int) -> None:
    """Refuse a tile of nothing, or of more than there is.

    Args:
        what: What the tile holds: queries or keys.
        size: How many of them.
        n: How many there are.

    Raises:
        InputError: It is one of these.
    """
    if not 1 <= size <= n:
        raise InputError(f"A tile takes from 1 to all {n} {what} of the sequence; got {size}.")


def correction(
    before: Float[Tensor, "head query"], after: Float[Tensor, "head query"]
) -> Float[Tensor, "head query"]:
    """α = exp(old maximum − new maximum); 0 for a row that had seen nothing.

    >>> correction(torch.tensor([[-math.inf, 1.0, 2.0]]), torch.tensor([[3.0, 2.0, 2.0]]))
    tensor([[0.0000, 0.3679, 1.0000]])
    """
    # Minus infinity less minus infinity would be NaN.
    return torch.where(before == -math.inf, 0.0, (before - after).exp())


def _exponentials(
    masked: Float[Tensor, "head query key"], maxima: Float[Tensor, "head query"]
) -> Float[Tensor, "head query key"]:
    """exp(score − m); zero in a row that has seen nothing, whose m is minus infinity."""
    return (masked - maxima.masked_fill(maxima == -math.inf, 0.0)[..., None]).exp()


def _bias(trace: AttentionTrace, rows: range, columns: range) -> Float[Tensor, "head query key"]:
    rule, table = trace.config.bias, trace.params.bias
    queries, keys = trace.query_positions, trace.key_positions
    if rule is None or table is None or queries is None or keys is None:
        raise TypeError("a trace with a bias has a rule, a table and positions")
    return rule(table, queries[rows.start : rows.stop], keys[columns.start : columns.stop])


def _part(by_head: Float[Tensor, "head pos width"], places: range) -> Float[Tensor, "head part width"]:
    return by_head[:, places.start : places.stop]
