"""Explore's numbers, recomputed in plain NumPy from the checkpoint's tensors and the residual stream."""

import re

import numpy as np
import pytest

from attention import Settings, masks
from tests.app.screen import checked, component, figure, html, markup, matrix, numbers, opened, packed, plain

TEXT = "The developer deployed the application because it was ready."
TOKENS = ["[CLS]", "the", "developer", "deployed", "the", "application", "because", "it", "was", "ready", ".",
          "[SEP]"]  # fmt: skip


class ByHand:
    """One head of MiniLM in NumPy float64, from raw tensors."""

    def __init__(self, minilm, layer, head, settings=Settings(), text=TEXT):
        run = minilm.run(text, settings=settings)
        tensors, name = minilm.checkpoint.tensors, f"encoder.layer.{layer}.attention"
        self.x = run.resid_pre[layer].numpy().astype(float)
        rows = slice(32 * head, 32 * head + 32)

        def linear(which):
            weight = tensors[f"{name}.self.{which}.weight"].numpy().astype(float)[rows]
            return self.x @ weight.T + tensors[f"{name}.self.{which}.bias"].numpy()[rows]

        self.q, self.k, self.v = (linear(which) for which in ("query", "key", "value"))
        self.scores = self.q @ self.k.T
        self.scaled = self.scores / np.sqrt(32)
        self.w_o = tensors[f"{name}.output.dense.weight"].numpy().astype(float)[:, rows]
        self.masked = self.scaled

    def causal(self):
        n = len(self.scaled)
        self.masked = np.where(np.tril(np.ones((n, n), bool)), self.scaled, -np.inf)
        return self

    @property
    def weights(self):
        e = np.exp(self.masked - self.masked.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


def test_the_cell_s_arithmetic_is_right(minilm):
    app, by_hand = opened(), ByHand(minilm, 4, 4)
    q, k, row = by_hand.q[7], by_hand.k[5], by_hand.scaled[7]
    e = np.exp(row - row.max())
    expected = [q @ k, q @ k / 32**0.5, row[5] - row.max(), e[5], e[5] / e.sum()]
    assert numbers(markup(app, "chain")) == pytest.approx(expected, abs=6e-4)
    assert f"÷ {e.sum():.3f} = " in markup(app, "chain")
    for name, expected in (("q[{}]", q), ("k[{}]", k), ("q[{0}] · k[{0}]", q * k)):
        shown = [titled(markup(app, "products"), name.format(at)) for at in range(32)]
        np.testing.assert_allclose(shown, expected, atol=6e-5)


def titled(text, name):
    """The one number that a picture gives on hover under this name."""
    (value,) = re.findall(rf"<title>{re.escape(name)} = (−?[\d.]+)</title>", text)
    return float(value.replace("−", "-"))


def test_the_values_taken_away_are_right(minilm):
    app, by_hand = opened(), ByHand(minilm, 4, 4)
    rows = re.findall(r'data-position="(\d+)" data-weight="([^"]+)" data-norm="([^"]+)"', markup(app, "mix"))
    assert len(rows) == 12
    for position, weight, norm in rows:
        alpha = by_hand.weights[7, int(position)]
        assert float(weight) == pytest.approx(alpha, abs=1e-6)
        assert float(norm) == pytest.approx(np.linalg.norm(alpha * by_hand.v[int(position)]), abs=1e-5)


def test_the_heatmap_holds_the_head_s_weights(minilm):
    shown = matrix(figure(opened())["weights"])
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


def extremes(matrix, group):
    """Of each group of columns the entry farthest from zero."""
    cells = matrix.reshape(len(matrix), -1, group)
    return np.take_along_axis(cells, np.abs(cells).argmax(axis=2)[..., None], axis=2)[..., 0]


def test_the_last_step_names_the_head_s_share_of_the_output(minilm):
    header, _ = packed(opened(), "steps")
    by_hand = ByHand(minilm, 4, 4)
    assert header["steps"][-1]["value"] == "14 % of output"
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


def test_a_causal_mask_is_a_recomputed_run(minilm):
    app = opened()
    app.toggle(key="control.causal").set_value(True)
    checked(app.run())
    settings = Settings(mask=masks.Causal())
    by_hand = ByHand(minilm, 4, 4, settings).causal()
    shown = matrix(figure(app)["weights"])
    upper = np.triu_indices(12, 1)
    assert np.isnan(shown[upper]).all()
    lower = np.tril_indices(12)
    np.testing.assert_allclose(shown[lower], by_hand.weights[lower], atol=2e-6)
    assert "causal mask in every layer" in html(app)
    before, after = minilm.run(TEXT).final.numpy(), minilm.run(TEXT, settings=settings).final.numpy()
    cosines = (before * after).sum(1) / np.linalg.norm(before, axis=1) / np.linalg.norm(after, axis=1)
    assert f"{(1 - cosines).max():.3f}" in html(app)


def test_a_head_that_is_off_is_said_and_put_back():
    app = opened(off="2-5.3-1", mask="causal")
    assert "causal mask in every layer · L2 H5 off · L3 H1 off" in html(app)
    changed = matrix(figure(app)["weights"])
    (back,) = [button for button in app.button if button.label == "Put everything back"]
    checked(back.click().run())
    assert "no mask" in html(app)
    assert "Put everything back" not in [button.label for button in app.button]
    assert not np.allclose(np.nan_to_num(changed), matrix(figure(app)["weights"]))
    assert "off" not in app.query_params


def test_each_mask_control_reaches_the_run():
    app = opened()
    app.toggle(key="control.window").set_value(True)
    checked(app.run())
    assert "window of 2 before, 2 after in every layer" in html(app)
    app.number_input(key="control.window_after").set_value(0)
    checked(app.run())
    assert "window of 2 before, 0 after" in html(app)
    app.number_input(key="control.prefix").set_value(3)
    app.multiselect(key="control.hidden").set_value([4, 0])
    checked(app.run())
    app.multiselect(key="control.mask_layers").set_value([0, 5])
    checked(app.run())
    assert "prefix of 3 open to all, [CLS] (0), the (4) hidden as keys in L0, L5" in html(app)
    (block,) = [button for button in app.button if button.label == "Block the chosen cell"]
    checked(block.click().run())
    assert "1 cell blocked" in html(app)
    assert app.query_params["mask"] in (
        "window:2:0+prefix:3+hide:0.4+block:7-5",
        ["window:2:0+prefix:3+hide:0.4+block:7-5"],
    )


def test_padding_adds_hidden_tokens_and_moves_nothing():
    app = opened(pad="15")
    header, _ = packed(app, "tokens")
    assert len(header["chips"]) == 15
    shown = matrix(figure(app)["weights"])
    assert np.isnan(shown[:, 12:]).all()
    moved = re.findall(r"</i><span>([\d.]+)</span>", html(app).split("moved each final vector")[1])
    assert {float(distance) for distance in moved} == {0.0}


def test_shuffled_parameters_are_another_model_and_say_so(minilm):
    app = opened(shuffled="0")
    assert "parameters shuffled (seed 0)" in html(app)
    expected = minilm.shuffled(0).run(TEXT).attention(4).weights[4].numpy()
    np.testing.assert_allclose(matrix(figure(app)["weights"]), expected, atol=1e-6)


@pytest.mark.parametrize("special", ["hide", "renormalise"])
def test_special_tokens_hidden_and_the_picture_says_how(minilm, special):
    app = opened(special=special)
    kept = ByHand(minilm, 4, 4).weights[1:-1, 1:-1]
    if special == "renormalise":
        kept = kept / kept.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(matrix(figure(app)["weights"]), kept, atol=2e-6)
    said = {"hide": "rows left as they are", "renormalise": "rows renormalised"}[special]
    (chart,) = app.get("plotly_chart")
    assert said in chart.proto.spec


def test_views_are_the_same_numbers(minilm):
    weights = ByHand(minilm, 4, 4).weights
    table = opened(view="table").dataframe[0].value
    np.testing.assert_allclose(table.to_numpy(), weights, atol=2e-6)
    assert list(table.index)[1] == "1 the"
    assert len(set(table.columns)) == 12
    _, arrays = packed(opened(view="lines"), "lines")
    np.testing.assert_allclose(arrays["weights"], weights, atol=2e-6)


def test_a_second_sentence_is_read_with_the_first():
    app = opened(s="The bank approved the loan.", pair="We sat beside the river bank.")
    chips = packed(app, "tokens")[0]["chips"]
    assert len(chips) == 16
    assert [chip["shown"] for chip in chips].count("SEP") == 2
    assert chips[2]["title"].endswith("\ncharacters 4–7")
    assert chips[13]["title"].endswith("\ncharacters 24–27 of the second sentence")


def test_an_example_is_one_click_away():
    app = opened(mask="causal", query="3")
    app.button(key="example-2").click()
    checked(app.run())
    assert app.text_input(key="control.text").value == "We sat beside the river bank."
    header, _ = packed(app, "tokens")
    assert header["chips"][header["query"]]["shown"] == "bank"
    assert "causal mask" in html(app)


def test_checks_are_on_the_screen():
    said = html(opened())
    assert re.search(r"rows sum to 1 within \de−7", said)
    assert re.search(r"forward pass and visible steps differ by \de−[67] at most", said)
    assert "float32 · minilm 1110a243" in said


def test_where_q_k_v_come_from_is_right(minilm):
    app, by_hand = opened(), ByHand(minilm, 4, 4)
    strongest = int(np.abs(by_hand.q[7]).argmax())
    assert f"entry {strongest} of q" in html(app)
    assert numbers(markup(app, "projection"))[-1] == pytest.approx(by_hand.q[7, strongest], abs=6e-4)


def test_bad_values_in_a_link_are_told_one_by_one():
    app = opened(layer="9", head="x", query="40", mask="casual", s="I learn")
    said = [plain(warning.value) for warning in app.warning]
    assert len(said) == 4
    assert "The link's head was ignored" in said[0]
    assert "The link's mask was ignored" in said[1]
    assert "no layer 9: the model has 6" in said[2]
    assert "no query at position 40: the sentence has 4 tokens" in said[3]
    assert app.text_input(key="control.text").value == "I learn"
    app.toggle(key="control.causal").set_value(True)
    assert not checked(app.run()).warning


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty|blank"),
        ("   ", "empty|blank"),
        ("a" * 1_000_000, "1,000,000"),
        ("\U0001f600 \U0001f680", "vocabulary|unknown|knows"),
        ("word " * 600, "602 tokens.*512|602.*at most 512"),
    ],
)
def test_bad_sentences_get_one_sentence_and_stay_in_the_box(text, said):
    app = opened()
    app.text_input(key="control.text").set_value(text)
    checked(app.run())
    assert len(app.error) == 1
    assert re.search(said, plain(app.error[0].value))
    assert app.text_input(key="control.text").value == text
    app.button(key="example-1").click()
    assert not checked(app.run()).error


