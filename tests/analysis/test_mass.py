import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention.analysis.mass import largest_until

# science.md, section 4, case 4a: the smallest numbers of keys with 90 % of their row are 1, 2, 3 and 3.
CAUSAL = torch.tensor([[1, 0, 0, 0], [0.6, 0.4, 0, 0], [0.2, 0.5, 0.3, 0], [0.1, 0.2, 0.3, 0.4]])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_ninety_percent_of_the_worked_case(dtype):
    assert largest_until(CAUSAL.to(dtype), 0.9).sum(-1).tolist() == [1, 2, 3, 3]


@pytest.mark.parametrize(
    ("share", "kept"),
    [(0.01, [3]), (0.4, [3]), (0.41, [2, 3]), (0.7, [2, 3]), (0.71, [1, 2, 3]), (1, [0, 1, 2, 3])],
)
def test_the_largest_come_first(share, kept):
    assert largest_until(CAUSAL[3:], share)[0].nonzero().flatten().tolist() == kept


def test_all_of_a_row_is_every_weight_that_is_not_zero():
    row = torch.tensor([[1.0, 1e-30, 0.0]])
    assert largest_until(row, 1).tolist() == [[True, True, False]]


def test_of_equals_the_earlier_key_counts():
    assert largest_until(torch.full((1, 4), 0.25), 0.5).tolist() == [[True, True, False, False]]


def test_a_row_with_tokens_hidden_is_measured_by_what_is_left():
    assert largest_until(torch.tensor([[0.04, 0.05, 0.01]]), 0.9).tolist() == [[True, True, False]]


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=30), st.floats(0.01, 1))
def test_as_few_as_reach_the_share(values, share):
    row = torch.tensor([values], dtype=torch.float64)
    kept = largest_until(row, share)[0]
    total, held = row.sum(), row[0][kept]
    assert held.sum() >= share * total - 2e-6
    assert not kept.any() or held.sum() - held.min() < share * total + 1e-9
    assert not kept.any() or not (row[0][~kept] > held.min()).any()
