"""Headers that lie; each is refused with a sentence, before anything is made for it."""

import struct
import tracemalloc

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from attention.checkpoints import open_checkpoint
from attention.checkpoints.gguf_header import read_header
from attention.errors import CheckpointError
from tests.checkpoints.gguf_files import (
    ARRAY,
    BOOL,
    F32,
    STRING,
    U32,
    U64,
    array,
    entry,
    number,
    raw,
    tensor,
    text,
)

GIB = 1 << 30
LLAMA = entry("general.architecture", STRING, text("llama"))
DATA = struct.pack("<8f", *range(8))
WHOLE = raw([LLAMA], [tensor("a", (4, 2))], DATA)
TWO = [tensor("a", (4,)), tensor("b", (4,), offset=32)]


def opened(tmp_path, content):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    return read_header(path)


def test_a_header(tmp_path):
    header = opened(
        tmp_path,
        raw(
            [
                LLAMA,
                number("answer", 42),
                number("large", 1 << 63, U64),
                entry("eps", F32, struct.pack("<f", 1e-5)),
                entry("yes", BOOL, b"\1"),
                array("words", STRING, 2, text("naïve") + text("")),
                array("numbers", U32, 3, struct.pack("<3I", 1, 2, 3)),
            ],
            [tensor("a", (4, 2)), tensor("b", (32,), offset=32, kind=Type.Q8_0)],
            bytes(32 + 34),
        ),
    )
    metadata = dict(header.metadata)
    np.testing.assert_array_equal(metadata.pop("numbers"), [1, 2, 3])
    assert metadata == {
        "general.architecture": "llama",
        "answer": 42,
        "large": 1 << 63,
        "eps": 1e-5,
        "yes": True,
        "words": ["naïve", ""],
    }
    a, b = header.tensors.values()
    assert (a.name, a.shape, a.type, a.n_bytes, a.n_numbers) == ("a", (2, 4), Type.F32, 32, 8)
    assert (b.name, b.shape, b.type, b.n_bytes, b.n_numbers) == ("b", (32,), Type.Q8_0, 34, 32)
    assert b.start == a.start + 32


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is an empty file"),
        (b"GG", "is no GGUF file"),
        (b"{}", "is no GGUF file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer"),
        (b"<!DOCTYPE html>", "is a web page"),
        (b"PK\3\4", "is a zip archive"),
        (WHOLE[:10], "a count would end at byte 16, and the file has 10"),
        (WHOLE[:-1], f"tensor a would end at byte {len(WHOLE)}, and the file has {len(WHOLE) - 1}"),
        (raw([LLAMA], version=1), "is GGUF version 1; known here: 2, 3"),
        (raw([LLAMA], version=0x03000000), "was written for a big-endian machine"),
        (raw([text("a") + struct.pack("<IQ", STRING, GIB)], data=bytes(150)), "a would end at byte 1,073,7"),
        (raw([struct.pack("<Q", GIB)], data=bytes(150)), "a key of the metadata would end at byte 1,073,7"),
        (raw([array("a", STRING, GIB, b"")]), "a has 1,073,741,824 entries of at least 8 bytes, and only 15"),
        (raw([array("a", U64, 1 << 60, b"")]), "a has 1,152,921,504,606,846,976 entries of at least 8 bytes"),
        (raw([array("a", STRING, 2, text("x") + struct.pack("<Q", GIB))]), "a would end at byte 1,073,7"),
        (raw([array("a", STRING, 1, text(b"\xff"))]), "the text at byte 57 is not UTF-8"),
        (raw([text(b"\xff\xfe")]), "the text at byte 32 is not UTF-8"),
        (raw([array("a", ARRAY, 1, b"")]), "a is a list of lists"),
        (raw([array("a", 77, 1, b"")]), "a is of the kind 77, which GGUF does not have"),
        (raw([entry("a", 99, b"")]), "a is of the kind 99, which GGUF does not have"),
        (raw([LLAMA, LLAMA]), "its metadata has general.architecture twice"),
        (raw(n_entries=1 << 62), "the metadata has 4,611,686,018,427,387,904 entries of at least 13 bytes"),
        (raw(n_tensors=1 << 62), "the list of tensors has 4,611,686,018,427,387,904 entries of at least 3"),
        (raw([], [tensor("a", (1,) * 9)], DATA), "tensor a has 9 dimensions; GGUF has 1 to 4"),
        (raw([], [tensor("a", ())], bytes(64)), "tensor a has 0 dimensions"),
        (raw([], [tensor("a", (2**32, 2**31, 2))], DATA), "tensor a would end at byte 73,786,976,294,838"),
        (raw([], [tensor("a", (2**63, 2**63, 4, 4))], DATA), "tensor a would end at byte 5,4"),
        (raw([], [tensor("a", (4, 0))], DATA), r"tensor a has the shape \[0, 4\]"),
        (raw([], [tensor("a", (31,), kind=Type.Q8_0)], DATA), r"shape \[31\], and rows of Q8_0 hold a mu"),
        (raw([], [tensor("a", (4,), kind=4)], DATA), "tensor a has the type 4, which is not known here"),
        (raw([], [tensor("a", (4,), offset=2**63)], DATA), "tensor a would end at byte 9,223,372,036"),
        (raw([], [tensor("a", (4,), offset=16)], DATA), "tensor a begins at 16, which is no multiple of 32"),
        (raw([], TWO[:1] * 2, DATA), "it has 2 tensors under 1 names"),
        (
            raw([], [tensor("a", (9,)), tensor("b", (4,), offset=32)], bytes(64)),
            "tensors a and b overlap .the first ends at byte 132, the second begins at 128",
        ),
        *(
            (raw([number("general.alignment", found)], TWO, bytes(64)), f"general.alignment is {found}; it m")
            for found in (0, 7, 24, 1 << 30, 1 << 17)
        ),
        (raw([entry("general.alignment", BOOL, b"\1")], TWO, bytes(64)), "general.alignment is True"),
        (raw([array("general.alignment", U32, 0, b"")], TWO, bytes(64)), r"general.alignment is \[\]"),
    ],
    ids=lambda said: said[:40] if isinstance(said, str) else "file",
)  # fmt: skip
def test_a_header_that_lies(tmp_path, content, sentence):
    tracemalloc.start()
    try:
        with pytest.raises(CheckpointError, match=sentence) as caught:
            opened(tmp_path, content)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert str(tmp_path / "model.gguf") in str(caught.value)


