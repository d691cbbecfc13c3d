"""The numbers of one GGUF tensor, whatever it is quantised in, as `gguf.quants` unpacks them."""

import mmap

import numpy as np
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import dequantize
from numpy.typing import NDArray

from attention.checkpoints.gguf_header import Entry, Header
from attention.errors import CheckpointError

_NUMBERS_AT_ONCE = 1 << 18


def values(header: Header, entry: Entry) -> NDArray[np.float32]:
    """A tensor in float32.

    Unpacked in strips, so that what is needed beside the result stays small; blocks lie one after another,
    whichever row they belong to.

    Raises:
        CheckpointError: `gguf` cannot unpack this type.
    """
    stored = np.frombuffer(header.data, np.uint8, entry.n_bytes, entry.start)
    n_bytes = _strip(entry)
    found: NDArray[np.float32] = np.empty(entry.n_numbers, np.float32)
    done = 0
    for start in range(0, entry.n_bytes, n_bytes):
        strip = _unpacked(header, entry, stored[start : start + n_bytes])
        found[done : done + strip.size] = strip
        done += strip.size
    _let_go(header)
    return found.reshape(entry.shape)


def _strip(entry: Entry) -> int:
    """How many bytes to unpack at once: whole blocks."""
    n_in_block, n_bytes_of_block = GGML_QUANT_SIZES[entry.type]
    return _NUMBERS_AT_ONCE // n_in_block * n_bytes_of_block


def _unpacked(header: Header, entry: Entry, stored: NDArray[np.uint8]) -> NDArray[np.float32]:
    """One long row: `gguf` loops over rows in Python and over blocks in NumPy."""
    try:
        with np.errstate(all="ignore"):  # a damaged scale may be infinite
            return dequantize(stored.reshape(1, -1), entry.type).reshape(-1)
    except NotImplementedError:
        raise CheckpointError(
            f"{header.path}: tensor {entry.name} is stored as {entry.type.name}, which cannot be read here."
        ) from None


def _let_go(header: Header) -> None:
    """What was read of the file need not stay in memory."""
    if isinstance(header.data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        header.data.madvise(mmap.MADV_DONTNEED)
