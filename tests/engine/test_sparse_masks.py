"""The sparse patterns against counts and rows made by hand, in strips, in blocks, in a real model."""

import itertools

import pytest
import torch

from attention import Settings, masks
from attention.engine.masks import (
    BlockLocal,
    Causal,
    Dilated,
    Fixed,
    Global,
    Own,
    Prefix,
    Random,
    Strided,
    Window,
    dense,
)
from attention.errors import InputError
from tests.mutants.sparse_masks import SPARSE

BIGBIRD = Window(1, 1) | Global({0, 1}) | Random(2, 12, 7, Window(1, 1) | Global({0, 1}))
CELLS_OF_TWELVE = {
    # From the papers' definitions, counted by independent code for N = 12
    "dilated two-sided": (Dilated(2, 2), 48),
    "dilated causal": (Causal() & Dilated(2, 2), 30),
    "Longformer": (Window(2, 2) | Global({0}), 72),
    "Longformer, two global": (Window(2, 2) | Global({0, 5}), 84),
    "BigBird": (BIGBIRD, 92),
    "block-local": (BlockLocal(4), 48),
    "block-local causal": (BlockLocal(4) & Causal(), 30),
    "prefix-LM": (Prefix(5), 88),
    "sink and window": (Causal() & (Window(3, 0) | Global({0})), 50),
    "strided": (Strided(4), 54),
    "fixed": (Fixed(4, 1), 42),
}
# Rows worked out by hand, as (query, the keys it sees), of twelve tokens.
ROWS = {
    "dilated two-sided": {5: {1, 3, 5, 7, 9}, 0: {0, 2, 4}, 11: {7, 9, 11}},
    "Longformer": {0: set(range(12)), 6: {0, 4, 5, 6, 7, 8}},
    "block-local": {3: {0, 1, 2, 3}, 4: {4, 5, 6, 7}},
    "sink and window": {0: {0}, 3: {0, 1, 2, 3}, 9: {0, 6, 7, 8, 9}},
    "strided": {9: {1, 5, 6, 7, 8, 9}, 4: {0, 1, 2, 3, 4}, 3: {0, 1, 2, 3}},
    "fixed": {9: {3, 7, 8, 9}, 3: {0, 1, 2, 3}, 4: {3, 4}},
}


def count_errors():
    return [name for name, (rule, cells) in CELLS_OF_TWELVE.items() if int(dense(rule, 12).sum()) != cells]


def row_errors():
    wrong = []
    for name, rows in ROWS.items():
        allowed = dense(CELLS_OF_TWELVE[name][0], 12)
        wrong += [
            (name, at) for at, keys in rows.items() if set(allowed[at].nonzero()[:, 0].tolist()) != keys
        ]
    return wrong


def link_errors():
    """What is wrong with BigBird's links: where they are drawn, and whether the seed counts."""
    base = Window(1, 1) | Global({0, 1})
    drawn = [dense(Random(2, 12, seed, base), 12) for seed in range(40)]
    ever = torch.stack(drawn).any(0)
    wrong = ["inside the base"] if any((links & dense(base, 12)).any() for links in drawn) else []
    wrong += ["a free key is never drawn"] if not torch.equal(ever, ~dense(base, 12)) else []
    wrong += ["seeds draw alike"] if len({tuple(links.flatten().tolist()) for links in drawn}) < 35 else []
    return wrong


@pytest.mark.parametrize("name", CELLS_OF_TWELVE)
def test_number_of_allowed_cells(name):
    rule, cells = CELLS_OF_TWELVE[name]
    assert int(dense(rule, 12).sum()) == cells


def test_rows_worked_out_by_hand():
    assert not row_errors()


def test_links_are_drawn_outside_the_rule_beside_anywhere_there_and_by_the_seed():
    assert not link_errors()


@pytest.mark.parametrize("name", SPARSE)
def test_a_mistake_is_caught(name, monkeypatch):
    SPARSE[name](monkeypatch)
    assert count_errors() or row_errors() or link_errors()


@pytest.mark.parametrize("name", CELLS_OF_TWELVE)
def test_a_block_is_that_part_of_the_whole(name):
    rule, _ = CELLS_OF_TWELVE[name]
    queries, keys = torch.arange(3, 8), torch.tensor([11, 4, 6])
    assert torch.equal(rule.allows(queries, keys), dense(rule, 12)[3:8][:, keys])


