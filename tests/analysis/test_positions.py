"""Distances, turns and biases against hand-made numbers and plain NumPy."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from attention.analysis import positions
from attention.engine.positions import Buckets, Rotary, interleaved, sinusoidal
from attention.errors import InputError

WIDE = torch.float64
ROTARY = Rotary(base=1e4, n_channels=4)


def test_hand_made_cosines():
    table = torch.tensor([[3.0, 4.0], [4.0, -3.0], [0.0, 0.0], [6.0, 8.0]])
    expected = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 1]]
    np.testing.assert_allclose(positions.cosines(table).numpy(), expected, atol=1e-12)


def test_means_off_the_diagonal():
    matrix = torch.tensor([[1.0, 2, 3], [4, 5, 6], [7, 8, 12]], dtype=WIDE)
    # 1, 5, 12; 2, 6 and 4, 8; 3 and 7
    assert positions.by_distance(matrix).tolist() == [6, 5, 5]


def test_the_dot_product_of_two_sinusoids_is_a_sum_of_cosines_of_their_distance():
    table = interleaved(40, 12, WIDE)
    waves = 10000 ** (np.arange(6) / 6)
    for at in (0, 17):
        expected = [np.cos((place - at) / waves).sum() for place in range(40)]
        np.testing.assert_allclose(positions.dots_from(table, at).numpy(), expected, atol=1e-12)


def test_a_position_beyond_the_table_is_refused():
    with pytest.raises(InputError, match=r"There is no position 5: the table has 5 \(0–4\)."):
        positions.dots_from(sinusoidal(5, 4, WIDE), 5)


def test_each_pair_turns_by_its_own_frequency():
    turned = positions.turns(Rotary(base=1e5, n_channels=6), 3)
    np.testing.assert_allclose(turned.numpy(), [3, 3 * 1e5 ** (-1 / 3), 3 * 1e5 ** (-2 / 3)], atol=1e-12)


def test_hand_made_turned_scores():
    # science.md, section 3: (5, 2), (103, 100) and (2, 5)
    query, key = torch.tensor([1, 0, 0.5, -1.0]), torch.tensor([0.5, 1, -1, 2.0])
    near = positions.turned_scores(ROTARY, query, key, 5, [3])
    far = positions.turned_scores(ROTARY, query, key, 103, [3, -3])
    assert float(near[0]) == pytest.approx(-2.145505, abs=5e-7)
    assert float(far[0]) == pytest.approx(float(near[0]), abs=1e-12)
    assert float(far[1]) == pytest.approx(-1.852696, abs=5e-7)


def test_a_score_by_distance_is_the_same_wherever_the_query_stands():
    query, key = positions.drawn_pair(3, 10)
    rotary = Rotary(base=1e5, n_channels=10)
    distances = list(range(-20, 21))
    first, second = (positions.turned_scores(rotary, query, key, at, distances) for at in (20, 4000))
    np.testing.assert_allclose(second.numpy(), first.numpy(), atol=1e-11)
    # Complex numbers, one a pair, in place of the engine's halves.
    pairs = torch.complex(query[:5], query[5:]).numpy() * np.conj(torch.complex(key[:5], key[5:]).numpy())
    turning = 1e5 ** (-np.arange(5) / 5)
    expected = [(pairs * np.exp(1j * distance * turning)).sum().real for distance in distances]
    np.testing.assert_allclose(first.numpy(), expected, atol=1e-12)
    assert float(first[20]) == pytest.approx(float(query @ key), abs=1e-12)


def test_a_pair_is_drawn_by_its_seed():
    (query, key), (again, _), (other, _) = (positions.drawn_pair(seed) for seed in (1, 1, 2))
    assert torch.equal(query, again)
    assert not torch.equal(query, other)
    assert not torch.equal(query, key)


def test_heads_that_fall_differ_by_their_bias_alone():
    trace = positions.falling(6, 9, seed=4)
    x, keys = trace.query_input.numpy(), trace.keys[0].numpy()
    assert np.abs(keys - x).min() > 0
    slopes = [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    for head, slope in enumerate(slopes):
        scaled = x @ keys.T / 4
        scaled += [[-slope * (i - j) if j <= i else -np.inf for j in range(9)] for i in range(9)]
        e = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        np.testing.assert_allclose(trace.weights[head].numpy(), e / e.sum(axis=1, keepdims=True), atol=1e-12)
    level = replace(trace, config=replace(trace.config, bias=None))
    assert torch.equal(level.weights[0], level.weights[4])


@pytest.mark.parametrize("both_ways", [True, False])
def test_a_relative_bias_goes_by_the_bucket(both_ways):
    relative = positions.drawn_relative(7, both_ways=both_ways)
    ahead = torch.arange(-150, 151)
    buckets = T5Attention._relative_position_bucket(ahead, both_ways, 32, 128).numpy()
    np.testing.assert_array_equal(relative.at(ahead).numpy(), relative.table.numpy()[:, buckets])
    matrix = relative.matrix(11).numpy()
    assert matrix.shape == (8, 11, 11)
    for query, key in ((0, 10), (10, 0), (4, 4), (6, 2)):
        np.testing.assert_array_equal(matrix[:, query, key], relative.at(torch.tensor([key - query]))[:, 0])


def test_the_first_distance_of_each_bucket():
    # science.md, section 3
    both = [*range(9), 12, 16, 23, 32, 46, 64, 91]
    one = [*range(17), 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    for both_ways, expected in ((True, both), (False, one)):
        rule = Buckets(n_buckets=32, max_distance=128, both_ways=both_ways)
        assert positions.first_of_buckets(rule) == tuple(enumerate(expected))


def test_bucket_16_is_never_used_both_ways():
    rule = Buckets(n_buckets=32, max_distance=128, both_ways=True)
    used = set(rule.of(torch.arange(-300, 301)[None])[0].tolist())
    assert used == set(range(32)) - {16}


def test_how_far_back_a_head_looks():
    # science.md, section 4, case 4a
    weights = torch.tensor([[1, 0, 0, 0], [0.6, 0.4, 0, 0], [0.2, 0.5, 0.3, 0], [0.1, 0.2, 0.3, 0.4]])
    assert positions.looks_back(weights) == pytest.approx(0.625, abs=1e-6)