def test_a_long_sentence_is_cut_only_when_asked():
    app = opened()
    app.text_input(key="control.text").set_value("word " * 600)
    checked(app.run())
    (cut,) = [button for button in app.button if button.label.startswith("Cut")]
    assert cut.label == "Cut to the first 512 tokens"
    checked(cut.click().run())
    assert not app.error
    assert app.text_input(key="control.text").value == ("word " * 510).strip()
    assert len(packed(app, "tokens")[0]["chips"]) == 512


@pytest.mark.parametrize("token", ["<script>", "</script>", "<b>", "&amp;", "$x$", "**b**"])
def test_markup_in_a_sentence_is_shown_as_itself(token):
    app = opened(s=f"{token} is {token} here")
    everything = html(app) + markup(app, "mix") + markup(app, "chain")
    assert "<script" not in everything
    assert "</script" not in everything
    pieces = [chip["shown"] for chip in packed(app, "tokens")[0]["chips"]]
    for piece in ("<", "&", "$", "*"):
        assert (piece in token) == (piece in pieces)


def test_control_characters_and_joiners_do_no_harm():
    app = opened(s="a\u200db \x07 c\u0000 d\u202e e")
    assert len(packed(app, "tokens")[0]["chips"]) >= 5


def test_without_network_and_cache_the_worked_example_opens_and_says_what_is_missing(monkeypatch):
    from attention import CheckpointError
    from attention.ui import cache

    def gone(*_, **__):
        raise CheckpointError("minilm is not here. Get it with: python -m attention fetch minilm")

    with monkeypatch.context() as patch:
        patch.setattr(cache, "model", gone)
        app = opened()
        assert "python -m attention fetch minilm" in app.warning[0].value
        assert "Worked example" in html(app) + " ".join(title.value for title in app.title)
    (again,) = [button for button in app.button if button.label == "Try again"]
    checked(again.click().run())
    assert not app.warning
    assert component(app, "sheet")


