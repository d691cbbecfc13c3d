"""The steps against hand-made numbers and the laws of attention."""

import math

import pytest
import torch

from attention.engine import kernel, steps
from attention.engine.masks import Causal, Cells, Full, Keys, dense

Q = torch.tensor([[[1.0, 0], [0, 1], [1, 1]]], dtype=torch.float64)
K = torch.tensor([[[1.0, 0], [0, 1], [1, -1]]], dtype=torch.float64)
V = torch.tensor([[[1.0, 2], [3, 4], [5, 6]]], dtype=torch.float64)

HAND_MADE = {
    # science.md, cases 1a, 1b, 1c
    Full(): (
        [[0.401112, 0.197776, 0.401112], [0.283995, 0.575975, 0.140029], [0.401112, 0.401112, 0.197776]],
        [[3, 4], [2.712068, 3.712068], [2.593327, 3.593327]],
    ),
    Causal(): (
        [[1, 0, 0], [0.330238, 0.669762, 0], [0.401112, 0.401112, 0.197776]],
        [[1, 2], [2.339523, 3.339523], [2.593327, 3.593327]],
    ),
    Cells({(1, 0), (1, 1), (1, 2)}): (
        [[0.401112, 0.197776, 0.401112], [0, 0, 0], [0.401112, 0.401112, 0.197776]],
        [[3, 4], [0, 0], [2.593327, 3.593327]],
    ),
}


@pytest.mark.parametrize("rule", HAND_MADE, ids=repr)
def test_hand_made_weights_and_outputs(rule):
    expected_weights, expected_outputs = (torch.tensor([m], dtype=torch.float64) for m in HAND_MADE[rule])
    scaled = steps.scale(steps.score(Q, K), 2**-0.5)
    weights = steps.softmax(steps.mask(scaled, dense(rule, 3)))
    torch.testing.assert_close(weights, expected_weights, atol=5e-7, rtol=0)
    torch.testing.assert_close(steps.mix(weights, V), expected_outputs, atol=5e-7, rtol=0)


@pytest.mark.parametrize("rule", HAND_MADE, ids=repr)
def test_hand_made_outputs_by_the_fused_kernel(rule):
    expected = torch.tensor([HAND_MADE[rule][1]], dtype=torch.float64)
    torch.testing.assert_close(kernel.fused(Q, K, V, rule, 2**-0.5), expected, atol=5e-7, rtol=0)


def test_rows_sum_to_one_and_masked_weights_are_exactly_zero():
    queries, keys = _random((5, 11, 7), (5, 11, 7), dtype=torch.float64)
    allowed = dense(Causal() & Keys({0}), 11)
    weights = steps.softmax(steps.mask(steps.score(queries, keys), allowed))
    assert torch.equal(weights[:, 0], torch.zeros(5, 11, dtype=torch.float64))
    torch.testing.assert_close(
        weights[:, 1:].sum(-1), torch.ones(5, 10, dtype=torch.float64), atol=1e-14, rtol=0
    )
    assert (weights[:, ~allowed] == 0).all()


def test_masked_scores_are_minus_infinity():
    masked = steps.mask(torch.zeros(1, 2, 2), dense(Causal(), 2))
    assert masked.tolist() == [[[0, -math.inf], [0, 0]]]


def test_a_row_with_nan_is_no_row_that_may_see_nothing():
    nan, inf = math.nan, math.inf
    scores = torch.tensor([[[nan, nan], [nan, -inf], [-inf, -inf]]], dtype=torch.float64)
    assert steps.softmax(scores).isnan().tolist() == [[[True, True], [True, True], [False, False]]]


def test_softmax_survives_large_scores():
    weights = steps.softmax(torch.tensor([[[1e4, 1e4 - 1, -math.inf]]], dtype=torch.float64))
    expected = torch.tensor([[[0.731058578, 0.268941421, 0]]], dtype=torch.float64)
    torch.testing.assert_close(weights, expected, atol=1e-9, rtol=0)


def test_project_takes_one_set_of_weights_for_all_positions():
    x, w, b = _random((11, 5), (3, 5, 7), (3, 7), dtype=torch.float64)
    expected = torch.stack([torch.stack([x[i] @ w[h] + b[h] for i in range(11)]) for h in range(3)])
    torch.testing.assert_close(steps.project(x, w, b), expected, atol=1e-14, rtol=0)
    torch.testing.assert_close(steps.project(x, w, None), expected - b[:, None], atol=1e-14, rtol=0)


def test_kv_heads_are_shared_in_runs():
    kv = torch.arange(2.0)[:, None, None].expand(2, 3, 5)
    assert steps.share_kv_heads(kv, 6)[:, 0, 0].tolist() == [0, 0, 0, 1, 1, 1]


def test_merge_heads_is_the_sum_of_each_heads_own_product():
    outputs, w_o, b_o = _random((3, 11, 5), (3, 5, 7), (7,), dtype=torch.float64)
    expected = sum(outputs[h] @ w_o[h] for h in range(3)) + b_o
    torch.testing.assert_close(steps.merge_heads(outputs, w_o, b_o), expected, atol=1e-13, rtol=0)


def test_a_cap_is_linear_near_zero_and_never_passed():
    scores = torch.tensor([[[0.0, 0.5, -4.0, 1e6]]], dtype=torch.float64)
    capped = steps.cap(scores, 5.0)
    expected = torch.tensor([[[0.0, 0.498340, -3.320184, 5.0]]], dtype=torch.float64)
    torch.testing.assert_close(capped, expected, atol=5e-7, rtol=0)


def test_a_norm_takes_each_head_and_position_by_itself():
    heads, gain = _random((3, 11, 5), (5,), dtype=torch.float64)
    normed = steps.norm(heads, gain, 1e-3)
    alone = heads[1, 4] / (heads[1, 4].square().sum() / 5 + 1e-3).sqrt() * gain
    torch.testing.assert_close(normed[1, 4], alone, atol=1e-14, rtol=0)


def _random(*shapes, dtype):
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(shape, generator=generator, dtype=dtype) for shape in shapes]
