"""Every kind of numbers that `gguf` can unpack, held against its own reader, which reads otherwise."""

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type
from gguf.constants import GGML_QUANT_SIZES

from attention.checkpoints import gguf_values
from attention.checkpoints.gguf_header import read_header
from attention.checkpoints.gguf_values import values
from attention.errors import CheckpointError
from tests.checkpoints.gguf_files import finish, raw, tensor, writer

UNREADABLE = ("Q8_1", "Q8_K", "Q1_0", "I8", "I16", "I32", "I64", "F64")
READABLE = [kind for kind in Type if kind.name not in UNREADABLE]
N_ROWS, N_BLOCKS = 7, 3


def random_blocks(kind, seed=3):
    """Bytes of any value, save that no half-precision scale among them is infinite or no number."""
    n_numbers, n_bytes = GGML_QUANT_SIZES[kind]
    generator = np.random.default_rng([seed, kind])
    if kind in (Type.F32, Type.F16, Type.BF16):
        numbers = generator.normal(size=(N_ROWS, N_BLOCKS * 11)).astype(np.float32)
        return gguf.quants.quantize(numbers, kind)
    n_blocks = 256 // n_numbers if n_numbers < 256 else 1
    data = generator.integers(0, 256, (N_ROWS, N_BLOCKS * n_blocks * n_bytes), dtype=np.uint8)
    return data & np.uint8(0xBB)


@pytest.mark.parametrize("kind", READABLE, ids=lambda kind: kind.name)
def test_values_equal_those_of_the_stock_reader(tmp_path, kind, monkeypatch):
    made = writer(tmp_path / "a.gguf", "llama")
    made.add_tensor("a", random_blocks(kind), raw_dtype=kind)
    made.add_tensor("b", random_blocks(kind, seed=4), raw_dtype=kind)
    finish(made)
    monkeypatch.setattr(gguf_values, "_NUMBERS_AT_ONCE", 1024)  # several strips, the last of them shorter
    header = read_header(tmp_path / "a.gguf")
    for theirs in gguf.GGUFReader(tmp_path / "a.gguf").tensors:
        ours = values(header, header.tensors[theirs.name])
        with np.errstate(all="ignore"):
            expected = gguf.dequantize(theirs.data, theirs.tensor_type)
        assert ours.dtype == np.float32
        assert ours.shape == expected.shape == tuple(reversed(theirs.shape.tolist()))
        assert np.isfinite(expected).any()
        np.testing.assert_array_equal(ours, expected)


def test_there_are_as_many_kinds_as_gguf_can_unpack():
    assert len(READABLE) == 26
    assert {kind.name for kind in READABLE} >= {
        "F32",
        "F16",
        "BF16",
        "Q4_0",
        "Q4_1",
        "Q4_K",
        "Q6_K",
        "IQ4_XS",
    }


@pytest.mark.parametrize("kind", [Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q5_1, Type.Q8_0, Type.BF16, Type.F16])
def test_values_are_near_those_that_were_quantised(tmp_path, kind):
    """A block's step is its range over the number of levels: half of it is the most that is lost."""
    numbers = np.random.default_rng(5).uniform(-1, 1, (5, 96)).astype(np.float32)
    made = writer(tmp_path / "a.gguf", "llama")
    made.add_tensor("a", gguf.quants.quantize(numbers, kind), raw_dtype=kind)
    finish(made)
    header = read_header(tmp_path / "a.gguf")
    levels = {"Q4_0": 8, "Q4_1": 15, "Q5_0": 16, "Q5_1": 31, "Q8_0": 127, "BF16": 256, "F16": 2048}
    step = 2.0 / levels[kind.name]
    assert np.abs(values(header, header.tensors["a"]) - numbers).max() <= step


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_kind_that_cannot_be_unpacked_is_named(tmp_path, name):
    kind = Type[name]
    n_numbers, n_bytes = GGML_QUANT_SIZES[kind]
    path = tmp_path / "a.gguf"
    path.write_bytes(raw([], [tensor("blk.0.x", (n_numbers,), kind=kind)], bytes(n_bytes)))
    header = read_header(path)
    with pytest.raises(
        CheckpointError, match=f"tensor blk.0.x is stored as {name}, which cannot be read here"
    ):
        values(header, header.tensors["blk.0.x"])


def test_what_a_damaged_scale_makes_is_no_error(tmp_path):
    """Infinite times nought: NumPy would warn, and a warning is nobody's answer."""
    path = tmp_path / "a.gguf"
    path.write_bytes(raw([], [tensor("a", (32,), kind=Type.Q8_0)], b"\x00\x7c" + bytes(32)))
    header = read_header(path)
    assert np.isnan(values(header, header.tensors["a"])).all()
