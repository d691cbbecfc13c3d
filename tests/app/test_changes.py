"""What the reader changes in Explore: a recomputed run, said in words, and put back."""

import re

import numpy as np
import pytest

from attention import Settings, masks
from tests.app.by_hand import TEXT, ByHand
from tests.app.screen import cells, checked, component, html, opened, packed, plain, unfolded


def test_changes_that_do_not_go_over_to_another_model_are_told_once():
    app = opened(mask="causal", off="2-5", s="I learn")
    app.selectbox(key="control.model").set_value("worked-example")
    app = checked(app.run())
    said = [plain(warning.value) for warning in app.warning]
    assert said[0] == "What was changed is put back: another model has heads, tokens and a mask of its own."
    assert not {"mask", "off"} & set(app.query_params)
    app.selectbox(key="control.model").set_value("minilm")
    assert not checked(app.run()).warning, "nothing had been changed"


def test_a_causal_mask_is_a_recomputed_run(minilm):
    app = opened()
    app.toggle(key="control.causal").set_value(True)
    checked(app.run())
    settings = Settings(mask=masks.Causal())
    by_hand = ByHand(minilm, 4, 4, settings).causal()
    shown = cells(app)
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
    changed = cells(app)
    (back,) = [button for button in app.button if button.label == "Put everything back"]
    checked(back.click().run())
    assert "no mask" in html(app)
    assert "Put everything back" not in [button.label for button in app.button]
    assert not np.allclose(np.nan_to_num(changed), cells(app))
    assert "off" not in app.query_params


def test_a_mask_that_a_link_brings_is_in_sight():
    app = opened(mask="own+hide:4")
    assert app.multiselect(key="control.hidden").value == [4]
    assert "control.hidden" not in [box.key for box in opened(mask="causal").multiselect]


def test_each_mask_control_reaches_the_run():
    app = opened()
    app.toggle(key="control.window").set_value(True)
    checked(app.run())
    assert "window of 2 before, 2 after in every layer" in html(app)
    app.number_input(key="control.window_after").set_value(0)
    checked(app.run())
    assert "window of 2 before, 0 after" in html(app)
    unfolded(app, "masks.more")
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


def test_the_side_of_a_window_that_another_mask_hides_waits_and_keeps_its_number():
    app = opened(mask="window:3:1")
    after = app.number_input(key="control.window_after")
    assert not after.disabled
    assert "has no effect" not in html(app)
    app.toggle(key="control.causal").set_value(True)
    checked(app.run())
    after = app.number_input(key="control.window_after")
    assert (after.disabled, after.value) == (True, 1)
    assert not app.number_input(key="control.window_before").disabled
    assert html(app).count("Another mask hides what comes after a token: “After” has no effect") == 1
    app.number_input(key="control.window_before").set_value(2)
    app.toggle(key="control.causal").set_value(False)
    checked(app.run())
    after = app.number_input(key="control.window_after")
    assert (after.disabled, after.value) == (False, 1)
    assert "window of 2 before, 1 after" in html(app)


@pytest.mark.weights
def test_a_window_does_not_make_a_model_see_ahead_that_never_does():
    app = opened(s="The capital of France is", model="smollm2")
    app.toggle(key="control.window").set_value(True)
    checked(app.run())
    assert "window of 2 before, 0 after" in html(app)
    assert not app.number_input(key="control.window_after").disabled  # it may be asked for: a what if


def test_a_prefix_leaves_something_ahead_so_that_the_window_keeps_both_sides():
    assert not opened(mask="window:3:1+prefix:2").number_input(key="control.window_after").disabled


def test_a_cell_that_is_masked_already_is_not_blocked_once_more():
    for mask, key, said in (
        ("causal", "9", "it → ready is masked already: there is nothing to block."),
        ("own+hide:9", "9", "it → ready is masked already: there is nothing to block."),
        ("own+block:7-9", "9", "it → ready is masked already: there is nothing to block."),
        ("causal", "5", "it → application may be blocked."),
    ):
        app = unfolded(opened(mask=mask, query="7", key=key), "masks.more")
        (block,) = [button for button in app.button if button.label == "Block the chosen cell"]
        told = re.sub("<[^>]*>", "", re.search(r"data-cell>(.*?)</div>", html(app))[1])
        assert told == said
        assert block.disabled == ("nothing to block" in said)