def test_the_toy_opens_in_explore_too():
    app = opened(model="worked-example", s="I learn", layer="0", head="0")
    shown = matrix(figure(app)["weights"])
    np.testing.assert_allclose(shown, [[0.670, 0.330], [0.330, 0.670]], atol=5e-4)


def test_changing_the_model_keeps_the_sentence():
    app = opened(s="I learn", mask="causal")
    app.selectbox(key="control.model").set_value("worked-example")
    checked(app.run())
    assert app.text_input(key="control.text").value == "I learn"
    assert "1 layers × 1 heads" in html(app) or "1 layer × 1 head" in html(app)


@pytest.mark.parametrize("pad", ["600", "3"])
def test_a_padding_that_does_not_fit_is_told_and_the_page_stays_whole(pad):
    app = opened(s="The bank approved the loan.", pad=pad)
    assert [plain(warning.value) for warning in app.warning] == [
        f"Padding to {pad} is not between the text's 8 tokens and the model's 512 positions."
    ]
    assert len(packed(app, "tokens")[0]["chips"]) == 8
    assert "pad" not in app.query_params


def test_a_model_without_a_padding_token_offers_none():
    app = opened(model="worked-example", s="I learn", layer="0", head="0", pad="4")
    assert "worked-example has no padding token" in plain(app.warning[0].value)
    assert "Pad to" not in [box.label for box in app.number_input]
    assert component(app, "sheet")


