"""Mask rules against hand-made matrices, and what a rule refuses."""

import subprocess
import sys

import pytest
import torch

from attention.engine.masks import And, Causal, Cells, Full, Keys, Own, Prefix, Window, dense
from attention.errors import InputError

CELLS_OF_TWELVE = {
    # science.md's counts for N = 12
    Full(): 144,
    Causal(): 78,
    Window(3, 0): 42,
    Window(2, 2): 54,
    Prefix(5): 88,
    Keys({9, 10, 11}): 108,
    Causal() & Keys({0, 1, 2}): 45,
    Cells({(0, 1), (3, 3)}): 142,
    Window(1, 0) | Keys(range(1, 12)): 33,
}


@pytest.mark.parametrize("rule", CELLS_OF_TWELVE, ids=repr)
def test_number_of_allowed_cells(rule):
    assert int(dense(rule, 12).sum()) == CELLS_OF_TWELVE[rule]


def test_a_window_as_wide_as_the_sequence_is_causal():
    assert torch.equal(dense(Window(6, 0), 7), dense(Causal(), 7))
    assert not torch.equal(dense(Window(5, 0), 7), dense(Causal(), 7))


def test_window_sides_are_told_apart():
    assert dense(Window(0, 1), 3).int().tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert dense(Window(1, 0), 3).int().tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]


@pytest.mark.parametrize("rule", CELLS_OF_TWELVE, ids=repr)
def test_a_strip_is_those_rows_of_the_whole(rule):
    strip = rule.allows(torch.arange(3, 8), torch.arange(12))
    assert torch.equal(strip, dense(rule, 12)[3:8])


def test_own_stands_for_the_models_mask():
    assert Own().resolve(Causal()) == Causal()
    assert (Own() & Keys({1})).resolve(Causal()) == And(Causal(), Keys({1}))
    assert (Own() | Keys({1})).resolve(Causal()).left == Causal()
    assert Window(1, 1).resolve(Causal()) == Window(1, 1)


def test_full_drops_out_of_a_conjunction():
    assert (Own() & Keys({1})).resolve(Full()) == Keys({1})
    assert (Causal() & Own()).resolve(Full()) == Causal()


def test_own_without_a_model_is_refused():
    with pytest.raises(InputError, match="without a model"):
        dense(Own(), 3)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Keys({3, 9}), r"key 9, but the sequence has 5 positions \(0–4\)"),
        (Cells({(7, 0)}), "query 7"),
        (Causal() & (Full() | Keys({-1})), "key -1"),
    ],
)
def test_positions_that_are_not_there_are_refused(rule, message):
    with pytest.raises(InputError, match=message):
        rule.check(5, 5)


@pytest.mark.parametrize("make", [lambda: Window(-1, 0), lambda: Window(0, -2), lambda: Prefix(-1)])
def test_negative_sizes_are_refused(make):
    with pytest.raises(InputError, match="-"):
        make()


NUMBERS = {
    "Window(0.5, 0)": "A window takes whole numbers, not (0.5, 0).",
    "Window(0, '1')": "A window takes whole numbers, not (0, '1').",
    "Prefix(1.5)": "A prefix takes whole numbers, not (1.5,).",
    "Keys({'a'})": "A mask of keys takes whole numbers, not {'a'}.",
    "Keys(3)": "A mask of keys takes whole numbers, not 3.",
    "Cells({(0, 1.0)})": "A cell takes whole numbers, not (0, 1.0).",
    "Cells({(0, 1, 2)})": "A cell takes 2 whole numbers, not (0, 1, 2).",
    "Cells({7})": "A cell takes whole numbers, not 7.",
    "Window(torch.tensor(1), 0)": "Window(before=1, after=0)",
    "Keys(torch.tensor([4, 1]))": "Keys({1, 4})",
    "Cells(torch.tensor([[2, 3]]))": "Cells({(2, 3)})",
}
SAY = """
import sys, torch
from attention import InputError, masks
for made in sys.argv[1:]:
    try:
        print(eval(f"masks.{made}"))
    except InputError as error:
        print(error)
"""


def test_whole_numbers_are_taken_from_any_library_and_others_refused():
    """In a process of its own, where annotations are not checked, as they are while tests run."""
    asked = [sys.executable, "-c", SAY, *NUMBERS]
    said = subprocess.run(asked, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    assert said.splitlines() == list(NUMBERS.values())


def test_rules_are_values_that_hash_and_read_as_python():
    rule = Own() & Keys({4, 1}) | Cells({(2, 3)})
    assert rule == eval(repr(rule))
    assert hash(rule) == hash(eval(repr(rule)))
    assert repr(rule) == "((Own() & Keys({1, 4})) | Cells({(2, 3)}))"
    assert eval(repr(Keys(()))) == Keys(frozenset())
