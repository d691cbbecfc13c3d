"""How long attention takes on this machine, as the sequence grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import get_clock_info, perf_counter, thread_time
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
ROUNDS = range(5, 40)
"""Repeats of each length, as many as a second has room for within these bounds."""

SECONDS = 1.0

CLOCK = thread_time if get_clock_info("thread_time").resolution < 1e-5 else perf_counter
"""Time that this thread has computed; on systems that count it too coarsely, time that has passed."""


@dataclass(frozen=True)
class Timing:
    """One head over one length, one way.

    Attributes:
        way: How it was computed.
        n_tokens: N.
        seconds: The fastest of some repeats: what else a machine does can only add to it.
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
    sizes: Sequence[int], on_length: Callable[[int, int], None] | None = None, rounds: range = ROUNDS
) -> tuple[Timing, ...]:
    """Time one head of random queries, keys and values at each length, each way.

    It works on one core and counts that core's time, so that waiting for a busy machine is not measured as
    arithmetic. The numbers do not matter to the time, so they are drawn once, by a seed. The ways take turns,
    so that what else the machine does meets all of them alike. Two measurements must not overlap.

    Args:
        sizes: Lengths, in tokens.
        on_length: Called with (lengths done, lengths in all); an exception from it ends the measuring.
        rounds: The fewest repeats, and one more than the most.
    """
    timings: list[Timing] = []
    with _one_core():
        for done, n_tokens in enumerate(sizes):
            if on_length is not None:
                on_length(done, len(sizes))
            timings += _at(n_tokens, rounds)
    return tuple(timings)


@contextmanager
def _one_core() -> Iterator[None]:
    """Torch computes on one core meanwhile, whoever asks; for the seconds that a measurement takes."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _at(n_tokens: int, rounds: range) -> list[Timing]:
    generator = torch.Generator().manual_seed(n_tokens)
    queries, keys, values = torch.randn(3, 1, n_tokens, D_HEAD, generator=generator)
    fastest: dict[Way, float] = dict.fromkeys(WAYS, math.inf)
    began = perf_counter()
    for done in range(rounds.stop):
        for way in WAYS:
            start = CLOCK()
            attend(way, queries, keys, values)
            fastest[way] = min(fastest[way], CLOCK() - start)
        if done >= rounds.start and perf_counter() - began > SECONDS:
            break
    return [Timing(way, n_tokens, seconds, *_size(way, n_tokens)) for way, seconds in fastest.items()]


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
