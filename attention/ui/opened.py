"""From which files each model was opened: where they are others now, it goes, and all that it made."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from attention.ui.models import names
from attention.ui.stores import forget

T = TypeVar("T")


class Opened:
    """The state of the files that each model was read from, taken before the reading.

    Files that are replaced meanwhile then differ from it, and are noticed by whoever asks next.
    """

    def __init__(self) -> None:
        self._files: dict[str, names.Fingerprint] = {}
        self._lock = threading.Lock()

    def renew(self, name: str) -> names.Fingerprint:
        """Let go of a model whose files are no longer those, and of all it made; their state now."""
        with self._lock:
            now = names.fingerprint(name)
            if self._files.get(name, now) != now:
                del self._files[name]
                forget(name)
            return now

    def read(self, name: str, read: Callable[[], T]) -> T:
        """Read a model's files."""
        self._files[name] = self.renew(name)
        return read()
