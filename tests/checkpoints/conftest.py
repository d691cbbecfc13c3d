import os

import pytest
from safetensors.torch import save_file

from attention.checkpoints import catalog
from tests.checkpoints import fakes


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("HEADLIGHT_CACHE", str(folder))
    return folder


@pytest.fixture
def index(tmp_path, monkeypatch):
    """The folder where pip looks for wheels, and nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """The only hub there is; its own cache is empty."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_CACHE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with fakes.running_hub(dict(fakes.CONTENT)) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.endpoint)
        yield running


@pytest.fixture
def offer(monkeypatch, cache, index, hub):
    """Puts a model into the catalog, in place of all others."""

    def put(model):
        monkeypatch.setattr(catalog, "CATALOG", {model.name: model})
        return model

    return put


@pytest.fixture
def folder(tmp_path):
    """A small model: one file of tensors, no tokenizer."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "toy", "n_layers": 1}')
    save_file(fakes.TENSORS, folder / "model.safetensors")
    return folder
