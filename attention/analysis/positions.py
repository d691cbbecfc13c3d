"""What ways of telling positions apart do to vectors and scores: distances, turns, biases.

All in float64: the laws shown (a score depends on the distance alone, a turn keeps lengths) should hold to
the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention.engine import steps
from attention.engine.config import AttentionConfig
from attention.engine.masks import Causal
from attention.engine.params import AttentionParams
from attention.engine.positions import Buckets, Fall, Rotary, slopes
from attention.engine.trace import AttentionTrace
from attention.errors import InputError

SYNTHETIC_HEAD = 16
"""Width of the queries and keys that are drawn where no model is open that has them."""


def cosines(table: Float[Tensor, "pos d_model"]) -> Float[Tensor, "pos other"]:
    """The cosine of each position's vector with each other's; of a zero vector, 0."""
    wide = table.to(torch.float64)
    lengths = wide.norm(dim=1, keepdim=True)
    units: Tensor = wide / lengths.where(lengths > 0, 1.0)
    return units @ units.T


def by_distance(matrix: Float[Tensor, "pos other"]) -> Float[Tensor, " distance"]:
    """The mean of what stands k places off the diagonal, for k from 0.

    >>> by_distance(torch.tensor([[1.0, 0.5], [0.25, 3.0]]))
    tensor([2.0000, 0.3750])
    """
    n = len(matrix)
    return torch.stack([(matrix.diagonal(k).mean() + matrix.diagonal(-k).mean()) / 2 for k in range(n)])


def dots_from(table: Float[Tensor, "pos d_model"], at: int) -> Float[Tensor, " pos"]:
    """The dot product of one position's vector with each position's.

    Raises:
        InputError: The table has no such position.
    """
    if not 0 <= at < len(table):
        raise InputError(f"There is no position {at}: the table has {len(table)} (0–{len(table) - 1}).")
    wide = table.to(torch.float64)
    return wide @ wide[at]


def turns(rotary: Rotary, position: int) -> Float[Tensor, " pair"]:
    """The angle by which each pair of channels has turned at a position, in radians, whole turns included."""
    return position * rotary.frequencies(torch.float64)


def turned_scores(
    rotary: Rotary,
    query: Float[Tensor, " d_head"],
    key: Float[Tensor, " d_head"],
    at: int,
    distances: Sequence[int],
) -> Float[Tensor, " distance"]:
    """The raw score of one query with one key, the query at a position and the key some places before it.

    Args:
        rotary: How they turn.
        query: The query before it turns.
        key: The key before it turns.
        at: Position of the query.
        distances: Query's position minus key's: negative for a key after the query.
    """
    ahead = torch.tensor([at - distance for distance in distances])
    turned_query = steps.rotate(query.to(torch.float64)[None, None], torch.tensor([at]), rotary)[0, 0]
    keys = key.to(torch.float64).expand(1, len(ahead), -1)
    scored: Tensor = steps.rotate(keys, ahead, rotary)[0] @ turned_query
    return scored


def drawn_pair(seed: int, d_head: int = SYNTHETIC_HEAD) -> tuple[Tensor, Tensor]:
    """A query and a key of independent standard normal entries, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    query, key = torch.randn(2, d_head, dtype=torch.float64, generator=generator)
    return query, key


def falling(n_heads: int, n: int, seed: int) -> AttentionTrace:
    """A causal sublayer whose heads differ in their slope alone (ALiBi), over n drawn vectors.

    All heads have the same queries and keys, so that what differs between their weights is what the bias
    did. Queries are the vectors, keys their product with one drawn matrix: a token need not fit itself best.

    Args:
        n_heads: Heads, and slopes.
        n: Positions.
        seed: Of the vectors.
    """
    width = SYNTHETIC_HEAD
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, width, dtype=torch.float64, generator=generator)
    mixing = torch.randn(width, width, dtype=torch.float64, generator=generator) / math.sqrt(width)
    same, mixed = (one.expand(n_heads, -1, -1) for one in (torch.eye(width, dtype=torch.float64), mixing))
    numbers = torch.arange(n)
    return AttentionTrace(
        config=AttentionConfig(
            d_model=width,
            n_heads=n_heads,
            n_kv_heads=n_heads,
            d_head=width,
            d_value=width,
            scale=width**-0.5,
            own_mask=Causal(),
            bias=Fall(),
        ),
        params=AttentionParams(
            w_q=same, w_k=mixed, w_v=same, w_o=same, bias=slopes(n_heads, torch.float64)[:, None]
        ),
        query_input=x,
        key_input=x,
        query_positions=numbers,
        key_positions=numbers,
        mask_rule=Causal(),
    )


def looks_back(weights: Float[Tensor, "query key"]) -> float:
    """How many places back a causal head looks: Σ a·(i − j), the mean over its rows.

    >>> looks_back(torch.tensor([[1.0, 0.0], [0.5, 0.5]]))
    0.25
    """
    n_queries, n_keys = weights.shape
    back = torch.arange(n_queries)[:, None] - torch.arange(n_keys)[None, :]
    return float((weights * back).sum(dim=-1).mean())


@dataclass(frozen=True, eq=False, kw_only=True)
class Relative:
    """A learned bias by relative position.

    Attributes:
        rule: Which distances share a bucket.
        table: What each head adds to a score for each bucket.
    """

    rule: Buckets
    table: Float[Tensor, "head bucket"]

    def at(self, ahead: Int[Tensor, " place"]) -> Float[Tensor, "head place"]:
        """What each head adds for a key so many places after the query; negative is before it."""
        return self.table[:, self.rule.of(ahead[None])[0]]

    def matrix(self, n: int) -> Float[Tensor, "head query key"]:
        """What each head adds to each score of n tokens."""
        return self.rule(self.table, torch.arange(n), torch.arange(n))


def drawn_relative(seed: int, n_heads: int = 8, *, both_ways: bool) -> Relative:
    """A table of 32 buckets up to 128 places whose numbers are drawn, not learned.

    Standard normal entries. What the rule makes of a table, equal numbers in equal buckets, needs no training
    to be seen; what a head prefers does, and is not in here.
    """
    generator = torch.Generator().manual_seed(seed)
    rule = Buckets(n_buckets=32, max_distance=128, both_ways=both_ways)
    table = torch.randn(n_heads, rule.n_buckets, dtype=torch.float64, generator=generator)
    return Relative(rule=rule, table=table)


def unreached(rule: Buckets) -> tuple[int, ...]:
    """The buckets that no distance falls into, before the query or after it.

    Farther than ``max_distance`` every distance shares one bucket, so that nearer ones are all there are.

    >>> unreached(Buckets(n_buckets=8, max_distance=9, both_ways=True))
    (4,)
    """
    far = rule.max_distance + 1
    reached = set(rule.of(torch.arange(-far, far + 1)[None])[0].tolist())
    return tuple(bucket for bucket in range(rule.n_buckets) if bucket not in reached)


def first_of_buckets(rule: Buckets, farthest: int = 200) -> tuple[tuple[int, int], ...]:
    """Each bucket that is used for keys before the query, and the first distance in it.

    >>> first_of_buckets(Buckets(n_buckets=8, max_distance=9, both_ways=True))
    ((0, 0), (1, 1), (2, 2), (3, 5))
    """
    buckets = rule.of(-torch.arange(farthest + 1)[None])[0].tolist()
    return tuple((bucket, buckets.index(bucket)) for bucket in dict.fromkeys(buckets))