def test_a_cell_masked_in_this_layer_alone_may_still_be_blocked_in_others():
    """The causal mask is in L0 alone, and so would be the blocked cell; L4, which is shown, has neither."""
    app = unfolded(opened(mask="causal", layers="0", query="7", key="9", layer="4"), "masks.more")
    assert "is masked already" in html(app)
    app = unfolded(opened(mask="own", layers="0", query="7", key="9", layer="4"), "masks.more")
    assert "may be blocked" in html(app)


def test_padding_adds_hidden_tokens_and_moves_nothing():
    app = opened(pad="15")
    header, _ = packed(app, "tokens")
    assert len(header["chips"]) == 15
    shown = cells(app)
    assert np.isnan(shown[:, 12:]).all()
    moved = re.findall(r"</i><span>([\d.]+)</span>", html(app).split("moved each final vector")[1])
    assert {float(distance) for distance in moved} == {0.0}


def test_shuffled_parameters_are_another_model_and_say_so(minilm):
    app = opened(shuffled="0")
    assert "parameters shuffled (seed 0)" in html(app)
    expected = minilm.shuffled(0).run(TEXT).attention(4).weights[4].numpy()
    np.testing.assert_allclose(cells(app), expected, atol=1e-6)


@pytest.mark.parametrize("pad", ["600", "3"])
def test_a_padding_that_does_not_fit_is_told_and_the_page_stays_whole(pad):
    app = opened(s="The bank approved the loan.", pad=pad)
    assert [plain(warning.value) for warning in app.warning] == [
        f"Padding to {pad} is not between the text's 8 tokens and the model's 512 positions."
    ]
    assert len(packed(app, "tokens")[0]["chips"]) == 8
    app.selectbox(key="control.layer").set_value(1)
    assert not checked(app.run()).warning
    assert "pad" not in app.query_params


def test_a_model_without_a_padding_token_offers_none():
    app = opened(model="worked-example", s="I learn", layer="0", head="0", pad="4")
    assert "worked-example has no padding token" in plain(app.warning[0].value)
    unfolded(app, "masks.more")
    assert "Pad to" not in [box.label for box in app.number_input]
    assert component(app, "sheet")


def test_masked_keys_are_not_counted_among_those_that_share():
    said = re.sub("<[^>]+>", "", html(opened(mask="causal", query="2")))
    assert "In L4 H4, developer mixes mostly [CLS] 0.95. The other 2 tokens share 0.05." in said


def test_letting_go_of_a_hidden_key_leaves_no_change_behind():
    app = opened(mask="own+hide:3")
    app.text_input(key="control.text").set_value("I learn")
    checked(app.run())
    assert "no mask" in html(app)
    assert "Put everything back" not in [button.label for button in app.button]
    assert "mask" not in app.query_params


def test_every_token_s_way_is_there_when_the_list_shows_six():
    app = unfolded(opened(mask="causal"), "moved.table")
    (moved,) = [frame.value for frame in app.dataframe if "cosine distance" in frame.value]
    assert len(moved) == 12
    assert 0 <= moved["cosine distance"].min() < moved["cosine distance"].max() < 2


def test_many_heads_off_are_named_by_a_few():
    everything = ".".join(f"{layer}-{head}" for layer in range(6) for head in range(12))
    said = html(opened(off=everything))
    assert "L0 H0, L0 H1, L0 H2, L0 H3 and 68 more off" in said
    assert "L5 H11 off" not in said


def test_where_every_row_is_blind_no_places_are_listed():
    said = html(opened(s="I learn", mask="own+hide:0.1.2.3", query="1"))
    assert "sees nothing" in said
    assert "put their weight" not in said
