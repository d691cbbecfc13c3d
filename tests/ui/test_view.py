"""What the view asks of the engine, and what is taken out when it does not fit."""

import pytest

from attention import Settings, masks
from attention.engine.config import ModelConfig
from attention.ui.mask_controls import with_rule
from attention.ui.script import script
from attention.ui.view import ViewState, fit

SIZES = ModelConfig(
    family="toy",
    n_layers=6,
    n_heads=12,
    n_kv_heads=12,
    d_model=384,
    d_head=32,
    d_mlp=0,
    n_positions=512,
    d_vocab=9,
)


def test_rules_hold_together():
    view = ViewState(mask=(masks.Causal(), masks.Keys({1})), heads_off=frozenset({(2, 5)}))
    assert view.settings == Settings(mask=masks.Causal() & masks.Keys({1}), heads_off={(2, 5)})
    assert ViewState(mask_layers=frozenset({1})).settings == Settings()
    layers = ViewState(mask=(masks.Causal(),), mask_layers=frozenset({1})).settings
    assert layers == Settings(mask=masks.Causal(), mask_layers={1})


def test_putting_back_takes_away_every_change_and_nothing_else():
    changes = {"mask": (masks.Causal(),), "mask_layers": frozenset({1}), "pad": 20, "shuffled": 1}
    view = ViewState(**changes, heads_off=frozenset({(0, 0)}), layer=2, query=3, range="log")
    assert view.changed
    assert view.put_back() == ViewState(layer=2, query=3, range="log")
    assert not view.put_back().changed


def test_another_text_lets_go_of_single_positions_only():
    rules = (masks.Own(), masks.Window(1, 1), masks.Keys({1}), masks.Cells({(0, 1)}))
    view = ViewState(mask=rules, query=2, key=3, pad=9, layer=1)
    kept = ViewState(text="b", mask=(masks.Own(), masks.Window(1, 1)), layer=1)
    assert view.on_another_text(text="b") == kept


def test_what_fits_stays_as_it_is():
    view = ViewState(
        layer=5, head=11, query=7, key=0, heads_off=frozenset({(5, 11)}), mask=(masks.Keys({7}),)
    )
    assert fit(view, SIZES, 8) == (view, ())


@pytest.mark.parametrize(
    ("view", "fitted", "said"),
    [
        (ViewState(layer=6), ViewState(layer=5), "no layer 6: the model has 6 (layers 0–5)"),
        (ViewState(head=12), ViewState(head=11), "no head 12: the model has 12"),
        (ViewState(query=8), ViewState(), "no query at position 8: the sentence has 8 tokens"),
        (ViewState(key=9), ViewState(), "no key at position 9"),
        (
            ViewState(heads_off=frozenset({(6, 0), (0, 0)})),
            ViewState(heads_off=frozenset({(0, 0)})),
            "no L6 H0",
        ),
        (ViewState(mask_layers=frozenset({0, 9})), ViewState(), "beyond the model's 6"),
        (ViewState(mask=(masks.Keys({8}), masks.Causal())), ViewState(mask=(masks.Causal(),)), "Keys({8})"),
    ],
)
def test_what_does_not_fit_is_taken_out_and_told(view, fitted, said):
    result, told = fit(view, SIZES, 8)
    assert result == fitted
    assert len(told) == 1
    assert said in told[0]


def test_one_rule_is_set_and_taken_away_in_a_fixed_order():
    rules = with_rule((), masks.Keys, masks.Keys({1}))
    assert rules == (masks.Own(), masks.Keys({1}))
    rules = with_rule(rules, masks.Causal, masks.Causal())
    assert rules == (masks.Causal(), masks.Keys({1}))
    rules = with_rule(rules, masks.Window, masks.Window(2, 2))
    assert rules == (masks.Causal(), masks.Window(2, 2), masks.Keys({1}))
    rules = with_rule(with_rule(rules, masks.Causal, None), masks.Window, None)
    assert with_rule(rules, masks.Keys, None) == ()


@pytest.mark.parametrize(
    "view",
    [
        ViewState(layer=2, head=5),
        ViewState(text='He said "it\'s $5".\n', pair="x", layer=0, pad=20),
        ViewState(mask=(masks.Causal(), masks.Keys({4, 1})), mask_layers=frozenset({5, 0}), shuffled=3),
        ViewState(heads_off=frozenset({(2, 5), (0, 1)}), mask=(masks.Own(), masks.Cells({(1, 2)}))),
    ],
)
def test_the_script_is_three_lines_that_make_the_same_weights(view, minilm):
    lines = script(view)
    assert lines.count("\n") == 3
    scope = {}
    exec(lines, scope)
    model = minilm if view.shuffled is None else minilm.shuffled(view.shuffled)
    run = model.run(view.text, pair=view.pair, pad_to=view.pad, settings=view.settings)
    expected = run.attention(view.layer).head(view.head).weights[0]
    assert scope["weights"].equal(expected)


def test_the_script_of_an_untouched_view_is_plain():
    assert script(ViewState(text="I learn", layer=1, head=2)) == (
        "from attention import load\n"
        "run = load('minilm').run('I learn')\n"
        "weights = run.attention(1).head(2).weights[0]\n"
    )
