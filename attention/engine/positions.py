"""How a model tells one position from another.

A table that is added to the embeddings (sinusoidal; learned ones need no function), a turn of queries and
keys, or a bias on the scores. All are functions of position *numbers*, which a reader may permute or take
away; the mask alone goes by the places in the sequence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention.engine.settings import Positions
from attention.errors import ConfigError


def numbers(positions: Positions, n: int) -> Int[Tensor, " pos"] | None:
    """The position number of each token; None where positions are taken away.

    >>> numbers("own", 3), numbers((2, 0, 1), 3), numbers("none", 3)
    (tensor([0, 1, 2]), tensor([2, 0, 1]), None)
    """
    if positions == "none":
        return None
    return torch.arange(n) if positions == "own" else torch.tensor(positions)


def sinusoidal(n: int, d_model: int, dtype: torch.dtype) -> Float[Tensor, "pos d_model"]:
    """Vaswani et al. 2017, section 3.5, with all sines first and all cosines after them.

    The paper interleaves the two. With an odd d_model there is one more sine than there are cosines.

    >>> sinusoidal(2, 4, torch.float32)
    tensor([[0.0000, 0.0000, 1.0000, 1.0000],
            [0.8415, 0.0100, 0.5403, 0.9999]])
    """
    waves = 10000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.arange(n, dtype=torch.float64)[:, None] / waves
    return torch.cat([angles.sin(), angles[:, : d_model // 2].cos()], dim=1).to(dtype)


def interleaved(n: int, d_model: int, dtype: torch.dtype) -> Float[Tensor, "pos d_model"]:
    """The table of the paper itself: a sine and its cosine side by side (Vaswani et al. 2017, section 3.5).

    >>> interleaved(2, 4, torch.float32)
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    halves = sinusoidal(n, d_model, dtype)
    n_sines = math.ceil(d_model / 2)
    table = torch.empty_like(halves)
    table[:, 0::2], table[:, 1::2] = halves[:, :n_sines], halves[:, n_sines:]
    return table


def spread(n: int, d_model: int, dtype: torch.dtype) -> Float[Tensor, "pos d_model"]:
    """Halves whose slowest wave is exactly 10000 times the quickest, as in the paper's own code.

    tensor2tensor's frequencies are 10000^(−k/(d_model/2 − 1)), and fairseq's after it: another table than the
    paper's, not another order of its columns. An odd d_model ends in a zero.

    >>> spread(2, 4, torch.float64)[1].round(decimals=6).tolist()
    [0.841471, 0.0001, 0.540302, 1.0]
    """
    n_waves = d_model // 2
    waves = 10000 ** (torch.arange(n_waves, dtype=torch.float64) / max(n_waves - 1, 1))
    angles = torch.arange(n, dtype=torch.float64)[:, None] / waves
    return torch.cat([angles.sin(), angles.cos(), angles.new_zeros(n, d_model % 2)], dim=1).to(dtype)


@dataclass(frozen=True, kw_only=True)
class Slowed:
    """Every pair turns more slowly by one factor: position interpolation (Chen et al. 2023)."""

    factor: float

    def __call__(self, frequencies: Float[Tensor, " pair"]) -> Float[Tensor, " pair"]:
        """The frequencies divided by the factor."""
        return frequencies / self.factor


@dataclass(frozen=True, kw_only=True)
class SlowedByWavelength:
    """Slow turns are slowed further, quick ones left alone, those between interpolated.

    Dubey et al. 2024, section 3.4.2; the thresholds are those of the code that came with it.

    Attributes:
        factor: What the slow frequencies are divided by.
        low: A wave longer than n_trained / low is slow.
        high: A wave shorter than n_trained / high is quick.
        n_trained: Positions the model saw before it was stretched.
    """

    factor: float
    low: float
    high: float
    n_trained: int

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high:
            raise ConfigError(
                f"low_freq_factor ({self.low}) must lie between 0 and high_freq_factor ({self.high})."
            )

    def __call__(self, frequencies: Float[Tensor, " pair"]) -> Float[Tensor, " pair"]:
        """The frequencies as they are after stretching."""
        waves = 2 * math.pi / frequencies
        quickness = (self.n_trained / waves - self.low) / (self.high - self.low)
        between = (1 - quickness) * frequencies / self.factor + quickness * frequencies
        slowed = torch.where(waves > self.n_trained / self.low, frequencies / self.factor, between)
        return torch.where(waves < self.n_trained / self.high, frequencies, slowed)


