"""What a GGUF file says of itself: its metadata, and where each tensor lies. No tensor is read.

The format is described in ggml's docs/gguf.md. A header is somebody else's bytes: every count and every
length is compared with the file before anything is made for it.
"""

import math
import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from attention.checkpoints.damage import what_it_is
from attention.checkpoints.gguf_bytes import ARRAY, FLOAT32, KINDS, STRING, Bytes, Cursor
from attention.errors import CheckpointError

MAGIC = b"GGUF"

_VERSIONS = (2, 3)
_ALIGNMENT, _LARGEST_ALIGNMENT = "general.alignment", 1 << 16
_LARGEST_RANK = 4
_SMALLEST_ENTRY = 13  # an empty key, the code of a kind, one byte
_SMALLEST_TENSOR = 32  # an empty name, one dimension, a type and an offset


@dataclass(frozen=True, slots=True)
class Entry:
    """Where one tensor lies.

    Attributes:
        shape: Slowest axis first, as NumPy and torch have it; the file has it the other way round.
        start: Its first byte in the file.
    """

    name: str
    shape: tuple[int, ...]
    type: GGMLQuantizationType
    start: int
    n_bytes: int

    @property
    def n_numbers(self) -> int:
        """How many numbers it stands for."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Header:
    """A GGUF file, opened.

    Attributes:
        data: All its bytes, mapped and not read.
        metadata: Text, numbers, and lists of text or arrays of numbers.
        tensors: By name, in the order of the file.
    """

    path: Path
    data: Bytes
    metadata: Mapping[str, Any]
    tensors: Mapping[str, Entry]


def read_header(path: Path) -> Header:
    """Map a GGUF file into memory and read what it says of itself.

    Raises:
        CheckpointError: It is no GGUF file, is cut short, or contradicts itself.
    """
    data = _mapped(path)
    cursor = Cursor(data, path, at=len(MAGIC))
    _check_version(cursor)
    n_tensors, n_entries = cursor.count(), cursor.count()
    cursor.check_room(n_entries, _SMALLEST_ENTRY, "the metadata")
    metadata = _metadata(cursor, n_entries)
    cursor.check_room(n_tensors, _SMALLEST_TENSOR, "the list of tensors")
    drafts = [_draft(cursor) for _ in range(n_tensors)]
    alignment = _alignment(metadata, path)
    _check_aligned(drafts, alignment, path)
    base = -(-cursor.at // alignment) * alignment
    tensors = {draft.name: _placed(draft, base, len(data), path) for draft in drafts}
    if len(tensors) != n_tensors:
        raise CheckpointError(f"{path} is damaged: it has {n_tensors} tensors under {len(tensors)} names.")
    _check_overlap(tensors, path)
    return Header(path, data, MappingProxyType(metadata), MappingProxyType(tensors))


def _mapped(path: Path) -> Bytes:
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise CheckpointError(f"{path} is {what_it_is(path) or 'no GGUF file'}.")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from error


def _check_version(cursor: Cursor) -> None:
    version = cursor.number(4)
    if version.to_bytes(4, "little")[:2] == b"\0\0":
        raise CheckpointError(f"{cursor.path} was written for a big-endian machine, which is not read here.")
    if version not in _VERSIONS:
        raise CheckpointError(
            f"{cursor.path} is GGUF version {version}; known here: {', '.join(map(str, _VERSIONS))}."
        )


def _metadata(cursor: Cursor, n_entries: int) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    for _ in range(n_entries):
        key = cursor.text("a key of the metadata")
        if key in metadata:
            raise CheckpointError(f"{cursor.path} is damaged: its metadata has {key} twice.")
        metadata[key] = _value(cursor, key)
    return metadata


def _value(cursor: Cursor, key: str) -> Any:
    code = cursor.number(4)
    if code == STRING:
        return cursor.text(key)
    if code == ARRAY:
        return _array(cursor, key)
    number = cursor.number(_known(code, cursor, key))
    return _shortest(number) if code == FLOAT32 else number


def _array(cursor: Cursor, key: str) -> Any:
    code, n_items = cursor.number(4), cursor.count()
    if code == STRING:
        return cursor.texts(n_items, key)
    return cursor.numbers(_known(code, cursor, key), n_items, key)


def _known(code: int, cursor: Cursor, key: str) -> int:
    if code not in KINDS:
        what = "a list of lists" if code == ARRAY else f"of the kind {code}, which GGUF does not have"
        raise CheckpointError(f"{cursor.path} cannot be read: {key} is {what}.")
    return code


def _shortest(number: float) -> float:
    """The shortest decimal that float32 rounds to this number: 1e-05, not 9.999999747378752e-06."""
    if not math.isfinite(number):
        return number
    return next(short for digits in range(1, 10) if _same(short := float(f"{number:.{digits}g}"), number))


def _same(short: float, number: float) -> bool:
    form = KINDS[FLOAT32].form
    try:
        return bool(form.unpack(form.pack(short))[0] == number)
    except OverflowError:  # rounded up, past the largest float32
        return False


def _draft(cursor: Cursor) -> Entry:
    """One line of the list of tensors; its offset still counts from where the tensors begin."""
    name = cursor.text("the name of a tensor")
    rank = cursor.number(4)
    if not 1 <= rank <= _LARGEST_RANK:
        raise CheckpointError(
            f"{cursor.path} is damaged: tensor {name} has {rank} dimensions; GGUF has 1 to {_LARGEST_RANK}."
        )
    shape = tuple(reversed([cursor.count() for _ in range(rank)]))
    kind = _type(cursor.number(4), name, cursor.path)
    return Entry(name, shape, kind, cursor.count(), _n_bytes(name, shape, kind, cursor.path))


def _type(code: int, name: str, path: Path) -> GGMLQuantizationType:
    try:
        return GGMLQuantizationType(code)
    except ValueError:
        raise CheckpointError(
            f"{path}: tensor {name} has the type {code}, which is not known here."
        ) from None


def _n_bytes(name: str, shape: tuple[int, ...], kind: GGMLQuantizationType, path: Path) -> int:
    n_in_block, n_bytes_of_block = GGML_QUANT_SIZES[kind]
    if 0 in shape or shape[-1] % n_in_block:
        raise CheckpointError(
            f"{path} is damaged: tensor {name} has the shape {list(shape)}, and rows of {kind.name} hold a "
            f"multiple of {n_in_block} numbers."
        )
    return math.prod(shape) // n_in_block * n_bytes_of_block


def _alignment(metadata: Mapping[str, Any], path: Path) -> int:
    alignment = metadata.get(_ALIGNMENT, 32)
    whole = type(alignment) is int and 8 <= alignment <= _LARGEST_ALIGNMENT
    if not whole or alignment & (alignment - 1):
        raise CheckpointError(
            f"{path} is damaged: {_ALIGNMENT} is {str(alignment)[:20]}; it must be a power of two from 8 to "
            f"{_LARGEST_ALIGNMENT:,}."
        )
    return int(alignment)


def _check_aligned(drafts: list[Entry], alignment: int, path: Path) -> None:
    for draft in drafts:
        if draft.start % alignment:
            raise CheckpointError(
                f"{path} is damaged: tensor {draft.name} begins at {draft.start:,}, which is no multiple of "
                f"{alignment}."
            )


def _placed(draft: Entry, base: int, n_bytes_in_file: int, path: Path) -> Entry:
    start = base + draft.start
    if start + draft.n_bytes > n_bytes_in_file:
        raise CheckpointError(
            f"{path} is damaged or cut short: tensor {draft.name} would end at byte "
            f"{start + draft.n_bytes:,}, and the file has {n_bytes_in_file:,}."
        )
    return Entry(draft.name, draft.shape, draft.type, start, draft.n_bytes)


def _check_overlap(tensors: Mapping[str, Entry], path: Path) -> None:
    in_order = sorted(tensors.values(), key=lambda entry: entry.start)
    for before, after in pairwise(in_order):
        end = before.start + before.n_bytes
        if end > after.start:
            raise CheckpointError(
                f"{path} is damaged: tensors {before.name} and {after.name} overlap (the first ends at byte "
                f"{end:,}, the second begins at {after.start:,})."
            )
