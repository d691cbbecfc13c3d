"""Opening a model that is a GGUF file: by its path, in a folder, and when it is not what it says."""

from hashlib import sha256

import pytest
import torch

from attention.checkpoints import open_checkpoint
from attention.errors import CheckpointError
from tests.checkpoints.gguf_models import CASES, shaken, write


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("llama") / "tiny-llama.Q8_0.gguf"
    case = CASES["llama, quantised"]
    write(case, shaken(case.config), path)
    return path


def test_a_file_by_its_path(model):
    checkpoint = open_checkpoint(model)
    assert checkpoint.name == "tiny-llama.Q8_0"
    assert checkpoint.revision == f"sha256 {sha256(model.read_bytes()).hexdigest()[:8]}"
    assert checkpoint.config["model_type"] == "llama"
    assert {tensor.dtype for tensor in checkpoint.tensors.values()} == {torch.float32}
    assert checkpoint.tokenizer.pad_id == 3
    assert checkpoint.target_tokenizer is None
    assert open_checkpoint(str(model)).name == checkpoint.name


def test_config_and_tensors_cannot_be_changed(model):
    checkpoint = open_checkpoint(model)
    with pytest.raises(TypeError):
        checkpoint.config["vocab_size"] = 2
    with pytest.raises(TypeError):
        checkpoint.tensors["a"] = torch.zeros(1)


def test_numbers_do_not_hang_on_the_file(model, tmp_path):
    """Mapped bytes would end the process when the file is cut while it is read."""
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(model.read_bytes())
    tensors = open_checkpoint(copy).tensors
    copy.write_bytes(b"")
    for name, tensor in open_checkpoint(model).tensors.items():
        torch.testing.assert_close(tensors[name], tensor, atol=0, rtol=0)
        tensors[name].add_(1)  # and it is ours to write to


def test_a_folder_that_holds_one(model, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "MODEL.gguf").write_bytes(model.read_bytes())
    assert open_checkpoint(tmp_path / "mine").name == "mine"
    monkeypatch.chdir(tmp_path)
    assert open_checkpoint("mine").config["model_type"] == "llama"


def test_a_folder_that_holds_two(model, tmp_path):
    for name in ("b.gguf", "a.gguf"):
        (tmp_path / name).write_bytes(model.read_bytes())
    with pytest.raises(CheckpointError, match=r"holds 2 GGUF files, a.gguf the first: name the one to open"):
        open_checkpoint(tmp_path)
    assert open_checkpoint(tmp_path / "b.gguf").name == "b"


def test_safetensors_come_first_in_a_folder(model, folder):
    (folder / "extra.gguf").write_bytes(model.read_bytes())
    assert open_checkpoint(folder).config["model_type"] == "toy"


@pytest.mark.parametrize("suffix", [".GGUF", ".Gguf"])
def test_the_case_of_the_ending_does_not_matter(model, tmp_path, suffix):
    path = tmp_path / f"model{suffix}"
    path.write_bytes(model.read_bytes())
    assert open_checkpoint(path).name == "model"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "model.gguf is an empty file"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "model.gguf is a Git LFS pointer"),
        (b"<html>Sign in</html>", "model.gguf is a web page"),
        (b"PK\3\4", "model.gguf is a zip archive, as PyTorch's pickles are"),
        (b"something else", "model.gguf is no GGUF file"),
    ],
)
def test_a_file_that_is_something_else(tmp_path, content, sentence):
    (tmp_path / "model.gguf").write_bytes(content)
    with pytest.raises(CheckpointError, match=sentence):
        open_checkpoint(tmp_path / "model.gguf")


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.ckpt", "model.PTH"])
def test_pickles_are_refused_with_the_reason_and_a_way_out(tmp_path, name):
    (tmp_path / name).write_bytes(b"never read")
    with pytest.raises(CheckpointError, match=rf"{name} is not opened: such files are pickles, .* convert"):
        open_checkpoint(tmp_path / name)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"never read")
    with pytest.raises(CheckpointError, match=r"model.onnx is a file and no \.gguf; give the folder"):
        open_checkpoint(tmp_path / "model.onnx")
