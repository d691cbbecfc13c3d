"""Who computes when, and on how many cores: the one place that says so."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

COSTLY_TOKENS = 200
"""Work of one kind on more tokens than this takes turns, so that one reader's long texts do not stall the
others."""

SMALL_TOKENS = 64
"""Up to so many tokens one core is enough: two would wait for each other longer than they compute."""

CORES = min(4, os.cpu_count() or 1)


def on_one_core() -> None:
    """Compute on one core unless a piece of work asks for all: many readers share the cores anyhow."""
    torch.set_num_threads(1)


@contextmanager
def all_cores() -> Iterator[None]:
    """Compute on every core meanwhile."""
    torch.set_num_threads(CORES)
    try:
        yield
    finally:
        on_one_core()


class Turns:
    """What long work waits for."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    @contextmanager
    def turn(self, n_tokens: int) -> Iterator[None]:
        """What is held while that many tokens are worked on."""
        if n_tokens <= SMALL_TOKENS:
            yield
        elif n_tokens <= COSTLY_TOKENS:
            with all_cores():
                yield
        else:
            with self._lock, all_cores():
                yield
