"""How long attention takes on this machine, as the sequence grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from attention.analysis.cost import FLOAT32, n_scores
from attention.engine import kernel, steps
from attention.engine.masks import Full, Window
from attention.engine.windowed import band, windowed

Way: TypeAlias = Literal["steps", "fused", "window"]
WAYS: dict[Way, str] = {"steps": "visible steps", "fused": "fused kernel", "window": "sliding window"}

D_HEAD = 64
WINDOW = Window(127, 0)
REPEATS = 7


@dataclass(frozen=True)
class Timing:
    """One head over one length, one way.

    Attributes:
        way: How it was computed.
        n_tokens: N.
        seconds: The median of some repeats.
        n_scores: Scores that were computed.
        largest: Bytes of the largest matrix of scores that was held; 0 where the kernel holds it inside.
    """

    way: Way
    n_tokens: int
    seconds: float
    n_scores: int
    largest: int


def lengths(most: int, count: int = 5) -> tuple[int, ...]:
    """Lengths that double up to the longest.

    >>> lengths(2000)
    (125, 250, 500, 1000, 2000)
    """
    return tuple(most // 2**power for power in reversed(range(count)))


def measure(
    sizes: Sequence[int], on_length: Callable[[int, int], None] | None = None, repeats: int = REPEATS
) -> tuple[Timing, ...]:
    """Time one head of random queries, keys and values at each length, each way.

    The numbers do not matter to the time, so they are drawn once, by a seed. Repeats of the ways alternate:
    what else the machine does meets all of them alike.

    Args:
        sizes: Lengths, in tokens.
        on_length: Called with (lengths done, lengths in all); an exception from it ends the measuring.
        repeats: How often each is timed, after once to warm up.
    """
    timings: list[Timing] = []
    for done, n_tokens in enumerate(sizes):
        if on_length is not None:
            on_length(done, len(sizes))
        timings += _at(n_tokens, repeats)
    return tuple(timings)


def _at(n_tokens: int, repeats: int) -> list[Timing]:
    generator = torch.Generator().manual_seed(n_tokens)
    queries, keys, values = torch.randn(3, 1, n_tokens, D_HEAD, generator=generator)
    seconds: dict[Way, list[float]] = {way: [] for way in WAYS}
    for _ in range(repeats + 1):
        for way, taken in seconds.items():
            start = perf_counter()
            attend(way, queries, keys, values)
            taken.append(perf_counter() - start)
    return [Timing(way, n_tokens, median(taken[1:]), *_size(way, n_tokens)) for way, taken in seconds.items()]


def attend(way: Way, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """One head's weighted sums of values, one of the ways; the first two give the same numbers."""
    scale = D_HEAD**-0.5
    match way:
        case "steps":
            return steps.mix(steps.softmax(steps.scale(steps.score(queries, keys), scale)), values)
        case "fused":
            return kernel.fused(queries, keys, values, Full(), scale)
        case "window":
            return windowed(queries, keys, values, WINDOW, scale)


def _size(way: Way, n_tokens: int) -> tuple[int, int]:
    """Scores computed, and bytes of the largest matrix of them."""
    if way == "window":
        parts = [len(rows) * len(columns) for rows, columns in band(n_tokens, WINDOW)]
        return sum(parts), FLOAT32 * max(parts)
    return n_scores(n_tokens), FLOAT32 * n_scores(n_tokens) if way == "steps" else 0
