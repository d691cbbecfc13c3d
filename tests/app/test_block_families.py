"""The pages about scaling and the block for encoder–decoders and a sandwich: each kind of attention."""

import json
import re

import numpy as np
import pytest

from attention import load
from tests.app.screen import html, matrix, opened, plain
from tests.app.translators import SOURCE, TARGET, write

NAMES = ("tiny t5", "tiny marian", "tiny gemma")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    for name in NAMES:
        write(place, name)
    return place


@pytest.fixture(autouse=True)
def _named(folder, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(folder))


def page(name, model, **params):
    asked = {"s": SOURCE, "model": model, "layer": "1", "head": "1", "query": "3"}
    asked |= {} if model == "tiny gemma" else {"target": TARGET}
    return opened(f"../../pages/{name}.py", **(asked | params))


def values(app, key):
    (chart,) = [one for one in app.get("plotly_chart") if one.key == f"shown.{key}.figure"]
    return {plain(trace["name"]): trace for trace in json.loads(chart.proto.spec)["data"]}


def rows(app):
    """The changes of the chosen layer, in order."""
    drawn = re.search(r'<table class="chain">.*?</table>', html(app))[0]
    return re.findall(r'<tr><th scope="row">([^<]*)</th>', drawn)


CHAINS = {
    ("tiny t5", "self"): ["attention", "cross-attention", "MLP"],
    ("tiny t5", "cross"): ["attention", "cross-attention", "MLP"],
    ("tiny t5", "encoder"): ["attention", "MLP"],
    ("tiny marian", "cross"): ["attention", "norm", "cross-attention", "norm", "MLP", "norm"],
    ("tiny marian", "encoder"): ["attention", "norm", "MLP", "norm"],
    ("tiny gemma", "self"): ["attention", "MLP"],
}


@pytest.mark.parametrize(("model", "site"), CHAINS)
def test_each_stack_has_its_chain_and_its_steps_add_up(model, site):
    app = page("block", model, **({} if site == "self" else {"site": site}))
    said = [name.replace("norm on the stream", "norm") for name in rows(app)]
    assert said == ["as it comes in", *CHAINS[model, site]]
    for sentence in ("from the step of the forward pass by", "forward pass’s output by"):
        difference = re.search(rf"{sentence} <b>([^<]*)</b>", html(app))
        assert float(difference[1].replace("−", "-")) < 1e-4
    assert not app.warning


def test_the_heads_of_cross_attention_look_at_the_source(folder):
    app = page("block", "tiny t5", site="cross")
    trace = load(folder / "tiny t5").run(SOURCE, target=TARGET).cross_attention(1)
    found = matrix(values(app, "block-wide")["values"])
    np.testing.assert_allclose(found[:-1], trace.weights[:, 3].numpy(), atol=1e-6)
    heads = matrix(values(app, "block-heads")["values"])
    np.testing.assert_allclose(heads, trace.head_outputs[:, 3].numpy(), atol=1e-5)


def test_what_a_sandwich_makes_is_normed_before_it_is_added(folder):
    app = page("block", "tiny gemma")
    layer = load(folder / "tiny gemma").run(SOURCE).attention(1)
    made = float(layer.output[3].norm())
    assert f"What attention makes is {made:#.4g} long; its norm leaves" in html(app)


def test_a_model_without_a_scale_is_held_against_one(folder):
    app = page("scaling", "tiny t5", site="cross")
    trace = load(folder / "tiny t5").run(SOURCE, target=TARGET).cross_attention(1)
    assert "As trained: q · k<" in html(app)
    assert f"What if scaled: q · k ÷ √{trace.config.d_head}" in html(app)
    scores = trace.scores[1].numpy().astype(float) * trace.config.d_head**-0.5
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = e / e.sum(axis=1, keepdims=True)
    found = matrix(values(app, "scaling-head-without")["values"])
    np.testing.assert_allclose(found, expected, atol=1e-5)
