"""Explore's numbers, recomputed in plain NumPy from the checkpoint's tensors and the residual stream."""

import re

import numpy as np
import pytest

from attention import Settings, masks
from tests.app.by_hand import TEXT, ByHand, extremes, titled
from tests.app.screen import cells, checked, html, markup, numbers, opened, packed, unfolded


def test_the_cell_s_arithmetic_is_right(minilm):
    app, by_hand = opened(), ByHand(minilm, 4, 4)
    q, k, row = by_hand.q[7], by_hand.k[5], by_hand.scaled[7]
    e = np.exp(row - row.max())
    expected = [q @ k, q @ k / 32**0.5, row[5] - row.max(), e[5], e[5] / e.sum()]
    assert numbers(markup(app, "products")) == pytest.approx(expected, abs=6e-4)
    assert f"÷ {e.sum():.3f} = " in markup(app, "products")
    for name, expected in (("q[{}]", q), ("k[{}]", k), ("q[{0}] · k[{0}]", q * k)):
        shown = [titled(markup(app, "products"), name.format(at)) for at in range(32)]
        np.testing.assert_allclose(shown, expected, atol=6e-5)


def test_the_values_taken_away_are_right(minilm):
    app, by_hand = opened(), ByHand(minilm, 4, 4)
    rows = re.findall(r'data-position="(\d+)" data-weight="([^"]+)" data-norm="([^"]+)"', markup(app, "mix"))
    assert len(rows) == 12
    for position, weight, norm in rows:
        alpha = by_hand.weights[7, int(position)]
        assert float(weight) == pytest.approx(alpha, abs=1e-6)
        assert float(norm) == pytest.approx(np.linalg.norm(alpha * by_hand.v[int(position)]), abs=1e-5)


def test_the_heatmap_holds_the_head_s_weights(minilm):
    shown = cells(opened())
    np.testing.assert_allclose(shown, ByHand(minilm, 4, 4).weights, atol=2e-6)


def test_the_seven_steps_hold_the_head_s_matrices(minilm):
    header, arrays = packed(opened(mask="causal"), "steps")
    by_hand = ByHand(minilm, 4, 4, Settings(mask=masks.Causal())).causal()
    mix = by_hand.weights @ by_hand.v
    expected = {
        "Input": [extremes(by_hand.x, 8)],
        "Queries, keys, values": [by_hand.q, by_hand.k, by_hand.v],
        "Scores": [by_hand.scores],
        "Scaled": [by_hand.scaled],
        "Masked": [by_hand.masked],
        "Weights": [by_hand.weights],
        "Weighted sum": [mix, extremes(mix @ by_hand.w_o.T, 8)],
    }
    assert [step["name"] for step in header["steps"]] == list(expected)
    assert np.isneginf(by_hand.masked).sum() == 66
    for step in header["steps"]:
        found = [arrays[part["array"]] for part in step["matrices"]]
        for shown, wanted in zip(found, expected[step["name"]], strict=True):
            np.testing.assert_allclose(shown, wanted, atol=2e-4, err_msg=step["name"])


def test_the_last_step_names_the_head_s_share_of_the_output(minilm):
    header, _ = packed(opened(), "steps")
    by_hand = ByHand(minilm, 4, 4)
    assert header["steps"][-1]["value"] == "14 % of the layer"
    assert "14 %: this head’s share of what the layer’s attention adds" in header["steps"][-1]["sentence"]
    contribution = by_hand.weights @ by_hand.v @ by_hand.w_o.T
    output = minilm.run(TEXT).attention(4).output.numpy()
    assert round(100 * contribution[7] @ output[7] / (output[7] @ output[7])) == 14


def test_the_sheet_holds_every_head(minilm):
    _, arrays = packed(opened(), "sheet")
    (shades,) = arrays.values()
    assert shades.shape == (6, 12, 12, 12)
    for layer, head in ((0, 2), (3, 7), (5, 11)):
        expected = np.rint(ByHand(minilm, layer, head).weights ** 0.7 * 255)
        assert np.abs(shades[layer, head].astype(int) - expected).max() <= 1


def test_the_sentence_says_what_the_row_holds():
    said = re.sub("<[^>]+>", "", html(opened()))
    assert "In L4 H4, it mixes mostly application 0.37, developer 0.24, deployed 0.15." in said
    assert "The other 9 tokens share 0.24." in said


