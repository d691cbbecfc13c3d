"""The tables of the smaller pictures, recomputed from the checkpoint's tensors and the residual stream."""

import numpy as np
import pytest

from tests.app.screen import checked, opened, unfolded

TEXT = "The developer deployed the application because it was ready."
NAME = "encoder.layer.4.attention.self"


def table(app, key, **choices):
    unfolded(app, key)
    for name, value in choices.items():
        app.selectbox(key=f"{key}.{name}").set_value(value)
        checked(app.run())
    return app.dataframe[0].value


@pytest.fixture(scope="module")
def by_hand(minilm):
    """x of the query, and W and b of one head of layer 4, in float64."""
    tensors, rows = minilm.checkpoint.tensors, slice(128, 160)
    part = {name: tensors[f"{NAME}.{name}"].numpy().astype(float)[rows] for name in
            ("query.weight", "query.bias", "key.weight", "key.bias")}  # fmt: skip
    return minilm.run(TEXT).resid_pre[4].numpy().astype(float), part


def test_the_learned_matrix_is_there_whole(by_hand):
    _, part = by_hand
    shown = table(unfolded(opened(), "projections"), "projection.table", matrix="W_K")
    np.testing.assert_allclose(shown.to_numpy(), part["key.weight"].T, atol=1e-6)
    assert (shown.index[383], shown.columns[31]) == ("x[383]", "31")


def test_an_entry_is_there_with_its_operands(by_hand):
    x, part = by_hand
    shown = table(unfolded(opened(**{"explore.entry": "9"}), "projections"), "projection.table")
    np.testing.assert_allclose(shown["x"][:384].astype(float), x[7], atol=1e-5)
    np.testing.assert_allclose(shown["W_Q"][:384].astype(float), part["query.weight"][9], atol=1e-6)
    assert shown["product"]["b"] == pytest.approx(part["query.bias"][9], abs=1e-6)
    assert shown["product"]["q[9]"] == pytest.approx(
        x[7] @ part["query.weight"][9] + part["query.bias"][9], abs=1e-4
    )


def test_products_add_up_to_the_score(by_hand):
    x, part = by_hand
    q = x[7] @ part["query.weight"].T + part["query.bias"]
    k = x[5] @ part["key.weight"].T + part["key.bias"]
    shown = table(opened(key="5"), "products.table")
    np.testing.assert_allclose(shown["q · k"][:32], q * k, atol=1e-4)
    assert shown["q · k"]["sum"] == pytest.approx(q @ k, abs=1e-3)


def test_the_shares_of_weight_are_the_head_s(minilm):
    weights = minilm.run(TEXT).attention(4).weights[4].numpy().astype(float)
    shown = table(opened(), "places.table")["mean weight of a row"]
    assert shown.sum() == pytest.approx(1, abs=1e-6)
    assert shown["itself"] == pytest.approx(np.trace(weights) / 12, abs=1e-6)
    assert shown["one before"] == pytest.approx(np.diagonal(weights, -1)[1:].sum() / 12, abs=1e-6)


def test_the_likeliest_tokens_are_there_before_and_after():
    app = opened(model="smollm2", s="The capital of France is", layer="3", head="2", off="3-2")
    shown = table(app, "next.table")
    assert list(shown.columns) == ["token", "id", "probability", "before your changes"]
    assert len(shown) == 10
    assert shown["probability"].is_monotonic_decreasing
