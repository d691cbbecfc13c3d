"""How widely a head spreads each row's weight. Every function reads rows and gives a value for each."""

from __future__ import annotations

import torch

from attention.analysis.bits import in_bits
from attention.analysis.reading import PerRow, Reading

MOST_RANKED = 256
"""Rows of the largest matrix whose singular values are taken: 270 of them at 256 rows cost seconds."""


def entropy_bits(reading: Reading) -> PerRow:
    """Entropy of each row in bits: −Σ a log₂ a, from 0 (one key) to log₂ n (n keys alike).

    Shannon 1948, with 0 log 0 = 0.
    """
    return reading.over_rows(in_bits(reading.nats))


def effective_number(reading: Reading) -> PerRow:
    """How many keys each row spreads over: 2^H, H its entropy in bits.

    One key gives 1, n keys alike give n. The mean is taken of 2^H and not of H: 2^(mean H) is smaller.
    (Hill 1973, the diversity number of order 1.)
    """
    return reading.over_rows(reading.nats.exp())


def normalised_entropy(reading: Reading) -> PerRow:
    """Entropy over the most it could be, H / log₂ n, n the keys a row may see; rows with one have none."""
    n = reading.open_keys
    return reading.over_rows(reading.nats / n.clamp(min=2).log(), n >= 2)


def on_largest(reading: Reading) -> PerRow:
    """The largest weight of each row."""
    return reading.over_rows(reading.falling[..., 0])


def on_three_largest(reading: Reading) -> PerRow:
    """The three largest weights of each row, added up; all of them where there are fewer."""
    return reading.over_rows(reading.falling[..., :3].sum(dim=-1))


def keys_for_nine_tenths(reading: Reading) -> PerRow:
    """The fewest keys whose weights add up to 0.9 or more."""
    mass = reading.falling.cumsum(dim=-1)
    # A row of .6, .3, .1 reaches .9 with two keys, whatever rounding makes of their sum.
    short = mass < 0.9 - 1e-6
    return reading.over_rows(short.sum(dim=-1).double() + 1)


def effective_rank(reading: Reading) -> PerRow:
    """How many directions the matrix of weights has: e^(−Σ p ln p), p = σ/Σσ, σ its singular values.

    Not squared (Roy & Vetterli 2007, "The effective rank"). From 1 to the rank. It belongs to the matrix and
    not to a row, so every row has the same; a strip of rows, or more than `MOST_RANKED`, has none.
    """
    n = int(reading.counted.sum())
    if not reading.is_whole or not 0 < n <= MOST_RANKED:
        return reading.over_rows(torch.zeros_like(reading.weights[..., 0]), torch.zeros_like(reading.counted))
    sigma = torch.linalg.svdvals(reading.weights[:, reading.counted])
    ranks = torch.special.entr(sigma / sigma.sum(dim=-1, keepdim=True)).sum(dim=-1).exp()
    return reading.over_rows(ranks[:, None].expand(reading.weights.shape[:2]))
