"""Reading numbers and strings out of a file's bytes, never past their end and never more than is there."""

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.errors import CheckpointError

Bytes = bytes | mmap.mmap

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of number lies in the file."""

    name: str
    form: struct.Struct
    dtype: str


KINDS = {
    code: Kind(name, struct.Struct(f"<{letter}"), dtype)
    for code, name, letter, dtype in (
        (0, "uint8", "B", "<u1"),
        (1, "int8", "b", "<i1"),
        (2, "uint16", "H", "<u2"),
        (3, "int16", "h", "<i2"),
        (4, "uint32", "I", "<u4"),
        (5, "int32", "i", "<i4"),
        (6, "float32", "f", "<f4"),
        (7, "bool", "?", "?"),
        (10, "uint64", "Q", "<u8"),
        (11, "int64", "q", "<i8"),
        (12, "float64", "d", "<f8"),
    )
}
STRING, ARRAY, FLOAT32 = 8, 9, 6


class Cursor:
    """A place in the bytes of a file; each reading moves it on.

    Raises:
        CheckpointError: From every method, where the file is shorter than it says. Nothing was allocated.
    """

    def __init__(self, data: Bytes, path: Path, at: int = 0) -> None:
        self.at = at
        self.path = path
        self._data = data
        self._end = len(data)

    def number(self, code: int) -> Any:
        """One number of a kind, by the kind's code."""
        form = KINDS[code].form
        return form.unpack_from(self._data, self._take(form.size, "a number"))[0]

    def count(self) -> int:
        """A length, an offset or how many of something follow."""
        return int(_LENGTH.unpack_from(self._data, self._take(8, "a count"))[0])

    def text(self, what: str) -> str:
        """A string: its length, then its bytes."""
        length = self.count()
        start = self._take(length, what)
        return self._decoded(start, start + length)

    def texts(self, n_texts: int, what: str) -> list[str]:
        """Many strings, one after another; a vocabulary has hundreds of thousands."""
        self.check_room(n_texts, _LENGTH.size, what)
        data, at, end, length_at = self._data, self.at, self._end, _LENGTH.unpack_from
        found = []
        for _ in range(n_texts):
            start = at + 8
            at = start + length_at(data, at)[0] if start <= end else end + 1
            if at > end:
                raise self._short(at, what)
            found.append(self._decoded(start, at))
        self.at = at
        return found

    def numbers(self, code: int, n_numbers: int, what: str) -> NDArray[Any]:
        """Many numbers of one kind."""
        kind = KINDS[code]
        self.check_room(n_numbers, kind.form.size, what)
        start = self._take(n_numbers * kind.form.size, what)
        return np.frombuffer(self._data, kind.dtype, n_numbers, start).copy()

    def check_room(self, n_items: int, n_bytes_each: int, what: str) -> None:
        """Refuse a count that the rest of the file cannot hold, before anything is made for it."""
        room = self._end - self.at
        if n_items * n_bytes_each > room:
            raise CheckpointError(
                f"{self.path} is damaged or cut short: {what} has {n_items:,} entries of at least "
                f"{n_bytes_each} bytes, and only {room:,} bytes are left."
            )

    def _take(self, n_bytes: int, what: str) -> int:
        """Where the next bytes start, having moved past them."""
        start = self.at
        if start + n_bytes > self._end:
            raise self._short(start + n_bytes, what)
        self.at = start + n_bytes
        return start

    def _short(self, needed: int, what: str) -> CheckpointError:
        return CheckpointError(
            f"{self.path} is damaged or cut short: {what} would end at byte {needed:,}, and the file has "
            f"{self._end:,}."
        )

    def _decoded(self, start: int, end: int) -> str:
        try:
            return str(self._data[start:end], "utf-8")
        except UnicodeDecodeError:
            raise CheckpointError(
                f"{self.path} is damaged: the text at byte {start:,} is not UTF-8."
            ) from None
