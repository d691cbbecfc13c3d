"""One query by dimension, and the light of the sentence: read off the page and reckoned again."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from tests.app.screen import checked, html, markup, opened, packed

TEXT = "The developer deployed the application because it was ready."


def projected(run, layer, head, side):
    params, x = run.attention(layer).params, run.resid_pre[layer].numpy().astype(np.float64)
    matrix, bias = (getattr(params, f"{kind}_{side}")[head].numpy().astype(np.float64) for kind in "wb")
    return x @ matrix + bias


def softmax(scores):
    raw = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return raw / raw.sum(axis=-1, keepdims=True)


def rows(app):
    table = ET.fromstring(markup(app, "neurons"))
    return [row for row in table.iter("tr") if "data-row" in row.attrib]


def number(text):
    return float(text.replace("−", "-"))


def columns(app):
    """The numbers of every row: raw score, scaled score, weight, length."""
    found = [[cell.text for cell in row.findall("td") if cell.get("class") != "vector"] for row in rows(app)]
    return np.array([[number(text) for text in row] for row in found]).T


def test_every_number_is_the_arithmetic_of_parameters_and_stream(minilm):
    run = minilm.run(TEXT)
    q, k, v = (projected(run, 4, 4, side) for side in "qkv")
    raw, scaled, weight, length = columns(opened(view="neurons", query="7", layer="4", head="4"))
    products = q[7] * k
    np.testing.assert_allclose(raw, products.sum(axis=1), atol=6e-4)
    np.testing.assert_allclose(scaled, products.sum(axis=1) / np.sqrt(32), atol=6e-4)
    alpha = softmax(q[7] @ k.T / np.sqrt(32))
    np.testing.assert_allclose(weight, alpha, atol=6e-4)
    np.testing.assert_allclose(length, alpha * np.linalg.norm(v, axis=1), atol=6e-4)


def test_every_product_is_said_in_its_cell(minilm):
    run = minilm.run(TEXT)
    q, k = (projected(run, 4, 4, side) for side in "qk")
    app = opened(view="neurons", query="7", layer="4", head="4")
    said = [[number(title.text.rpartition(" = ")[2]) for title in row.iter("title")] for row in rows(app)]
    np.testing.assert_allclose(said, q[7] * k, atol=6e-5 + 2e-5 * np.abs(q[7] * k).max())


def test_masked_keys_keep_their_scores_and_lose_their_weight():
    table = rows(opened(view="neurons", query="7", mask="causal"))
    assert [row.get("class").endswith("closed") for row in table] == [False] * 8 + [True] * 4
    assert [row.findall("td")[3].text for row in table[8:]] == ["masked"] * 4


def test_the_table_holds_every_product(minilm):
    app = opened(view="neurons", query="7", layer="4", head="4")
    app.session_state["neurons.table"] = True
    frame = checked(app.run()).dataframe[0].value
    q, k = (projected(minilm.run(TEXT), 4, 4, side) for side in "qk")
    np.testing.assert_allclose(frame.filter(like="q·k [").to_numpy(), q[7] * k, atol=1e-3)
    np.testing.assert_allclose(frame["raw score"], q[7] @ k.T, atol=1e-3)
    assert frame.index[5] == "5 application"


def test_tokens_hidden_in_the_picture_are_hidden_here_and_weights_stay_the_model_s():
    shown = columns(opened(view="neurons", query="7", special="renormalise"))
    every = columns(opened(view="neurons", query="7"))
    np.testing.assert_array_equal(shown, every[:, 1:-1])


@pytest.mark.parametrize("mask", ["full", "causal"])
def test_what_a_key_receives_is_the_mean_over_those_who_may_see_it(minilm, mask):
    header, arrays = packed(opened(strip="receives", layer="4", head="4", mask=mask), "tokens")
    q, k = (projected(minilm.run(TEXT), 0, 4, side) for side in "qk")
    assert (header["light"], header["rows"], arrays["weights"].shape) == ("receives", "one", (12,))
    _, arrays = packed(opened(strip="receives", layer="0", head="4", mask=mask), "tokens")
    open_ = np.ones((12, 12), bool) if mask == "full" else np.tril(np.ones((12, 12), bool))
    weights = softmax(np.where(open_, q @ k.T / np.sqrt(32), -np.inf))
    np.testing.assert_allclose(arrays["weights"], weights.sum(axis=0) / open_.sum(axis=0), atol=5e-6)
    assert arrays["allowed"].all()


def test_padding_does_not_count_as_a_reader_and_what_nobody_may_see_is_masked():
    _, arrays = packed(opened(strip="receives", pad="15"), "tokens")
    _, plain = packed(opened(strip="receives"), "tokens")
    np.testing.assert_allclose(arrays["weights"][:12], plain["weights"], atol=5e-6)
    assert arrays["allowed"].tolist() == [1] * 12 + [0] * 3


def test_the_page_says_what_lights_the_sentence():
    app = opened(layer="4", head="4")
    assert "receives" not in html(app)
    (box,) = [box for box in app.selectbox if box.label == "Shaded by what"]
    box.set_value("receives").run()
    assert "Shaded by what each token <b>receives</b> in L4 H4" in html(checked(app))
