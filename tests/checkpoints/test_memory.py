"""A model that is larger than the machine is refused before any of it is read."""

import json
import struct

import pytest
from gguf import GGMLQuantizationType as Type

from attention.checkpoints import memory, open_checkpoint
from attention.errors import CheckpointError
from tests.checkpoints.gguf_files import F32, STRING, entry, number, raw, tensor, text


def test_what_this_machine_has():
    has = memory.machine_bytes()
    assert 1 << 28 < has < 1 << 50


@pytest.mark.parametrize(
    ("limit", "physical", "expected"),
    [
        ("1000\n", 2000, 1000),
        ("max\n", 2000, 2000),
        ("3000", 2000, 2000),
        (None, 2000, 2000),
        (None, None, None),
    ],
)
def test_a_container_may_have_less(tmp_path, monkeypatch, limit, physical, expected):
    path = tmp_path / "memory.max"
    if limit is not None:
        path.write_text(limit)
    monkeypatch.setattr(memory, "_CGROUP_LIMITS", (path,))
    monkeypatch.setattr(memory, "_physical_bytes", lambda: physical)
    assert memory.machine_bytes() == expected


def test_where_memory_cannot_be_told_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "machine_bytes", lambda: None)
    memory.check_memory("A model", 1 << 80)


def test_both_numbers_are_told(monkeypatch):
    monkeypatch.setattr(memory, "machine_bytes", lambda: 16_000_000_000)
    memory.check_memory("It", 16_000_000_000)
    with pytest.raises(CheckpointError) as caught:
        memory.check_memory("It", 28_000_000_000)
    assert str(caught.value) == "It needs 28 GB of memory in float32, and this machine has 16 GB."


def sparse(path, head, n_bytes):
    """A file that says it is large, and is, in holes."""
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + n_bytes)


@pytest.mark.parametrize(("dtype", "width"), [("F16", 2), ("F32", 4), ("F64", 8)])
def test_safetensors(folder, dtype, width):
    """Half a million million numbers: 2 TB in float32, and 4 where they are stored in twice that."""
    n = 5 * 10**11
    header = json.dumps({"a": {"dtype": dtype, "shape": [n], "data_offsets": [0, width * n]}}).encode()
    head = struct.pack("<Q", len(header)) + header
    sparse(folder / "model.safetensors", head, width * n)
    size = {2: "2000 GB", 4: "2000 GB", 8: "4000 GB"}[width]
    with pytest.raises(
        CheckpointError, match=f"small needs {size} of memory in float32, and this machine has"
    ):
        open_checkpoint(folder)


def test_gguf(tmp_path):
    sizes = (
        "block_count",
        "context_length",
        "embedding_length",
        "feed_forward_length",
        "attention.head_count",
    )
    facts = [
        entry("general.architecture", STRING, text("llama")),
        *(number(f"llama.{key}", 2 if key != "embedding_length" else 64) for key in sizes),
        entry("llama.attention.layer_norm_rms_epsilon", F32, struct.pack("<f", 1e-5)),
    ]
    dims = (1 << 20, 1 << 20)
    n_bytes = (1 << 40) // 32 * 18
    head = raw(facts, [tensor("token_embd.weight", dims, kind=Type.Q4_0), tensor("b", (8,), n_bytes)])
    sparse(tmp_path / "model.gguf", head, n_bytes + 32)
    with pytest.raises(
        CheckpointError, match=r"model.gguf needs 4398 GB of memory in float32, and this machine"
    ):
        open_checkpoint(tmp_path / "model.gguf")
