"""A GGUF file's metadata, each fact asked for by name and kind, and refused where it is another."""

import math
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from attention.checkpoints.gguf_header import Header
from attention.errors import CheckpointError

_LARGEST_SIZE = 1 << 31


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What a file says under the name of its architecture: `Facts(header, "llama").size("block_count")`.

    Raises:
        CheckpointError: From every method, where a fact is missing or of another kind; the message names it.
    """

    header: Header
    architecture: str

    def has(self, key: str) -> bool:
        """Whether the file says anything under this key."""
        return self._full(key) in self.header.metadata

    def size(self, key: str, default: int | None = None) -> int:
        """A positive whole number; where it is given a layer, one that all layers share."""
        found = self._found(key, default)
        if isinstance(found, np.ndarray) and found.size and (found == found[0]).all():
            found = found[0].item()
        if type(found) is not int or not 0 < found < _LARGEST_SIZE:
            self.refuse(key, found, "a size is a positive whole number")
        return found

    def number(self, key: str, default: float | None = None) -> float:
        """A positive, finite number."""
        found = self._found(key, default)
        if type(found) not in (int, float) or not 0 < found < math.inf:
            self.refuse(key, found, "it must be a positive number")
        return float(found)

    def text(self, key: str, default: str) -> str:
        """A word."""
        found = self._found(key, default)
        return found if isinstance(found, str) else self.refuse(key, found, "it must be text")

    def flag(self, key: str, default: bool) -> bool:
        """Yes or no."""
        found = self._found(key, default)
        return found if isinstance(found, bool) else self.refuse(key, found, "it must be true or false")

    def texts(self, key: str) -> list[str]:
        """A list of strings."""
        found = self._found(key, None)
        return found if isinstance(found, list) else self.refuse(key, found, "it must be a list of texts")

    def numbers(self, key: str, n_numbers: int) -> list[Any]:
        """A list of numbers, of the length it must have."""
        found = self._found(key, None)
        if not isinstance(found, np.ndarray):
            self.refuse(key, found, "it must be a list of numbers")
        if found.size != n_numbers:
            self.refuse(key, f"{found.size:,} numbers", f"{n_numbers:,} were expected")
        return list(found.tolist())

    def index(self, key: str, n_items: int) -> int | None:
        """A place in a list of so many, or None where the file says nothing."""
        if not self.has(key):
            return None
        found = self._found(key, None)
        if type(found) is not int or not 0 <= found < n_items:
            self.refuse(key, found, f"there are {n_items:,}")
        return found

    def refuse(self, key: str, found: Any, why: str) -> NoReturn:
        """Say what the file has under a key, and what it should be."""
        raise CheckpointError(
            f"{self.header.path} cannot be opened: its {self._full(key)} is {_brief(found)}; {why}."
        )

    def _full(self, key: str) -> str:
        return f"{self.architecture}.{key}"

    def _found(self, key: str, default: Any) -> Any:
        found = self.header.metadata.get(self._full(key), default)
        if found is None:
            raise CheckpointError(f"{self.header.path} cannot be opened: it does not give {self._full(key)}.")
        return found


def _brief(found: Any) -> str:
    if isinstance(found, list | np.ndarray):
        return f"a list of {len(found):,}"
    text = str(found)
    return text if len(text) <= 40 else f"{text[:40]}…"
