"""GGUF files made here: by `gguf`'s own writer, and byte by byte where no writer would agree to it."""

import struct
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGUFWriter

U32, I32, F32, BOOL, STRING, ARRAY, U64 = 4, 5, 6, 7, 8, 9, 10

LETTERS = [chr(number) for number in range(0x21, 0x7F)]
"""A small vocabulary of byte letters."""


def text(said: str | bytes) -> bytes:
    data = said.encode() if isinstance(said, str) else said
    return struct.pack("<Q", len(data)) + data


def entry(key: str | bytes, kind: int, value: bytes) -> bytes:
    """One line of the metadata."""
    return text(key) + struct.pack("<I", kind) + value


def number(key: str, value: int, kind: int = U32) -> bytes:
    return entry(key, kind, struct.pack("<I" if kind == U32 else "<Q", value))


def array(key: str, kind: int, n_items: int, items: bytes) -> bytes:
    return entry(key, ARRAY, struct.pack("<IQ", kind, n_items) + items)


def tensor(name: str, dims, offset: int = 0, kind: int = Type.F32) -> bytes:
    """One line of the list of tensors; `dims` in the file's order, fastest first."""
    return text(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, offset)


def raw(
    metadata=(), tensors=(), data=b"", *, version=3, n_entries=None, n_tensors=None, alignment=32
) -> bytes:
    """A whole file; the counts may lie."""
    n_tensors = len(tensors) if n_tensors is None else n_tensors
    n_entries = len(metadata) if n_entries is None else n_entries
    head = struct.pack("<4sIQQ", b"GGUF", version, n_tensors, n_entries) + b"".join([*metadata, *tensors])
    return head + b"\0" * (-len(head) % alignment) + data


def writer(path: Path, architecture: str) -> GGUFWriter:
    return GGUFWriter(path, architecture)


def finish(made: GGUFWriter) -> None:
    made.write_header_to_file()
    made.write_kv_data_to_file()
    made.write_tensors_to_file()
    made.close()


def add_vocabulary(made: GGUFWriter, n_tokens: int) -> None:
    """Byte letters with one merge, filled up with tokens nobody writes; the last is a control token."""
    tokens = [*LETTERS, "th", *(f"unused{number}" for number in range(n_tokens))][:n_tokens]
    tokens[-1] = "<|end|>"
    made.add_tokenizer_model("gpt2")
    made.add_tokenizer_pre("gpt-2")
    made.add_token_list(tokens)
    made.add_token_types([gguf.TokenType.NORMAL] * (n_tokens - 1) + [gguf.TokenType.CONTROL])
    made.add_token_merges(["t h"])
    made.add_bos_token_id(2)
    made.add_eos_token_id(n_tokens - 1)
    made.add_pad_token_id(3)


def add_tensor(made: GGUFWriter, name: str, values: np.ndarray, kind: Type = Type.F32) -> None:
    """As llama.cpp's converter does: matrices are quantised, all else stays float32."""
    kind = kind if values.ndim == 2 else Type.F32
    stored = gguf.quants.quantize(np.ascontiguousarray(values, dtype=np.float32), kind)
    made.add_tensor(name, stored, raw_dtype=kind)
