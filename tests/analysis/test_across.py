"""Summaries over heads and layers, against small cases worked out elsewhere."""

import numpy as np
import pytest
import torch

from attention import Settings, masks
from attention.analysis.across import (
    each_received,
    even_layers_of,
    largest_over_heads,
    layers_of,
    mean_over_heads,
    received,
    received_per_query,
    rollout,
)
from tests.toys import toy

A1 = [[0.8, 0.2, 0], [0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]
A2 = [[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]
CAUSAL = [[1, 0, 0], [0.6, 0.4, 0], [0.2, 0.3, 0.5]]
CASE_4A = [[1, 0, 0, 0], [0.6, 0.4, 0, 0], [0.2, 0.5, 0.3, 0], [0.1, 0.2, 0.3, 0.4]]


def heads(*matrices):
    return torch.tensor(matrices, dtype=torch.float64)


def test_rollout_of_two_layers():
    expected = [[0.75, 0.15, 0.1], [0.2725, 0.5925, 0.135], [0.2075, 0.1475, 0.645]]
    np.testing.assert_allclose(rollout([heads(A1), heads(A2)]), expected, atol=1e-12)


def test_rollout_stays_causal():
    np.testing.assert_allclose(rollout([heads(CAUSAL), heads(CAUSAL)])[2], [0.22, 0.2175, 0.5625], atol=1e-12)


def test_rollout_takes_the_mean_of_the_heads_and_every_row_sums_to_one():
    mean = (np.array(A1) + np.array(A2)) / 2
    np.testing.assert_allclose(rollout([heads(A1, A2)]), (mean + np.eye(3)) / 2, atol=1e-12)
    run = toy().run([1, 5, 2, 5, 9], settings=Settings(mask=masks.Keys({0}) & masks.Causal()))
    assert run.attention(0).mask.any(dim=1).tolist() == [False, True, True, True, True]
    fused = []
    for weights in layers_of(run):
        fused.append(weights)
        torch.testing.assert_close(rollout(fused).sum(dim=-1), torch.ones(5, dtype=torch.float64))


def test_a_blind_row_rolls_out_to_itself():
    blind = heads([[0, 0], [0.5, 0.5]])
    np.testing.assert_allclose(rollout([blind, blind]), [[1, 0], [0.4375, 0.5625]], atol=1e-12)


def test_mean_and_largest_over_all_heads():
    layers = [heads(A1, A2), heads(CAUSAL, A2)]
    stacked = np.array([A1, A2, CAUSAL, A2])
    np.testing.assert_allclose(mean_over_heads(layers), stacked.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(largest_over_heads(layers), stacked.max(axis=0))


def test_a_row_blind_in_one_layer_has_the_mean_of_the_others():
    layers = [heads([[0, 0], [0.5, 0.5]]), heads([[0.2, 0.8], [0.1, 0.9]])]
    np.testing.assert_allclose(mean_over_heads(layers), [[0.2, 0.8], [0.3, 0.7]], atol=1e-12)


def test_received_of_case_4a():
    causal = torch.ones(4, 4).tril() > 0
    np.testing.assert_allclose(received(heads(CASE_4A)[0]), [1.9, 1.1, 0.6, 0.4], atol=1e-12)
    per_query = received_per_query(heads(CASE_4A)[0], causal)
    assert per_query == pytest.approx([0.475, 0.366667, 0.3, 0.4], abs=1e-6)


def test_received_by_nobody_is_none():
    allowed = torch.tensor([[True, False], [True, False]])
    assert received_per_query(heads([[1, 0], [1, 0]])[0], allowed) == (1.0, None)
    counted = torch.tensor([False, True])
    assert received_per_query(heads([[1, 0], [1, 0]])[0], allowed, counted) == (1.0, None)
    assert received(heads([[1, 0], [1, 0]])[0], counted).tolist() == [1, 0]


def test_what_each_key_receives_as_an_array():
    causal, every = np.tril(np.ones((4, 4), bool)), np.ones(4, bool)
    found = each_received(heads(CASE_4A)[0].numpy(), causal, every)
    np.testing.assert_allclose(found, [0.475, 0.366667, 0.3, 0.4], atol=1e-6)
    last_two = np.arange(4) > 1
    np.testing.assert_allclose(each_received(None, causal, last_two), [7 / 24, 7 / 24, 7 / 24, 1 / 4])
    assert np.isnan(each_received(None, causal & (np.arange(4) > 0), every)[0])


def test_even_layers_follow_each_layer_s_mask():
    run = toy().run([1, 5, 2, 5], settings=Settings(mask=masks.Causal(), mask_layers={1}))
    first, second, _ = even_layers_of(run)
    np.testing.assert_allclose(first[0], np.full((4, 4), 0.25))
    np.testing.assert_allclose(second[0], np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None])
