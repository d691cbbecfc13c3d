"""Who computes when, and on how many cores: the one place that says so."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, TypeAlias

import torch

COSTLY_TOKENS = 200
"""Work on more tokens than this takes turns: long texts neither slow each other nor stall the others."""

SMALL_TOKENS = 64
"""Up to so many tokens one core is enough: two would wait for each other longer than they compute."""

CORES = min(4, os.cpu_count() or 1)
POLL_SECONDS = 0.2

Ahead: TypeAlias = int | Literal["the same"]
"""What has to end first: so much long work, or the making of the very thing; 0 when it is over."""

Tell: TypeAlias = Callable[[Ahead], object]
"""Told several times a second what has to end first. May end the waiting."""

_tell: ContextVar[Tell] = ContextVar("tell", default=lambda before: None)


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


@contextmanager
def while_waiting(tell: Tell) -> Iterator[None]:
    """Say who is told when this thread has to wait for its turn, or for what is being made already."""
    before = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(before)


@contextmanager
def alone(lock: threading.Lock) -> Iterator[None]:
    """Hold a lock that another may hold for as long as something takes to be made; who waits is told."""
    waited = _until(lambda: lock.acquire(timeout=POLL_SECONDS), lambda: "the same")
    try:
        if waited:
            _tell.get()(0)
        yield
    finally:
        lock.release()


def _until(comes: Callable[[], bool], ahead: Callable[[], Ahead]) -> bool:
    """Wait for something that comes within the time of a poll or not; whether somebody was told."""
    tell, waited = _tell.get(), False
    while not comes():
        waited = True
        tell(ahead())
    return waited


class Turns:
    """What long work waits for: one queue, first come, first served.

    In it stand the reading of a long text, its sheets of heads, what the Heads page works out of all heads,
    and one head's weights in blocks. All else is computed by the page that asks as soon as it asks: among it
    what the rows of one head come to, the journey through the layers, and the clock of the Cost page.

    Whoever's turn it is may take another within it. What long work needs that others may be making, a model
    or a run, it asks for before its turn: who makes it may stand in the queue.
    """

    def __init__(self) -> None:
        self._line: deque[int] = deque()  # threads; it is the first one's turn
        self._moved = threading.Condition()

    @contextmanager
    def turn(self, n_tokens: int) -> Iterator[None]:
        """What is held while that many tokens are worked on."""
        if n_tokens <= SMALL_TOKENS or self.mine:
            yield
        elif n_tokens <= COSTLY_TOKENS:
            with all_cores():
                yield
        else:
            with self._in_line(), all_cores():
                yield

    @property
    def mine(self) -> bool:
        """Whether it is this thread's turn."""
        with self._moved:
            return self._first()

    @contextmanager
    def _in_line(self) -> Iterator[None]:
        me = threading.get_ident()
        with self._moved:
            self._line.append(me)
        try:
            if _until(self._comes, self._before):
                _tell.get()(0)
            yield
        finally:
            with self._moved:
                self._line.remove(me)
                self._moved.notify_all()

    def _before(self) -> int:
        with self._moved:
            return self._line.index(threading.get_ident())

    def _comes(self) -> bool:
        """Whether it is this thread's turn, or gets to be it soon."""
        with self._moved:
            return self._moved.wait_for(self._first, POLL_SECONDS)

    def _first(self) -> bool:
        return bool(self._line) and self._line[0] == threading.get_ident()


TURNS = Turns()
"""The machine's queue."""
