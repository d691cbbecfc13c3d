"""The seven steps on the page: their colours' range, heads that are off, their tables."""

import numpy as np
import pytest

from attention import load
from tests.app.screen import markup, opened, packed
from tests.app.translators import SOURCE, write


def step(app, name):
    header, arrays = packed(app, "steps")
    (found,) = [step for step in header["steps"] if step["name"] == name]
    return found, [arrays[matrix["array"]] for matrix in found["matrices"]]


@pytest.mark.parametrize("special", ["show", "hide", "renormalise"])
def test_the_colours_of_the_weights_reach_to_the_largest_that_the_strip_holds(special):
    found, (weights,) = step(opened(layer="2", head="0", range="head", special=special), "Weights")
    assert found["matrices"][0]["limit"] == pytest.approx(weights.max())
    assert found["shape"].endswith(f"0 to {weights.max():.2g}")


def test_a_fixed_range_reaches_to_one():
    assert step(opened(layer="2", head="0", range="fixed"), "Weights")[0]["matrices"][0]["limit"] == 1


def test_a_head_that_is_off_adds_up_on_the_screen():
    app = opened(off="4-4")
    found, (z, through) = step(app, "Weighted sum")
    assert found["formula"] == "Z = 0 · AV"
    assert "This head is off" in found["sentence"]
    assert not z.any()
    assert not through.any()
    said = markup(app, "mix")
    norm = np.linalg.norm(step(app, "Weights")[1][0][7] @ values(app))
    assert f">{norm:.3f}</td></tr><tr" in said
    assert "head off" in said
    assert "head off" not in markup(opened(off="4-5"), "mix")


def values(app):
    return step(app, "Queries, keys, values")[1][2]


def test_rotation_is_said_of_queries_and_keys_and_not_of_values(tmp_path, monkeypatch):
    write(tmp_path, "tiny gemma")
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    app = opened(model="tiny gemma", s=SOURCE, layer="1", head="1", query="3", key="2")
    found, (_, keys, v) = step(app, "Queries, keys, values")
    assert found["formula"] == "XW, Q and K normed, turned"
    assert "values are not" in found["sentence"]
    trace = load(tmp_path / "tiny gemma").run(SOURCE).attention(1)
    x = trace.query_input.numpy()
    n_heads, n_kv_heads = trace.config.n_heads, trace.config.n_kv_heads
    group = 1 // (n_heads // n_kv_heads)
    np.testing.assert_allclose(v, x @ trace.params.w_v[group].numpy(), atol=1e-5)
    assert abs(keys - x @ trace.params.w_k[group].numpy()).max() > 0.01
    plain, _ = step(opened(), "Queries, keys, values")
    assert plain["formula"] == "XW + b"
    assert "values are not" not in plain["sentence"]