@dataclass(frozen=True, kw_only=True)
class Rotary:
    """Queries and keys turn with their position (Su et al. 2021), so that scores depend on distance.

    Attributes:
        base: Pair m of n_channels/2 turns by base^(−2m/n_channels) a position.
        n_channels: How many channels turn, the first of each head; the others stay. An odd count makes its
            last pair with one channel more.
        scaling: How a model stretched to longer texts changed the frequencies.
    """

    base: float
    n_channels: int
    scaling: Slowed | SlowedByWavelength | None = None

    def __post_init__(self) -> None:
        if self.base <= 0 or self.n_channels < 1:
            raise ConfigError(
                f"A rotary base ({self.base}) and channels ({self.n_channels}) must be above 0."
            )

    @property
    def n_turning(self) -> int:
        """Channels that turn, in whole pairs."""
        return 2 * math.ceil(self.n_channels / 2)

    def frequencies(self, dtype: torch.dtype) -> Float[Tensor, " pair"]:
        """Radians a position, for each pair.

        >>> Rotary(base=10000.0, n_channels=4).frequencies(torch.float32)
        tensor([1.0000, 0.0100])
        """
        plain = 1.0 / self.base ** (torch.arange(0, self.n_channels, 2, dtype=dtype) / self.n_channels)
        return plain if self.scaling is None else self.scaling(plain)


@dataclass(frozen=True, kw_only=True)
class Buckets:
    """Relative distances sorted into buckets, one learned bias a bucket and head (Raffel et al. 2020).

    Attributes:
        n_buckets: Buckets in all.
        max_distance: From here on every distance shares the last bucket.
        both_ways: Half of the buckets for keys after the query; otherwise those count as distance 0.
    """

    n_buckets: int
    max_distance: int
    both_ways: bool

    def __post_init__(self) -> None:
        if self.n_buckets < (4 if self.both_ways else 2) or self.max_distance <= self.n_exact:
            raise ConfigError(
                f"{self.n_buckets} buckets of relative positions cannot reach distance {self.max_distance}."
            )

    @property
    def n_exact(self) -> int:
        """Distances that have a bucket of their own; longer ones share by logarithm."""
        return self.n_buckets // (4 if self.both_ways else 2)

    def __call__(
        self, table: Float[Tensor, "head bucket"], queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]
    ) -> Float[Tensor, "head query key"]:
        """What each head adds to the score of each pair."""
        return table[:, self.of(keys[None, :] - queries[:, None])]

    def of(self, ahead: Int[Tensor, "query key"]) -> Int[Tensor, "query key"]:
        """The bucket of each key's place relative to the query; negative is before it.

        >>> Buckets(n_buckets=32, max_distance=128, both_ways=True).of(torch.tensor([[-130, -8, 0, 1, 12]]))
        tensor([[15,  8,  0, 17, 25]])
        """
        side = self.n_buckets // 2 if self.both_ways else self.n_buckets
        distance = ahead.abs() if self.both_ways else (-ahead).clamp(min=0)
        # In float32 whatever the model computes in: at the edge of a bucket the last bit decides, and models
        # were trained with this one.
        ratio = torch.log(distance.to(torch.float32) / self.n_exact)
        shared = ratio / math.log(self.max_distance / self.n_exact) * (side - self.n_exact)
        far = (self.n_exact + shared.clamp(min=0).long()).clamp(max=side - 1)
        bucket = torch.where(distance < self.n_exact, distance, far)
        return bucket + side * (ahead > 0) if self.both_ways else bucket


@dataclass(frozen=True)
class Fall:
    """Minus slope × distance: the farther the key, the lower its score (ALiBi, Press et al. 2022).

    The paper is causal; keys after the query are taken here at the same distance as those before.

    >>> Fall()(torch.tensor([[0.5]]), torch.tensor([2]), torch.tensor([0, 1, 2, 3]))
    tensor([[[-1.0000, -0.5000, -0.0000, -0.5000]]])
    """

    def __call__(
        self, slopes: Float[Tensor, "head 1"], queries: Int[Tensor, " query"], keys: Int[Tensor, " key"]
    ) -> Float[Tensor, "head query key"]:
        """What each head adds to the score of each pair."""
        return -slopes[:, :, None] * (keys[None, :] - queries[:, None]).abs()


def slopes(n_heads: int, dtype: torch.dtype) -> Float[Tensor, " head"]:
    """The slopes of ``Fall``: 2^(−8h/H) for H heads, h from 1, where H is a power of two.

    For other counts those of the power below, then every other one of the power above, as in the authors'
    code; so the slopes of 6 heads are not sorted.

    >>> slopes(6, torch.float32)
    tensor([0.2500, 0.0625, 0.0156, 0.0039, 0.5000, 0.1250])
    """
    below = 2 ** math.floor(math.log2(n_heads))
    first, more = (_powers(count, dtype) for count in (below, 2 * below))
    return torch.cat([first, more[::2][: n_heads - below]])


def _powers(count: int, dtype: torch.dtype) -> Float[Tensor, " head"]:
    return 2.0 ** (-8 / count * torch.arange(1, count + 1, dtype=dtype))
