"""Head measurements against science.md's small right values."""

import math
from dataclasses import replace

import pytest
import torch

from attention import Settings, masks
from attention.analysis import checks
from attention.analysis.heads import entropy, places
from tests.toys import toy

CAUSAL_4A = torch.tensor([[1, 0, 0, 0], [0.6, 0.4, 0, 0], [0.2, 0.5, 0.3, 0], [0.1, 0.2, 0.3, 0.4]]).double()


def test_entropy_of_case_4a():
    assert entropy(CAUSAL_4A[None]).item() == pytest.approx(0.745630, abs=1e-6)


def test_entropy_skips_rows_that_see_nothing():
    weights = torch.tensor([[[0.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.5]]]).double()
    assert entropy(weights).tolist() == pytest.approx([math.log(2), math.log(2) / 2])


def test_places_of_case_4a_add_up_and_count_each_cell_once():
    shares = {part.place: part.share for part in places(CAUSAL_4A, [(0, "[CLS]")])}
    # [CLS]: .6 + .2 + .1; itself: 1 + .4 + .3 + .4; one before without [CLS]: .5 + .3; the rest: .2
    assert shares == pytest.approx(
        {"[CLS]": 0.225, "itself": 0.525, "one before": 0.2, "one after": 0.0, "elsewhere": 0.05}
    )


def test_special_tokens_of_one_name_are_one_place():
    weights = torch.full((3, 3), 1 / 3).double()
    shares = {part.place: part.share for part in places(weights, [(0, "[SEP]"), (2, "[SEP]")])}
    assert list(shares) == ["[SEP]", "itself", "one before", "one after", "elsewhere"]
    assert shares["[SEP]"] == pytest.approx(4 / 9)
    assert sum(shares.values()) == pytest.approx(1)


def test_places_count_only_rows_that_see_something():
    weights = torch.tensor([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]).double()
    shares = {part.place: part.share for part in places(weights, [])}
    assert (shares["one after"], shares["one before"]) == (0.5, 0.5)


def test_cosine_distance_by_hand():
    ours = torch.tensor([[1.0, 0.0], [1.0, 1.0], [-2.0, 0.0]])
    theirs = torch.tensor([[3.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    expected = torch.tensor([0.0, 1 - math.sqrt(0.5), 2.0])
    torch.testing.assert_close(checks.cosine_distances(ours, theirs), expected)


def test_checks_see_a_fault(monkeypatch):
    from attention.engine import steps

    run = toy().run([1, 2, 3], settings=Settings(mask=masks.Keys({0, 1, 2})))
    assert checks.row_sum_deviation(run) == 0
    run = toy().run([1, 2, 3])
    assert checks.visible_difference(run) < 1e-12
    real = steps.softmax
    monkeypatch.setattr(steps, "softmax", lambda masked: real(masked) * 1.25)
    assert checks.row_sum_deviation(run) == pytest.approx(0.25)
    assert checks.visible_difference(run) > 1e-2


def test_checks_keep_a_nan_of_a_later_layer():
    run = toy().run([1, 2, 3])
    for layer, check in ((1, checks.row_sum_deviation), (2, checks.visible_difference)):
        doors = list(run.resid_pre)
        doors[layer] = torch.full_like(doors[layer], math.nan)
        broken = replace(run, stack_run=replace(run.stack_run, resid_pre=tuple(doors)))
        assert math.isnan(check(broken))
