"""What a safetensors file says of itself, compared with what it is before the library is let at it.

A header is somebody else's JSON: it may promise more bytes than there are, or the same ones twice.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn, TypeGuard

from attention.checkpoints.damage import what_it_is
from attention.checkpoints.sizes import readable
from attention.errors import CheckpointError

_LENGTH_BYTES = 8
_LARGEST_HEADER = 100_000_000  # the library's own limit

_BITS = {
    8: ("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E5M2FNUZ", "F8_E4M3FNUZ", "F8_E8M0"),
    16: ("I16", "U16", "F16", "BF16"),
    32: ("I32", "U32", "F32"),
    64: ("I64", "U64", "F64", "C64"),
}
_BITS_OF = {dtype: bits for bits, dtypes in _BITS.items() for dtype in dtypes}


@dataclass(frozen=True, slots=True)
class Entry:
    """Where one tensor lies: bytes `start` to `end` after the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int

    @property
    def n_bytes_in_memory(self) -> int:
        """What it takes in float32, or as it is stored where that is more or it holds no such numbers."""
        stored = self.end - self.start
        floats = self.dtype.startswith(("F", "BF"))
        return max(stored, 4 * math.prod(self.shape)) if floats else stored


def read_entries(path: Path) -> tuple[Entry, ...]:
    """The tensors of a file; none of them is read.

    Raises:
        CheckpointError: It is no such file, is cut short, or contradicts itself.
    """
    try:
        n_bytes = path.stat().st_size
        header, end = _header(path, n_bytes)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from error
    entries = tuple(_entry(path, name, said) for name, said in header.items() if name != "__metadata__")
    _check_length(path, n_bytes, end + max((entry.end for entry in entries), default=0))
    _check_overlap(path, entries)
    return entries


def _header(path: Path, n_bytes: int) -> tuple[Mapping[str, Any], int]:
    """What the header says, and where the tensors' bytes begin."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if file.read(1) != b"{":
            raise CheckpointError(f"{path} is {what_it_is(path) or 'no safetensors file'}.")
        _check_header_length(path, length, n_bytes)
        file.seek(_LENGTH_BYTES)
        return _parsed(path, file.read(length)), _LENGTH_BYTES + length


def _check_header_length(path: Path, length: int, n_bytes: int) -> None:
    if _LENGTH_BYTES + length > n_bytes:
        _check_length(path, n_bytes, _LENGTH_BYTES + length)
    if length > _LARGEST_HEADER:
        raise CheckpointError(
            f"{path} has a header of {readable(length)}; at most {readable(_LARGEST_HEADER)} can be read."
        )


def _check_length(path: Path, n_bytes: int, needed: int) -> None:
    if n_bytes != needed:
        what = "is cut short" if n_bytes < needed else "is too long"
        raise CheckpointError(f"{path} {what}: it has {n_bytes:,} bytes, its header speaks of {needed:,}.")


def _parsed(path: Path, header: bytes) -> Mapping[str, Any]:
    try:
        return json.loads(header, object_pairs_hook=_once)  # type: ignore[no-any-return]
    except (ValueError, RecursionError) as error:
        raise CheckpointError(
            f"{path} is damaged: its header of {len(header):,} bytes cannot be read."
        ) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are text and all different; of two, JSON would quietly keep the last."""
    found = dict(pairs)
    "".join(found).encode()  # half a character is no text
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _entry(path: Path, name: str, said: Any) -> Entry:
    fields = said if isinstance(said, dict) else {}
    dtype, shape, offsets = fields.get("dtype"), fields.get("shape"), fields.get("data_offsets")
    if not _are_counts(shape) or not _are_counts(offsets) or len(offsets) != 2:
        _refuse(path, name, f"its shape is {_brief(shape)} and its data_offsets {_brief(offsets)}")
    if not isinstance(dtype, str) or dtype not in _BITS_OF:
        _refuse(path, name, f"it is stored as {_brief(dtype)}; known here: {', '.join(sorted(_BITS_OF))}")
    start, end = offsets
    needed = math.prod(shape) * _BITS_OF[dtype] // 8
    if end - start != needed:
        _refuse(path, name, f"{shape} of {dtype} takes {needed:,} bytes, and it has {end - start:,}")
    return Entry(name, dtype, tuple(shape), start, end)


def _are_counts(found: Any) -> TypeGuard[list[int]]:
    return isinstance(found, list) and all(type(item) is int and item >= 0 for item in found)


def _brief(found: Any) -> str:
    return str(found)[:40]


def _refuse(path: Path, name: str, why: str) -> NoReturn:
    raise CheckpointError(f"{path} is damaged: tensor {name[:200]}: {why}.")


def _check_overlap(path: Path, entries: tuple[Entry, ...]) -> None:
    in_order = sorted(entries, key=lambda entry: (entry.start, entry.end))
    for before, after in pairwise(in_order):
        if before.end != after.start:
            how = "overlap" if before.end > after.start else "leave a gap between them"
            raise CheckpointError(
                f"{path} is damaged: tensors {before.name} and {after.name} {how} (the first ends at byte "
                f"{before.end:,}, the second begins at {after.start:,})."
            )
