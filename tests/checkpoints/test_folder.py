import json
from hashlib import sha256

import pytest
import torch
from safetensors.torch import save_file

from attention.checkpoints import open_checkpoint
from attention.checkpoints.folder import open_folder
from attention.errors import CheckpointError
from tests.checkpoints.fakes import TENSORS


def shards(folder, *parts, index=True):
    """The same tensors in several files, with their index."""
    (folder / "model.safetensors").unlink()
    names = [f"model-{n:05}-of-{len(parts):05}.safetensors" for n in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        save_file(part, folder / name)
    if index:
        where = {tensor: name for name, part in zip(names, parts, strict=True) for tensor in part}
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))
    return names


def test_what_a_folder_holds(folder):
    checkpoint = open_checkpoint(folder)
    assert checkpoint.name == "small"
    assert dict(checkpoint.config) == {"model_type": "toy", "n_layers": 1}
    assert set(checkpoint.tensors) == {"a", "b"}
    for name, tensor in TENSORS.items():
        assert checkpoint.tensors[name].dtype == tensor.dtype
        torch.testing.assert_close(checkpoint.tensors[name], tensor)
    assert checkpoint.tokenizer is None
    digest = sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert checkpoint.revision == f"sha256 {digest[:8]}"


def test_every_dtype_is_kept(folder):
    kinds = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int8, torch.bool]
    save_file({str(kind): torch.ones(3, dtype=kind) for kind in kinds}, folder / "model.safetensors")
    assert {str(tensor.dtype) for tensor in open_checkpoint(folder).tensors.values()} == set(map(str, kinds))


def test_config_and_tensors_cannot_be_changed(folder):
    checkpoint = open_checkpoint(folder)
    with pytest.raises(TypeError):
        checkpoint.config["n_layers"] = 2
    with pytest.raises(TypeError):
        checkpoint.tensors["a"] = torch.zeros(1)


def test_a_folder_is_named_as_text_too(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert open_checkpoint("small").name == "small"
    assert open_checkpoint(str(folder)).name == "small"
    monkeypatch.chdir(folder)
    assert open_checkpoint(".").name == "small"


def test_shards_with_an_index(folder):
    shards(folder, {"a": TENSORS["a"]}, {"b": TENSORS["b"]})
    save_file({"a": torch.zeros(1)}, folder / "another.safetensors")
    torch.testing.assert_close(dict(open_folder(folder).tensors), TENSORS)


def test_shards_without_an_index(folder):
    shards(folder, {"a": TENSORS["a"]}, {"b": TENSORS["b"]}, index=False)
    torch.testing.assert_close(dict(open_folder(folder).tensors), TENSORS)


def test_the_revision_of_shards_tells_them_apart(folder):
    names = shards(folder, {"a": TENSORS["a"]}, {"b": TENSORS["b"]})
    before = open_folder(folder).revision
    save_file({"b": TENSORS["b"] + 1}, folder / names[1])
    assert open_folder(folder).revision != before


@pytest.mark.parametrize("index", [True, False])
def test_a_tensor_in_two_shards(folder, index):
    shards(folder, {"a": TENSORS["a"]}, {"a": TENSORS["a"], "b": TENSORS["b"]}, index=False)
    if index:
        where = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))
    with pytest.raises(
        CheckpointError, match=r"model-00001-of-00002.* and model-00002-of-.* both hold the tensor a"
    ):
        open_folder(folder)


def test_a_missing_shard(folder):
    names = shards(folder, {"a": TENSORS["a"]}, {"b": TENSORS["b"]})
    (folder / names[1]).unlink()
    with pytest.raises(CheckpointError, match=f"holds 1 of the 2 files in its index; {names[1]} is missing"):
        open_folder(folder)


def test_a_tensor_that_the_index_promises(folder):
    names = shards(folder, {"a": TENSORS["a"]}, {"b": TENSORS["b"]})
    save_file({"c": TENSORS["b"]}, folder / names[1])
    with pytest.raises(CheckpointError, match="names 2 tensors and 1 of them are in no file, the first b"):
        open_folder(folder)


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        (
            '{"weight_map": {"a": "../secret.safetensors"}}',
            r"points outside its folder: ../secret.safetensors",
        ),
        ('{"weight_map": {"a": "/etc/secret.safetensors"}}', r"points outside its folder: /etc/secret"),
        ("{}", "has no weight_map"),
        ('{"weight_map": {"a": 1}}', "has no weight_map"),
        ("[]", "should hold a JSON object and holds a list"),
    ],
)
def test_a_bad_index(folder, index, sentence):
    (folder / "model.safetensors.index.json").write_text(index)
    with pytest.raises(CheckpointError, match=sentence):
        open_folder(folder)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "nowhere",
            "“nowhere” is neither in the catalog .minilm, .*worked-example., nor a folder or a .gguf",
        ),
        ("x" * 5_000, "nor a folder"),
        ("null\0character", "nor a folder"),
        ("~nobody-of-this-name/model", "nor a folder"),
        ("", "nor a folder"),
    ],
)
def test_sources_that_are_not_there(source, sentence):
    with pytest.raises(CheckpointError, match=sentence):
        open_checkpoint(source)


def test_a_file_is_no_folder(folder):
    with pytest.raises(CheckpointError, match=r"is a file and no .gguf; give the folder"):
        open_checkpoint(folder / "model.safetensors")
    with pytest.raises(CheckpointError, match="is not a folder"):
        open_folder(folder / "model.safetensors")


def test_minilm():
    checkpoint = open_checkpoint("minilm")
    assert (checkpoint.name, checkpoint.revision) == ("minilm", "1110a243")
    assert checkpoint.config["num_hidden_layers"] == 6
    assert len(checkpoint.tensors) == 104
    assert checkpoint.tensors["embeddings.word_embeddings.weight"].shape == (30_522, 384)
    assert checkpoint.tensors["embeddings.position_ids"].dtype == torch.int64
    assert checkpoint.tokenizer.pad_id == 0


def test_minilm_without_a_download(cache):
    with pytest.raises(CheckpointError, match="python -m attention fetch minilm"):
        open_checkpoint("minilm", fetch=False)
    assert not cache.exists()