def test_every_query_draws_its_number_of_keys_or_all_that_are_free():
    assert dense(Random(3, 11), 7, 11).sum(1).tolist() == [3] * 7
    assert dense(Random(3, 4, beside=Window(0, 3)), 5, 4).sum(1).tolist() == [0, 1, 2, 3, 3]
    assert int(dense(Random(0, 5), 5).sum()) == 0
    assert int(dense(Random(2, 0), 5).sum()) == 0


def test_keys_beyond_those_drawn_from_are_never_linked():
    links = dense(Random(2, 4, 1), 9)
    assert links[:, :4].sum(1).tolist() == [2] * 9
    assert not links[:, 4:].any()


def test_links_beside_a_models_own_mask_are_drawn_when_the_model_is_known():
    rule = Own() | Random(1, 6, 2, Own())
    known = rule.resolve(Causal())
    assert known == Causal() | Random(1, 6, 2, Causal())
    assert dense(known, 6).sum(1).tolist() == [2, 3, 4, 5, 6, 6]


def test_a_pattern_of_one_step_or_one_block_is_what_it_should_be():
    assert torch.equal(dense(Dilated(3, 1), 9), dense(Window(3, 3), 9))
    assert dense(BlockLocal(9), 9).all()
    assert torch.equal(dense(BlockLocal(1), 9), torch.eye(9, dtype=torch.bool))
    assert torch.equal(dense(Strided(1), 9), dense(Causal(), 9))
    assert torch.equal(dense(Fixed(9, 1), 9), dense(Causal(), 9))
    assert torch.equal(dense(Strided(3), 9), dense(Causal() & (Window(2, 0) | Dilated(9, 3)), 9))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Dilated(-1, 2), "A dilated window takes reach from 0 up; got -1."),
        (lambda: Dilated(2, 0), "A dilated window takes step from 1 up; got 0."),
        (lambda: BlockLocal(0), "A mask of blocks takes size from 1 up; got 0."),
        (lambda: Random(-2, 5), "A mask of random links takes links from 0 up; got -2."),
        (lambda: Strided(0), "A strided mask takes stride from 1 up; got 0."),
        (lambda: Fixed(4, 0), "A fixed mask takes summaries from 1 up; got 0."),
        (
            lambda: Window(1, 1) | Global({3, 12}),
            "The mask names query 12, but the sequence has 12 positions",
        ),
        (lambda: Random(1, 14), "The mask names key 13, but the sequence has 12 positions"),
        (lambda: Random(1, 9, 0, Global({-1})), "The mask names query -1"),
    ],
)
def test_numbers_out_of_range_are_refused(make, message):
    with pytest.raises(InputError) as refused:
        make().check(12, 12)
    assert str(refused.value).startswith(message)


def test_rules_are_values_that_hash_and_read_as_python():
    rule = BIGBIRD & Strided(4) | Dilated(2, 3) & (BlockLocal(4) | Fixed(4, 1))
    again = eval(repr(rule), vars(masks))
    assert again == rule
    assert hash(again) == hash(rule)
    assert "Global({0, 1})" in repr(rule)


@pytest.mark.parametrize("name", CELLS_OF_TWELVE)
def test_in_a_model_the_forward_pass_equals_the_visible_steps_and_keeps_to_the_pattern(name, minilm):
    rule, cells = CELLS_OF_TWELVE[name]
    run = minilm.run(list(range(2000, 2012)), settings=Settings(mask=rule))
    untouched = minilm.run(list(range(2000, 2012)))
    assert (run.final - untouched.final).abs().max() > 0.01
    for layer in range(run.n_layers):
        trace = run.attention(layer)
        torch.testing.assert_close(trace.fused_output, trace.output, atol=2e-5, rtol=0)
        assert int((trace.weights > 0).any(0).sum()) == cells
        assert bool((trace.weights[:, ~dense(rule, 12)] == 0).all())


def test_no_two_patterns_are_the_same():
    pictures = [dense(rule, 12) for rule, _ in CELLS_OF_TWELVE.values()]
    assert not [pair for pair in itertools.combinations(pictures, 2) if torch.equal(*pair)]
