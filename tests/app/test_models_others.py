"""The Models page: models of the reader's own, and those of the hub."""

import json
import re

import pytest
from safetensors.torch import save_file

from attention import CheckpointError
from attention.ui import cache
from attention.ui.models import downloads, names
from tests.app.models_page import labels, models, said
from tests.app.screen import checked, html
from tests.toys import toy

pytestmark = pytest.mark.usefixtures("unset")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A models folder with one toy in it."""
    checkpoint = toy().checkpoint
    (tmp_path / "my toy").mkdir()
    (tmp_path / "my toy" / "config.json").write_text(json.dumps(dict(checkpoint.config)))
    save_file(dict(checkpoint.tensors), tmp_path / "my toy" / "model.safetensors")
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    return tmp_path


def test_files_are_offered_by_name_only(folder):
    app = models()
    assert app.selectbox(key="models.file").options == ["my toy"]
    assert str(folder) not in html(app)


def test_a_file_becomes_the_model_of_the_view(folder, monkeypatch):
    asked = []
    monkeypatch.setattr(cache, "model", lambda name, **_: asked.append(name) or toy())
    app = models()
    checked(app.button(key="models.open-file").click().run())
    assert asked[-1] == "my toy"
    assert "my toywhat it is made of" in said(app)
    assert "2" in re.search(r"Heads of keys and values</th><td>([^<]*)", html(app))[1]
    assert [link.proto.label for link in app.get("page_link")] == ["See my toy in Explore"]


def test_without_a_folder_the_page_says_how_to_name_one(tmp_path, monkeypatch):
    assert "Start the app with HEADLIGHT_MODELS set to a folder" in said(models())
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    assert "holds no folder with a config.json and no GGUF file" in said(models())
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path / "gone"))
    assert [error.value for error in models().error] == [
        "The folder that HEADLIGHT_MODELS names cannot be read: No such file or directory."
    ]


def _ask_hub(app, typed):
    app.text_input(key="models.id").set_value(typed)
    (button,) = [button for button in app.button if button.label == "Get and open"]
    return checked(button.click().run())


def test_a_hub_model_is_fetched_by_a_click_and_opened(monkeypatch):
    fetched = []
    monkeypatch.setattr(downloads, "fetch_model", lambda repo, progress: fetched.append(repo))
    monkeypatch.setattr(cache, "model", lambda name, **_: toy())
    app = models()
    app.text_input(key="models.id").set_value("someone/model")
    assert not checked(app.run()).error
    assert not fetched
    _ask_hub(app, " someone/model ")
    assert fetched == ["someone/model"]
    assert "someone/modelwhat it is made of" in said(app)
    assert "someone" not in str(app.query_params)


@pytest.mark.parametrize("typed", ["", "model", "../model", "/etc/passwd", "a/b/c", "https://x/y", "<b>/$x$"])
def test_what_is_no_hub_id_is_refused_in_one_sentence(typed, monkeypatch):
    asked = []
    monkeypatch.setattr(downloads, "fetch_model", lambda repo, progress: asked.append(repo))
    (error,) = _ask_hub(models(), typed).error
    assert not asked
    assert error.value.endswith("is no id of a model on the hub, such as someone/model.")
    assert "<b>" not in error.value


def test_offline_the_hub_says_so_in_one_sentence(monkeypatch):
    def offline(repo, progress):
        raise CheckpointError(f"{repo} is not here and could not be fetched from the hub: no connection.")

    monkeypatch.setattr(downloads, "fetch_model", offline)
    app = _ask_hub(models(), "someone/model")
    assert [error.value for error in app.error] == [
        "someone/model is not here and could not be fetched from the hub: no connection."
    ]
    assert "all-MiniLM-L6-v2what it is made of" in said(app)


def test_the_hub_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("HEADLIGHT_HUB", "off")
    app = models()
    assert "Get and open" not in labels(app)
    assert f"({names.HUB}=off)" in said(app)
