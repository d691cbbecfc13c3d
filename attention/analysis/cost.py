"""What attention costs, counted: scores, products, and what moves between slow and fast memory.

All counts are for one head over N tokens and count elements; how many bytes an element has is the reader's
choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention.errors import InputError

FLOAT32 = 4
"""Bytes of an element in float32, in which the models here compute."""


def n_scores(n_tokens: int) -> int:
    """Scores of one head: every token with every token.

    >>> n_scores(1000), n_scores(2000)
    (1000000, 4000000)
    """
    return n_tokens**2


def n_products(n_tokens: int, d_head: int, d_value: int) -> int:
    """Multiplications of scoring and mixing, the same by whole matrices and by tiles: N² (d_head + d_value).

    >>> n_products(10, 3, 4)
    700
    """
    return n_scores(n_tokens) * (d_head + d_value)


def n_corrections(n_tokens: int, d_value: int, n_columns: int) -> int:
    """Multiplications that tiles add: each row's sum and output by α, once a tile of keys.

    >>> n_corrections(10, 4, 5)
    100
    """
    return n_tokens * math.ceil(n_tokens / n_columns) * (d_value + 1)


@dataclass(frozen=True)
class Traffic:
    """Elements of one head that move between slow and fast memory, forward pass.

    Attributes:
        dense: By whole matrices: read Q and K, write S, read S, write P, read P and V, write O.
        keys_outside: By tiles as in the first FlashAttention, whose outer loop goes over the keys.
        queries_outside: By tiles as in the second, whose outer loop goes over the queries.
        key_block: Keys a tile of the first.
        query_block: Queries a tile of the second.
    """

    dense: int
    keys_outside: int
    queries_outside: int
    key_block: int
    query_block: int


def traffic(n_tokens: int, d_head: int, fast: int) -> Traffic:
    """What has to move, by the loops of Dao et al. 2022, algorithm 1, and Dao 2023.

    Whole matrices: 4Nd + 4N². Keys outside, with tiles of ⌈M/4d⌉ keys, so ⌈N/tile⌉ passes, each of which
    reads Q, O and the running numbers and writes them back: 2Nd + passes · (3Nd + 4N). Queries outside, with
    tiles of as many queries as the largest power of two within M/4d, each of which reads all of K and V:
    2Nd + passes · 2Nd + N.

    Args:
        n_tokens: N.
        d_head: d.
        fast: M, the elements that the fast memory holds.

    Raises:
        InputError: The fast memory is too small for any tile.
    """
    if fast < 4 * d_head:
        raise InputError(
            f"A fast memory of {fast:,} elements holds no tile: with d_head {d_head} it takes {4 * d_head:,}."
        )
    key_block = min(n_tokens, math.ceil(fast / (4 * d_head)))
    query_block = min(n_tokens, 2 ** int(math.log2(fast // (4 * d_head))))
    nd = n_tokens * d_head
    return Traffic(
        dense=4 * nd + 4 * n_scores(n_tokens),
        keys_outside=2 * nd + math.ceil(n_tokens / key_block) * (3 * nd + 4 * n_tokens),
        queries_outside=2 * nd + math.ceil(n_tokens / query_block) * 2 * nd + n_tokens,
        key_block=key_block,
        query_block=query_block,
    )


@dataclass(frozen=True)
class PowerLaw:
    """y = factor · n^exponent, fitted.

    Attributes:
        exponent: The slope on log–log axes.
        factor: y at n = 1.
        r_squared: Share of the variance of log y that the line explains.
    """

    exponent: float
    factor: float
    r_squared: float

    def at(self, n: float) -> float:
        """The line's y."""
        return float(self.factor * n**self.exponent)


def power_law(sizes: Sequence[float], measured: Sequence[float]) -> PowerLaw:
    """The straight line of least squares through points on log–log axes.

    >>> law = power_law([1, 2, 4], [3, 12, 48])
    >>> round(law.exponent, 9), round(law.factor, 9), round(law.r_squared, 9)
    (2.0, 3.0, 1.0)

    Raises:
        InputError: Fewer than two sizes, which no line goes through.
    """
    if len(set(sizes)) < 2:
        raise InputError(f"A slope takes two sizes or more; got {len(set(sizes))}.")
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(measured, float))
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    left = ((y - y.mean() - slope * (x - x.mean())) ** 2).sum()
    spread = ((y - y.mean()) ** 2).sum()
    return PowerLaw(
        exponent=slope,
        factor=float(np.exp(y.mean() - slope * x.mean())),
        r_squared=float(1 - left / spread) if spread > 0 else 1.0,
    )