def test_a_link_cannot_speak_in_the_page_s_voice():
    app = opened(**{"range": "[a](http://e.io)", "zz**b**": "1"})
    for warning in app.warning:
        assert "](" not in warning.value
        assert "**" not in warning.value


def test_masked_keys_are_not_counted_among_those_that_share():
    said = re.sub("<[^>]+>", "", html(opened(mask="causal", query="2")))
    assert "In L4 H4, developer mixes mostly [CLS] 0.95. The other 2 tokens share 0.05." in said


def test_a_long_chain_of_rules_is_refused():
    app = opened(mask="+".join(["own"] * 400))
    assert "has 400 rules; at most 16 are read" in plain(app.warning[0].value)


def test_letting_go_of_a_hidden_key_leaves_no_change_behind():
    app = opened(mask="own+hide:3")
    app.text_input(key="control.text").set_value("I learn")
    checked(app.run())
    assert "no mask" in html(app)
    assert "Put everything back" not in [button.label for button in app.button]
    assert "mask" not in app.query_params


def test_nothing_is_told_of_what_no_link_asked_for():
    app = opened(s="I learn")
    app.selectbox(key="control.model").set_value("worked-example")
    checked(app.run())
    assert not app.warning
    assert app.query_params["layer"] in ("0", ["0"])


def test_every_token_s_way_is_there_when_the_list_shows_six():
    app = opened(mask="causal")
    (moved,) = [frame.value for frame in app.dataframe if "cosine distance" in frame.value]
    assert len(moved) == 12
    assert 0 <= moved["cosine distance"].min() < moved["cosine distance"].max() < 2


def test_lines_without_a_query_on_show_mark_none():
    header, _ = packed(opened(view="lines", special="hide", query="0", key="0"), "lines")
    assert (header["query"], header["key"]) == (None, None)


def test_many_heads_off_are_named_by_a_few():
    everything = ".".join(f"{layer}-{head}" for layer in range(6) for head in range(12))
    said = html(opened(off=everything))
    assert "L0 H0, L0 H1, L0 H2, L0 H3 and 68 more off" in said
    assert "L5 H11 off" not in said


def test_where_every_row_is_blind_no_places_are_listed():
    said = html(opened(s="I learn", mask="own+hide:0.1.2.3", query="1"))
    assert "sees nothing" in said
    assert "put their weight" not in said
