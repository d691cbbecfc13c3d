"""The app started with a model of the reader's own: `streamlit run app.py -- path`."""

import sys

import numpy as np
import pytest

from attention import load
from attention.ui.models import given, names
from tests.app.screen import cells, checked, html, opened, plain
from tests.app.translators import write

PAGE = "../../pages/models.py"


@pytest.fixture
def start(monkeypatch):
    """Start the app with these words behind `--`."""
    return lambda *behind: monkeypatch.setattr(sys, "argv", ["/somewhere/app.py", *map(str, behind)])


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path, "tiny marian")


def test_the_page_opens_with_that_model(start, folder):
    start(folder)
    app = opened()
    assert not app.warning
    assert app.selectbox(key="control.model").value == "tiny marian"
    text = app.text_input(key="control.text").value
    weights = load(folder).run(text).attention(4).weights[4].numpy()
    np.testing.assert_allclose(np.nan_to_num(cells(app)), weights, atol=1e-5)


def test_no_link_names_it_and_a_link_without_a_model_opens_it(start, folder):
    start(folder)
    app = opened(s="the dog sat", layer="1", head="2")
    assert "model" not in app.query_params
    assert str(folder.parent) not in str(app.query_params)
    assert app.selectbox(key="control.model").value == "tiny marian"
    assert opened(s="the dog sat", model="minilm").selectbox(key="control.model").value == "minilm"
    app = opened(s="the dog sat", model="tiny marian")
    assert "The link's model was ignored" in plain(app.warning[0].value)


def test_the_models_page_shows_it(start, folder):
    start(folder)
    app = opened(PAGE)
    assert "tiny marian" in html(app)
    assert str(folder.parent) not in html(app)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda place: place / "gone.gguf", "“gone.gguf”, which is not there"),
        (lambda place: place, "which is neither a folder with a config.json nor a .gguf file"),
    ],
)
def test_a_bad_path_is_one_sentence_and_the_app_works(start, tmp_path, made, said):
    start(made(tmp_path))
    app = opened()
    assert len(app.warning) == 1
    assert said in plain(app.warning[0].value)
    assert str(tmp_path.parent) not in app.warning[0].value
    assert app.selectbox(key="control.model").value == "minilm"
    assert cells(app).shape == (12, 12)


def test_a_damaged_file_is_told_and_another_model_can_be_chosen(start, tmp_path):
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(200))
    start(tmp_path / "broken.gguf")
    app = opened()
    assert len(app.error) == 1
    app.selectbox(key="control.model").set_value("minilm")
    assert not checked(app.run()).error
    assert cells(app).shape == (12, 12)


def test_what_another_program_was_started_with_is_not_a_model(monkeypatch, folder):
    for argv in (["pytest", str(folder)], ["/somewhere/app.py"], []):
        monkeypatch.setattr(sys, "argv", argv)
        assert given.name() is None
        assert given.problem() is None
        assert names.default() == "minilm"


def test_a_name_of_the_catalog_means_the_catalog_s_model(start, folder):
    there = folder.rename(folder.with_name("minilm"))
    start(there)
    assert given.name() == "minilm (file)"
    assert names.source("minilm (file)") == there
    assert names.source("minilm") == "minilm"
