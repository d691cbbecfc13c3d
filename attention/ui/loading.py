"""What takes long is made in a thread of its own, which goes on whoever stops watching.

Streamlit ends a script's run at the reader's next click. A download inside that run would end with it, and
begin anew with the next one; here the next run finds it under way and watches on.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar
from weakref import WeakSet

from attention.checkpoints.fetch import Progress

POLL_SECONDS = 0.2
PARTING_SECONDS = 2.0
T = TypeVar("T")

_leaving = threading.Event()
_threads: WeakSet[threading.Thread] = WeakSet()


class _LeavingError(Exception):
    """The server ends: so must what is being made."""


class CancelledError(Exception):
    """Somebody who may do so called it off."""


class Loading(Generic[T]):
    """Something on its way; any number of sessions watch the same progress."""

    def __init__(self, what: str) -> None:
        self.what, self.done, self.total = what, 0, 0
        self._made: Future[T] = Future()
        self._called_off = threading.Event()

    def watch(self, progress: Progress | None = None) -> T:
        """Wait for it.

        Args:
            progress: Told several times a second, in the watcher's thread, how far it is. What it raises ends
                the watching, and nothing else.

        Raises:
            Exception: What ended the making; told to everyone who is watching.
        """
        while not wait([self._made], POLL_SECONDS).done:
            if progress is not None:
                progress(self.what, self.done, self.total)
        return self._made.result()

    def make(self, make: Callable[[Progress], T]) -> None:
        """Make it, in this thread."""
        try:
            self._made.set_result(make(self._report))
        except BaseException as error:  # whatever it is: nobody may wait for ever
            self._made.set_exception(error)

    @property
    def called_off(self) -> bool:
        """Whether it ends at its next report."""
        return self._called_off.is_set()

    def call_off(self) -> None:
        """End it where it next reports; everyone who watches is told by a `CancelledError`."""
        self._called_off.set()

    def _report(self, what: str, done: int, total: int) -> None:
        if _leaving.is_set():
            raise _LeavingError
        if self._called_off.is_set():
            raise CancelledError
        self.what, self.done, self.total = what, done, total


class Loadings(Generic[T]):
    """What is on its way, at most once under each key. What has ended is forgotten, a failure too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[Hashable, Loading[T]] = {}

    def join(self, key: Hashable, what: str, make: Callable[[Progress], T]) -> Loading[T]:
        """What is on its way under a key; begun when nothing is, or only what has been called off.

        Args:
            key: One of these is made at a time.
            what: What is said of it before it says anything itself.
            make: Makes it, in a thread without a session. It may find that somebody was faster.
        """
        with self._lock:
            under_way = self._under_way.get(key)
            if under_way is None or under_way.called_off:
                self._under_way[key] = loading = Loading[T](what)
                thread = threading.Thread(target=self._see_through, args=(key, loading, make), daemon=True)
                _threads.add(thread)
                thread.start()
            return self._under_way[key]

    def _see_through(self, key: Hashable, loading: Loading[T], make: Callable[[Progress], T]) -> None:
        loading.make(make)
        with self._lock:
            if self._under_way[key] is loading:
                del self._under_way[key]


@atexit.register
def _part() -> None:
    """Let each download end its process, which would outlive the server."""
    _leaving.set()
    for thread in list(_threads):
        thread.join(PARTING_SECONDS)
