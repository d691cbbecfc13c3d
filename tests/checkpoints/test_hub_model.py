"""Models of the hub by their id, against a stand-in that answers as the hub does."""

import json

import pytest
import torch
from safetensors.torch import save

from attention.checkpoints import hub_model, open_checkpoint
from attention.checkpoints.catalog import ModelFile
from attention.errors import CheckpointError
from tests.checkpoints import fakes
from tests.checkpoints.fakes import HUB_SOURCE, TENSORS, content_of

CONFIG = b'{"model_type": "toy"}'
REPOSITORY = {
    ".gitattributes": b"*.safetensors filter=lfs",
    "README.md": b"# A model",
    "config.json": CONFIG,
    "model.safetensors": save(TENSORS),
    "model.fp16.safetensors": b"another precision",
    "pytorch_model.bin": b"never fetched",
    "modeling_own.py": b"never fetched",
    "onnx/model.safetensors": b"never fetched",
    "tokenizer_config.json": b"{}",
}
FETCHED = {"config.json", "model.safetensors", "tokenizer_config.json"}


@pytest.fixture
def repository(hub, cache):
    hub.content.clear()
    hub.content.update(REPOSITORY)
    return hub


def test_a_model_by_its_id(repository, cache):
    reports = []
    checkpoint = open_checkpoint("someone/tiny", progress=lambda *report: reports.append(report))
    assert (checkpoint.name, checkpoint.revision) == ("someone/tiny", HUB_SOURCE.commit[:8])
    torch.testing.assert_close(dict(checkpoint.tensors), TENSORS)
    folder = cache / "hub" / "someone--tiny" / HUB_SOURCE.commit
    assert content_of(folder) == {name: REPOSITORY[name] for name in FETCHED}
    assert {what for what, _, _ in reports} == {"Downloading someone/tiny"}
    assert [path for path in (cache / ".scratch").rglob("*") if path.is_file()] == []


def test_what_was_fetched_is_not_asked_for_again(repository):
    open_checkpoint("someone/tiny")
    repository.asked.clear()
    assert open_checkpoint("someone/tiny", fetch=False).name == "someone/tiny"
    assert open_checkpoint("someone/tiny").name == "someone/tiny"
    assert repository.asked == []


def test_without_leave_nobody_is_asked(repository):
    with pytest.raises(
        CheckpointError, match="“someone/tiny” is no folder, and no model of the hub that was"
    ):
        open_checkpoint("someone/tiny", fetch=False)
    assert repository.asked == []


def test_a_folder_of_that_name_comes_first(repository, folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    (folder.parent / "someone").mkdir()
    folder.rename(folder.parent / "someone" / "tiny")
    assert open_checkpoint("someone/tiny").name == "tiny"
    assert repository.asked == []


def test_shards_are_fetched_with_their_index(repository, cache):
    del repository.content["model.safetensors"]
    parts = {"model-00001-of-00002.safetensors": "a", "model-00002-of-00002.safetensors": "b"}
    repository.content |= {name: save({tensor: TENSORS[tensor]}) for name, tensor in parts.items()}
    index = {"weight_map": {tensor: name for name, tensor in parts.items()}}
    repository.content["model.safetensors.index.json"] = json.dumps(index).encode()
    assert set(open_checkpoint("someone/tiny").tensors) == {"a", "b"}


def test_offline_it_is_one_sentence(repository, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint("someone/tiny")
    assert str(caught.value) == (
        "someone/tiny is not here and could not be fetched from the model hub: no connection."
    )
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(CheckpointError, match=r"model hub: HF_HUB_OFFLINE is set[.]$"):
        open_checkpoint("someone/tiny")


def test_a_hub_that_stays_silent(repository):
    repository.silent.set()
    with pytest.raises(CheckpointError, match=r"model hub: no answer in 5 seconds[.]$"):
        open_checkpoint("someone/tiny")


@pytest.mark.parametrize(
    ("there", "sentence"),
    [
        (("model.safetensors",), "someone/tiny holds no config.json"),
        (("config.json",), r"someone/tiny holds no \*.safetensors[.]"),
        (("config.json", "pytorch_model.bin"), r"no \*.safetensors .it has pytorch_model.bin, which is not"),
        (("config.json", "onnx/model.safetensors"), r"someone/tiny holds no \*.safetensors[.]"),
    ],
)
def test_a_repository_that_holds_no_model(repository, there, sentence):
    for name in set(repository.content) - set(there):
        del repository.content[name]
    with pytest.raises(CheckpointError, match=sentence):
        open_checkpoint("someone/tiny")


def test_a_model_that_is_not_there(repository):
    with pytest.raises(CheckpointError, match=r"someone/other is not here .* it answered with status 404"):
        open_checkpoint("someone/other")


def test_other_bytes_than_the_hub_promised_are_not_kept(repository, cache, monkeypatch):
    listed = fakes._sibling
    monkeypatch.setattr(fakes, "_sibling", lambda name, data: listed(name, data[:-1] + b"x"))
    with pytest.raises(CheckpointError, match=r"model.safetensors has the SHA-256 .{8}… where .{8}… was"):
        open_checkpoint("someone/tiny")
    assert not (cache / "hub").exists()


def test_too_little_room(repository, monkeypatch):
    monkeypatch.setattr(hub_model.shutil, "disk_usage", lambda path: type("usage", (), {"free": 100}))
    with pytest.raises(
        CheckpointError, match=r"The disk is full: fetching someone/tiny takes .* has 100 bytes"
    ):
        open_checkpoint("someone/tiny")


def test_any_safetensors_where_none_has_the_usual_name():
    there = tuple(ModelFile(name=name, n_bytes=1) for name in ("config.json", "weights.safetensors"))
    assert hub_model.wanted("a/b", there) == there
