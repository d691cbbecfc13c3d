"""Stores that all sessions share: bounded, and each thing is made once however many ask for it at a time."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakSet, WeakValueDictionary

import cachetools

from attention.ui.turns import alone

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Store(Generic[K, V]):
    """Keeps what fits; the least recently used goes first. What is in use elsewhere lives on there."""

    def __init__(
        self,
        limit: int,
        size: Callable[[V], int],
        dropped: Callable[[K], object] = lambda _: None,
        model: Callable[[K], str] | None = None,
    ) -> None:
        """An empty store.

        Args:
            limit: The sizes of all that is kept add up to this at most; what is larger by itself is not kept.
            size: What a thing takes.
            dropped: Told the key of whatever is no longer kept.
            model: Name of the model that made what stands under a key; where that is known, `forget` reaches
                it.
        """
        self._kept: _Telling[K, V] = _Telling(limit, size, dropped)
        self._lock = threading.RLock()  # `dropped` may come back to us
        self._making: WeakValueDictionary[K, threading.Lock] = WeakValueDictionary()
        self._model = model
        if model is not None:
            with _BY_MODEL_LOCK:
                _BY_MODEL.add(self)

    def find(self, key: K) -> V | None:
        """What is kept under a key, now the most recently used; None when nothing is."""
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: K, value: V) -> None:
        """Keep a thing, if it fits."""
        with self._lock:
            if self._kept.getsizeof(value) <= self._kept.maxsize:
                self._kept[key] = value

    def once(self, key: K, make: Callable[[], V]) -> V:
        """What is kept under a key; made when nothing is, by one thread while the others wait for it.

        What its model was told to forget meanwhile is handed out and not kept.
        """
        before = self._times_forgotten(key)
        with alone(self._lock_of(key)):
            found = self.find(key)
            if found is None:
                found = make()
                with self._lock:  # in here: or it were kept after `drop_of` has looked
                    if self._times_forgotten(key) == before:
                        self.keep(key, found)
            return found

    def drop(self, key: K) -> None:
        """Keep a thing no longer."""
        with self._lock:
            self._kept.pop(key, None)

    def drop_of(self, name: str) -> None:
        """Keep nothing any longer that a model made."""
        for key in self.held():
            if self._model is not None and self._model(key) == name:
                self.drop(key)

    def held(self) -> tuple[K, ...]:
        """The keys of all that is kept."""
        with self._lock:
            return tuple(self._kept)

    def _times_forgotten(self, key: K) -> int:
        return 0 if self._model is None else _TIMES_FORGOTTEN[self._model(key)]

    def _lock_of(self, key: K) -> threading.Lock:
        """The key's lock, there while somebody holds it or waits for it."""
        with self._lock:
            return self._making.setdefault(key, threading.Lock())


_BY_MODEL: WeakSet[Store[Any, Any]] = WeakSet()
_BY_MODEL_LOCK = threading.Lock()
_TIMES_FORGOTTEN = Counter[str]()
"""By the model's name; what is being made while it grows may come from the model that goes."""


def forget(model: str) -> None:
    """Let go of everything that a model made, in every store that knows whose its things are."""
    stores = _told_to_forget(model)
    for store in stores:
        store.drop_of(model)
    _told_to_forget(model)  # what was begun meanwhile may come from what was not yet dropped


def _told_to_forget(model: str) -> tuple[Store[Any, Any], ...]:
    with _BY_MODEL_LOCK:
        _TIMES_FORGOTTEN[model] += 1
        return tuple(_BY_MODEL)


class _Telling(cachetools.LRUCache[K, V]):
    """Tells what it drops."""

    def __init__(self, limit: int, size: Callable[[V], int], dropped: Callable[[K], object]) -> None:
        super().__init__(limit, getsizeof=size)
        self._dropped = dropped

    def __delitem__(self, key: K) -> None:
        super().__delitem__(key)
        self._dropped(key)
