"""The Heads page for encoder–decoders and for layers of two reaches: which attention it measures."""

import json

import numpy as np
import pytest

from attention import load
from tests.app.screen import html, matrix, opened, packed
from tests.app.translators import SOURCE, TARGET, write

NAMES = ("tiny t5", "tiny gemma")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    for name in NAMES:
        write(place, name)
    return place


@pytest.fixture(autouse=True)
def _named(folder, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(folder))


def page(model, **params):
    asked = {"s": SOURCE, "model": model, "layer": "1", "head": "1"}
    asked |= {"target": TARGET} if model == "tiny t5" else {}
    return opened("../../pages/heads.py", **(asked | params))


def grid(app, name):
    (chart,) = [one for one in app.get("plotly_chart") if one.key == f"shown.heads-{name}.figure"]
    (values,) = [trace for trace in json.loads(chart.proto.spec)["data"] if trace["name"] == "values"]
    return np.nan_to_num(matrix(values))


@pytest.mark.parametrize(
    ("site", "stack"), [("self", "decoder"), ("encoder", "encoder"), ("cross", "decoder")]
)
def test_of_an_encoder_decoder_the_attention_of_one_text_to_itself_is_measured(folder, site, stack):
    app, run = page("tiny t5", site=site), load(folder / "tiny t5").run(SOURCE, target=TARGET)
    of = run.encoder if stack == "encoder" else run
    np.testing.assert_allclose(grid(app, "weights"), of.attention(1).weights[1].numpy(), atol=2e-6)
    assert f"{of.n_layers} × {of.n_heads} heads · {len(of.tokens)} tokens" in html(app)
    assert ("Cross-attention looks at another text" in html(app)) == (site == "cross")


def test_a_layer_that_sees_less_far_counts_its_own_rows_and_has_its_own_even_head(folder):
    app = page("tiny gemma", **{"heads.measure": "distance"})
    run = load(folder / "tiny gemma").run(SOURCE)
    words, _ = packed(app, "heads-sheet")
    evens = []
    for layer in range(run.n_layers):
        mask = run.attention(layer).mask.numpy()
        rows, keys = np.indices(mask.shape)
        evens.append(((abs(rows - keys) * mask).sum(1) / mask.sum(1)).mean())
        for note in words["notes"][layer]:
            said = float(note.split("even weights: ")[1].rstrip(")"))
            assert said == pytest.approx(evens[-1], rel=1e-3)
    assert len({round(even, 6) for even in evens}) > 1  # local and global layers
