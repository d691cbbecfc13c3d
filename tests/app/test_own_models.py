"""Models of whoever runs the app: opened by name, in a link too, and never by a path or from the hub."""

import json
import re

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from attention import Settings
from attention.ui import url
from attention.ui.script import script
from attention.ui.view import ViewState
from tests.app.screen import cells, checked, html, opened, packed, plain
from tests.toys import toy

WORDS = ("[UNK]", "I", "learn", "slowly")


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A models folder with one toy that reads words."""
    model = toy(mask="causal", d_vocab=len(WORDS))
    folder = tmp_path / "my toy"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(dict(model.checkpoint.config)))
    save_file(dict(model.checkpoint.tensors), folder / "model.safetensors")
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    return model


def test_a_link_opens_a_model_of_the_models_folder_by_name(own):
    app = opened(model="my toy", s="I learn slowly", layer="2", head="5")
    weights = own.run([1, 2, 3]).attention(2).weights[5].numpy()
    np.testing.assert_allclose(np.nan_to_num(cells(app)), weights, atol=1e-6)
    assert app.selectbox(key="control.model").options[-1] == "my toy"
    assert app.query_params["model"] in ("my toy", ["my toy"])


def test_a_model_whose_files_changed_is_opened_anew(own, tmp_path):
    asked = dict(model="my toy", s="I learn slowly", layer="2", head="5")
    before, sheet = cells(opened(**asked)), packed(opened(**asked), "sheet")[1]["shades"]
    other = toy(seed=6, mask="causal", d_vocab=len(WORDS))
    save_file(dict(other.checkpoint.tensors), tmp_path / "my toy" / "model.safetensors")
    app = opened(**asked)
    after = cells(app)
    weights = other.run([1, 2, 3]).attention(2).weights[5].numpy()
    np.testing.assert_allclose(np.nan_to_num(after), weights, atol=1e-6)
    assert np.nanmax(np.abs(after - before)) > 0.01
    assert (packed(app, "sheet")[1]["shades"] != sheet).any()


def test_the_batch_of_a_model_whose_files_changed_is_read_anew(own, tmp_path):
    folder, batch = tmp_path / "my toy", "I learn slowly\nlearn I"
    for seed in (5, 6):
        other = toy(seed=seed, d_vocab=len(WORDS), pad_token_id=0)
        (folder / "config.json").write_text(json.dumps(dict(other.checkpoint.config)))
        save_file(dict(other.checkpoint.tensors), folder / "model.safetensors")
        app = opened("../../pages/masks.py", model="my toy", s="I learn", **{"masks.batch": batch})
        alone, short = other.run([2, 1]).final, Settings(padding=False)
        wanted = (other.run([2, 1], pad_to=3, settings=short).final[:2] - alone).abs().max()
        shown = re.findall(r"data-without>([^<]*)<", html(app))[1]
        assert float(shown) == pytest.approx(float(wanted), abs=6e-4)


def test_the_lines_of_python_open_it_from_the_models_folder_and_tell_no_path(own, tmp_path):
    lines = script(ViewState(text="I learn slowly", model="my toy", layer=2, head=5))
    assert str(tmp_path) not in lines
    scope = {}
    exec(lines, scope)
    torch.testing.assert_close(
        scope["weights"].double(), own.run([1, 2, 3]).attention(2).weights[5], atol=1e-6, rtol=0
    )


def test_the_models_page_shows_what_it_is_made_of(own):
    app = opened("../../pages/models.py", model="my toy", s="I learn")
    assert "values 11" in html(app)
    assert "/" not in "".join(app.selectbox(key="models.file").options)


def test_a_path_in_a_link_is_told_and_ignored(own, tmp_path):
    app = opened(model=str(tmp_path / "my toy"), s="I learn")
    assert "The link's model was ignored" in plain(app.warning[0].value)
    assert app.selectbox(key="control.model").value == "minilm"


def test_a_hub_id_is_neither_read_from_a_link_nor_written_to_one():
    view, told = url.read_link({"s": "I learn", "model": "someone/model"})
    assert (view.model, len(told)) == ("minilm", 1)
    params, _ = url.write_link(ViewState(model="someone/model"))
    assert "model" not in params
    assert url.write_link(ViewState(model="smollm2"))[0]["model"] == "smollm2"


def test_a_hub_model_that_no_click_fetched_is_not_fetched_by_a_view(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path))
    app = opened(s="I learn", model="worked-example", layer="0", head="0")
    app.session_state["headlight.view"] = ViewState(text="I learn", model="someone/model")
    checked(app.run())
    said = [plain(message.value) for message in (*app.error, *app.warning)]
    assert said == ["“someone/model” is not here; the Models page fetches it from the hub."]
