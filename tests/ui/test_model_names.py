"""What a model may be called: in the catalog, inside the models folder, and nowhere else."""

import os
from pathlib import Path

import pytest

from attention.checkpoints import CATALOG
from attention.errors import CheckpointError, InputError
from attention.ui.models import names


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A models folder with two models, and things beside it and in it that are none."""
    inside = tmp_path / "models"
    for name in ("small", "minilm"):
        (inside / name).mkdir(parents=True)
        (inside / name / "config.json").write_text("{}")
    (inside / "Tiny.GGUF").write_bytes(b"GGUF")
    (inside / "photos").mkdir()
    (inside / "notes.txt").write_text("no model")
    (inside / "part.gguf").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "config.json").write_text("{}")
    monkeypatch.setenv("HEADLIGHT_MODELS", str(inside))
    return inside


def test_names_only_of_what_can_be_opened(folder):
    assert names.listed() == ("Tiny.GGUF", "small")
    assert names.choices("minilm") == (*CATALOG, "Tiny.GGUF", "small")
    assert names.choices("someone/model")[-1] == "someone/model"


def test_nothing_is_looked_at_unless_a_folder_is_named(folder, monkeypatch):
    monkeypatch.delenv("HEADLIGHT_MODELS")
    monkeypatch.setattr(Path, "iterdir", lambda path: pytest.fail(f"{path} was looked at"))
    assert names.listed() == names.found() == ()
    with pytest.raises(InputError):
        names.from_link("small")
    with pytest.raises(CheckpointError):
        names.source("small")


def test_each_name_leads_to_what_load_takes(folder):
    assert names.source("small") == folder / "small"
    assert names.source("Tiny.GGUF") == folder / "Tiny.GGUF"
    assert names.source("minilm") == "minilm"
    assert [names.from_link(name) for name in ("small", "Tiny.GGUF", "gemma3")] == [
        "small",
        "Tiny.GGUF",
        "gemma3",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "small/../../secret",
        "./small",
        "small/",
        "/etc",
        "photos",
        "notes.txt",
        "part.gguf",
        "Small",
        "tiny.gguf",
        "",
        ".",
        "..",
        "~",
        "small\0",
        "x" * 300,
    ],
)
def test_no_path_and_no_other_name_is_taken(folder, name):
    for asked in (name, str(folder / name)) if "\0" not in name else (name,):
        with pytest.raises(InputError, match=r"is not one of minilm, .*, Tiny\.GGUF, small"):
            names.from_link(asked)
        with pytest.raises(CheckpointError):
            names.source(asked)


def test_a_name_one_cannot_see_is_left_out(folder):
    for name in (b"a\nb.gguf", b"a\xffb.gguf", "a\u202eb.gguf".encode()):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(b"GGUF")
    assert names.listed() == ("Tiny.GGUF", "small")


def test_a_folder_that_cannot_be_read_is_told_without_its_path(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path / "gone"))
    with pytest.raises(CheckpointError) as caught:
        names.listed()
    assert str(caught.value) == (
        "The folder that HEADLIGHT_MODELS names cannot be read: No such file or directory."
    )
    assert names.found() == ()


@pytest.fixture
def hub_model(tmp_path, monkeypatch):
    """A model of the hub that a click has fetched."""
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path))
    fetched = tmp_path / "hub" / "someone--model" / "0123456789"
    fetched.mkdir(parents=True)
    (fetched / "config.json").write_text("{}")
    return fetched


def test_a_hub_model_is_opened_once_fetched_and_never_linked(hub_model):
    assert names.source("someone/model") == "someone/model"
    assert not names.may_link("someone/model")
    with pytest.raises(InputError):
        names.from_link("someone/model")
    with pytest.raises(CheckpointError, match="the Models page fetches it"):
        names.source("someone/other")


def test_the_hub_can_be_switched_off(hub_model, monkeypatch):
    assert names.hub_is_open()
    monkeypatch.setenv("HEADLIGHT_HUB", "off")
    assert not names.hub_is_open()
    with pytest.raises(CheckpointError, match="no model “someone/model”"):
        names.source("someone/model")


def test_titles():
    assert names.title("minilm") == "all-MiniLM-L6-v2"
    assert names.title("small") == "small"