@pytest.mark.parametrize("alignment", [8, 32, 64, 1 << 16])
def test_alignments(tmp_path, alignment):
    metadata = [number("general.alignment", alignment)]
    tensors = [tensor("a", (2,)), tensor("b", (2,), offset=alignment)]
    header = opened(tmp_path, raw(metadata, tensors, bytes(alignment + 8), alignment=alignment))
    assert [entry.start % alignment for entry in header.tensors.values()] == [0, 0]


def test_every_way_of_cutting_a_file_short_is_told(tmp_path):
    for length in range(len(WHOLE)):
        with pytest.raises(CheckpointError, match=r"model\.gguf is"):
            opened(tmp_path, WHOLE[:length])


def test_a_folder_and_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CheckpointError, match="cannot be read: Is a directory"):
        read_header(tmp_path)
    with pytest.raises(CheckpointError, match="cannot be read: No such file"):
        read_header(tmp_path / "none.gguf")


@pytest.mark.parametrize(
    "short", [1e-5, 1e-6, 5e-7, 0.1, 1_000_000.0, 500_000.0, 3.4028235e38, 1e-45, 0.0, -2.5]
)
def test_a_float32_is_read_as_the_decimal_it_was_written_from(tmp_path, short):
    header = opened(tmp_path, raw([entry("eps", F32, struct.pack("<f", short))]))
    assert header.metadata["eps"] == short


@pytest.mark.parametrize("number", [float("inf"), float("-inf")])
def test_a_float32_without_end(tmp_path, number):
    assert opened(tmp_path, raw([entry("x", F32, struct.pack("<f", number))])).metadata["x"] == number


@pytest.mark.parametrize("name", ["bert", "mamba", "", "x" * 100])
def test_an_architecture_that_is_not_known_here(tmp_path, name):
    path = tmp_path / "model.gguf"
    path.write_bytes(raw([entry("general.architecture", STRING, text(name))], TWO, bytes(64)))
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint(path)
    assert str(caught.value) == (
        f"{path} is of the architecture “{name[:40]}”; known here: llama, qwen2, qwen3, gemma2, gemma3, gpt2."
    )