@pytest.mark.parametrize("special", ["hide", "renormalise"])
def test_special_tokens_hidden_and_the_picture_says_how(minilm, special):
    app = opened(special=special)
    kept = ByHand(minilm, 4, 4).weights[1:-1, 1:-1]
    if special == "renormalise":
        kept = kept / kept.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(cells(app), kept, atol=2e-6)
    said = {"hide": "rows left as they are", "renormalise": "rows renormalised"}[special]
    assert packed(app, "heatmap")[0]["notes"] == [f"special tokens hidden, {said}"]


def test_views_are_the_same_numbers(minilm):
    weights = ByHand(minilm, 4, 4).weights
    table = opened(view="table").dataframe[0].value
    np.testing.assert_allclose(table.to_numpy(), weights, atol=2e-6)
    assert list(table.index)[1] == "1 the"
    assert len(set(table.columns)) == 12
    _, arrays = packed(opened(view="lines", **{"lines.mass": "100"}), "lines")
    drawn = np.zeros_like(weights)
    drawn[tuple(arrays["lines"][:, 1:3].astype(int).T)] = arrays["lines"][:, 3]
    np.testing.assert_allclose(drawn, weights, atol=2e-6)


def test_a_second_sentence_is_read_with_the_first():
    app = opened(s="The bank approved the loan.", pair="We sat beside the river bank.")
    chips = packed(app, "tokens")[0]["chips"]
    assert len(chips) == 16
    assert [chip["shown"] for chip in chips].count("SEP") == 2
    assert chips[2]["title"].endswith("\ncharacters 4–7")
    assert chips[13]["title"].endswith("\ncharacters 24–27 of the second sentence")


def test_checks_are_on_the_screen():
    said = html(opened())
    assert re.search(r"rows sum to 1 within \de−7", said)
    assert re.search(r"forward pass and visible steps differ by \de−[67] at most", said)
    assert "float32 · minilm 1110a243" in said


def test_where_q_k_v_come_from_is_right(minilm):
    app, by_hand = unfolded(opened(), "projections"), ByHand(minilm, 4, 4)
    strongest = int(np.abs(by_hand.q[7]).argmax())
    assert f"entry {strongest} of q" in html(app)
    assert numbers(markup(app, "projection"))[-1] == pytest.approx(by_hand.q[7, strongest], abs=6e-4)


def test_the_toy_opens_in_explore_too():
    app = opened(model="worked-example", s="I learn", layer="0", head="0")
    shown = cells(app)
    np.testing.assert_allclose(shown, [[0.670, 0.330], [0.330, 0.670]], atol=5e-4)


def test_changing_the_model_keeps_the_sentence():
    app = opened(s="I learn", mask="causal")
    app.selectbox(key="control.model").set_value("worked-example")
    checked(app.run())
    assert app.text_input(key="control.text").value == "I learn"
    assert "1 layers × 1 heads" in html(app) or "1 layer × 1 head" in html(app)


def test_lines_without_a_query_on_show_mark_none():
    header, _ = packed(opened(view="lines", special="hide", query="0", key="0"), "lines")
    assert (header["query"], header["key"]) == (None, None)


def test_where_a_layer_adds_nothing_there_is_no_share():
    """The worked example has no b_o: with its heads off the output is 0, and 0 % would be a number."""
    header, _ = packed(opened(model="worked-example", s="I learn", layer="0", head="0", off="0-0"), "steps")
    assert header["steps"][-1]["value"] == "no share"


def test_a_faint_picture_offers_the_scale_on_which_it_is_seen():
    app = opened(layer="3", head="7", s=" ".join(f"word number {i}" for i in range(30)))
    weights = cells(app)
    assert np.mean(weights < 0.04) >= 0.95
    (offer,) = [button for button in app.button if button.key == "faint"]
    assert offer.label == "Most weights here are below 0.04 and look blank: colour by log"
    app = checked(offer.click().run())
    assert app.query_params["range"] in ("log", ["log"])
    assert not [button for button in app.button if button.key == "faint"]
    shades = packed(app, "heatmap")[1]["shades"].astype(float)
    np.testing.assert_allclose(shades, np.rint(255 * (1 + np.log10(np.clip(weights, 1e-4, 1)) / 4)), atol=1)


def test_a_picture_that_is_seen_offers_nothing():
    app = opened()
    assert not [button for button in app.button if button.key == "faint"]
