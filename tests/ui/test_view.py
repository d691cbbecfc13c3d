"""What the view asks of the engine, and what is taken out when it does not fit."""

import pytest

from attention import Settings, masks
from attention.ui.fitting import Room, fit, misplaced
from attention.ui.mask_rules import with_rule
from attention.ui.script import script
from attention.ui.view import Changes, ViewState

ALONE = {"self": Room(6, 12, 8, 8, 5, 11)}
EVERY = {
    "self": Room(6, 5, 4, 4, 5, 11),
    "cross": Room(6, 5, 4, 7, 5, 11),
    "encoder": Room(3, 2, 7, 7, 5, 11),
}


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
    assert fit(view, ALONE) == (view, ())


@pytest.mark.parametrize(
    ("view", "fitted", "said"),
    [
        (ViewState(query=8), ViewState(), "no query at position 8: the sentence has 8 tokens"),
        (ViewState(key=9), ViewState(), "no key at position 9"),
        (
            ViewState(heads_off=frozenset({(6, 0), (0, 0)})),
            ViewState(heads_off=frozenset({(0, 0)})),
            "no L6 H0",
        ),
        (ViewState(mask_layers=frozenset({0, 9})), ViewState(), "beyond the model's 6"),
        (ViewState(mask=(masks.Keys({8}), masks.Causal())), ViewState(mask=(masks.Causal(),)), "hide:8"),
    ],
)
def test_what_does_not_fit_is_taken_out_and_told(view, fitted, said):
    result, told = fit(view, ALONE)
    assert result == fitted
    assert len(told) == 1
    assert said in told[0]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("layer head", ("layer 6: the model has 6 (layers 0–5)", "head 12: the model has 12 (heads 0–11)")),
        ("s head", ("head 12: the model has 12 (heads 0–11)",)),
        ("s", ()),
    ],
)
def test_another_layer_or_head_is_told_where_the_link_names_it(named, said):
    view = ViewState(layer=6, head=12)
    result, told = fit(view, ALONE)
    assert (result, told) == (ViewState(layer=5, head=11), ())
    assert misplaced(view, result, named.split()) == tuple(f"There is no {one}." for one in said)


OFF = frozenset({(2, 1)})


def test_each_kind_of_attention_keeps_its_own_changes():
    view = ViewState(mask=(masks.Causal(),), heads_off=OFF, query=3, key=2)
    across = view.at("cross")
    assert (across.mask, across.heads_off, across.query, across.key) == ((), frozenset(), 3, None)
    assert across.elsewhere == (("self", Changes(mask=(masks.Causal(),), heads_off=OFF)),)
    hidden = across.changed_to(Changes(mask=(masks.Own(), masks.Keys({1}))))
    assert hidden.settings == Settings(
        mask=masks.Causal(), heads_off=OFF, cross=Settings(mask=masks.Own() & masks.Keys({1}))
    )
    encoder = hidden.at("encoder")
    assert encoder.query is None
    assert [site for site, _ in encoder.elsewhere] == ["self", "cross"]
    assert encoder.settings == hidden.settings
    assert encoder.at("self") == ViewState(
        mask=(masks.Causal(),), heads_off=OFF, elsewhere=(("cross", hidden.changes),)
    )
    assert encoder.put_back() == ViewState(site="encoder")


def test_another_text_lets_go_of_single_positions_elsewhere_too():
    view = ViewState(mask=(masks.Keys({1}),), heads_off=OFF, site="cross").at("encoder")
    view = view.changed_to(Changes(mask=(masks.Keys({2}),))).at("self")
    assert view.on_another_text().elsewhere == (("cross", Changes(heads_off=OFF)),)


@pytest.mark.parametrize(
    ("view", "fitted", "said"),
    [
        (
            ViewState(mask=(masks.Keys({6}),), site="cross"),
            ViewState(mask=(masks.Keys({6}),), site="cross"),
            "",
        ),
        (ViewState(mask=(masks.Keys({7}),), site="cross"), ViewState(site="cross"), "4 queries and 7 keys"),
        (ViewState(mask=(masks.Cells({(4, 6)}),), site="cross"), ViewState(site="cross"), "4 queries"),
        (ViewState(key=6, site="cross"), ViewState(key=6, site="cross"), ""),
        (ViewState(query=6, site="cross"), ViewState(site="cross"), "no query at position 6"),
        (
            ViewState(elsewhere=(("encoder", Changes(heads_off=frozenset({(2, 1), (3, 0)}))),)),
            ViewState(elsewhere=(("encoder", Changes(heads_off=OFF)),)),
            "no L3 H0",
        ),
    ],
)
def test_each_kind_of_attention_has_room_of_its_own(view, fitted, said):
    result, told = fit(view, EVERY)
    assert result == fitted
    assert [said in sentence for sentence in told] == ([True] if said else [])


@pytest.mark.parametrize(
    ("vector", "entry", "said"),
    [
        ("query", 4, ""),
        ("query", 5, "no entry 5 of the query: it has 5 (0–4)"),
        ("value", 10, ""),
        ("value", 11, "no entry 11"),
    ],
)
def test_an_entry_is_one_of_its_vector_s(vector, entry, said):
    result, told = fit(ViewState(layer=0, head=0, vector=vector, entry=entry), ALONE)
    assert result.entry == (None if said else entry)
    assert [said in sentence for sentence in told] == ([True] if said else [])


def test_a_kind_of_attention_that_is_not_there_is_told_and_its_changes_go():
    view = ViewState(site="cross", heads_off=OFF, elsewhere=(("self", Changes(mask=(masks.Causal(),))),))
    result, told = fit(view, ALONE)
    assert result == ViewState(mask=(masks.Causal(),))
    assert told == ("This model has no cross-attention; what a link says of it was ignored.",)
    assert fit(ViewState(elsewhere=(("encoder", Changes(heads_off=OFF)),)), ALONE)[0] == ViewState()


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


@pytest.mark.parametrize(
    ("view", "line"),
    [
        (ViewState(site="cross", layer=1, head=2), "run.cross_attention(1).head(2)"),
        (ViewState(site="encoder", layer=0, head=3), "run.encoder.attention(0).head(3)"),
    ],
)
def test_the_script_names_the_kind_of_attention(view, line):
    assert f"weights = {line}.weights[0]\n" in script(view)


def test_the_script_changes_after_the_model_has_written():
    view = ViewState(text="a", mask=(masks.Own(), masks.Keys({1})), site="cross").at("encoder")
    asked = "Settings(cross=Settings(mask=(masks.Own() & masks.Keys({1}))))"
    assert f".run('a').again({asked})\n" in script(view, writes=True)
    typed = ViewState(text="a", target="b", heads_off=OFF, site="encoder")
    asked = "Settings(encoder=Settings(heads_off={(2, 1)}))"
    assert f".run('a', target='b', settings={asked})\n" in script(typed)


def test_the_script_of_an_untouched_view_is_plain():
    assert script(ViewState(text="I learn", layer=1, head=2)) == (
        "from attention import load\n"
        "run = load('minilm').run('I learn')\n"
        "weights = run.attention(1).head(2).weights[0]\n"
    )
