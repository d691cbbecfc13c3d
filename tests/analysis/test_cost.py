"""Counts by the loops themselves, published figures, and slopes of known curves."""

import numpy as np
import pytest

from attention.analysis.cost import n_corrections, n_products, n_scores, power_law, traffic
from attention.analysis.cost_paths import passages, scores_to_write
from attention.errors import InputError


def test_twice_the_text_is_four_times_the_scores():
    assert (n_scores(1000), n_scores(2000)) == (1_000_000, 4_000_000)


@pytest.mark.parametrize(
    ("n", "d", "dense", "keys_outside", "queries_outside"),
    [
        (1024, 64, 4_456_448, 1_335_296, 1_180_672),
        (4096, 64, 68_157_440, 18_186_240, 17_305_600),
        (1024, 128, 4_718_592, 4_632_576, None),
    ],
)
def test_traffic_of_a_memory_of_49_152_elements(n, d, dense, keys_outside, queries_outside):
    counted = traffic(n, d, 49_152)
    assert (counted.dense, counted.keys_outside) == (dense, keys_outside)
    assert queries_outside in (None, counted.queries_outside)


def test_tiles_of_that_memory():
    counted = traffic(1024, 64, 49_152)
    assert (counted.key_block, counted.query_block) == (192, 128)


@pytest.mark.parametrize(
    ("n", "d", "fast"), [(1024, 64, 49_152), (1000, 32, 20_000), (37, 5, 50), (9, 4, 10_000)]
)
def test_traffic_is_what_the_loops_move(n, d, fast):
    counted = traffic(n, d, fast)
    assert counted.keys_outside == loop_over_keys(n, d, counted.key_block)
    assert counted.queries_outside == loop_over_queries(n, d, counted.query_block)
    assert 4 * d * (counted.key_block - 1) < fast
    assert 4 * d * counted.query_block <= fast
    assert counted.query_block == n or 8 * d * counted.query_block > fast


def loop_over_keys(n, d, block):
    """Every read and write of the first FlashAttention, one key tile after another."""
    moved = 0
    for start in range(0, n, block):
        moved += 2 * d * min(block, n - start)  # read K, V
        moved += n * d + n * d + 2 * n  # read Q, O, l, m
        moved += n * d + 2 * n  # write O, l, m
    return moved


def loop_over_queries(n, d, block):
    moved = 0
    for start in range(0, n, block):
        size = min(block, n - start)
        moved += size * d + 2 * n * d  # read Q; K and V whole
        moved += size * d + size  # write O and the logsumexp
    return moved


def test_a_memory_without_room_for_a_tile_is_refused():
    with pytest.raises(InputError) as refused:
        traffic(1024, 64, 255)
    sentence = "A fast memory of 255 elements holds no tile: with d_head 64 it takes 256."
    assert str(refused.value) == sentence
    assert traffic(1024, 64, 256).query_block == 1


def test_products_are_those_of_two_matrix_products_and_corrections_are_few():
    assert n_products(12, 32, 16) == 12 * 12 * 32 + 12 * 12 * 16
    assert n_corrections(12, 16, 5) == 3 * 12 * 17
    assert n_corrections(1024, 64, 128) / n_products(1024, 64, 64) < 0.01


def test_the_slope_is_that_of_numpy_s_fit():
    generator = np.random.default_rng(1)
    sizes = np.array([125, 250, 500, 1000, 2000])
    seconds = 3e-9 * sizes**1.7 * np.exp(generator.normal(0, 0.1, 5))
    law = power_law(sizes, seconds)
    slope, level = np.polyfit(np.log(sizes), np.log(seconds), 1)
    assert law.exponent == pytest.approx(slope)
    assert law.factor == pytest.approx(np.exp(level))
    assert law.at(700) == pytest.approx(np.exp(level) * 700**slope)
    correlation = np.corrcoef(np.log(sizes), np.log(seconds))[0, 1]
    assert law.r_squared == pytest.approx(correlation**2)


def test_one_size_has_no_slope():
    with pytest.raises(InputError, match="two sizes or more; got 1"):
        power_law([5, 5], [1.0, 2.0])


@pytest.mark.parametrize("distance", [1, 2, 3, 7, 8, 26, 27, 80])
@pytest.mark.parametrize("kernel", [2, 3, 5])
def test_paths_are_those_found_by_walking(distance, kernel):
    found = {one.layer: one for one in passages(100, distance, kernel)}
    assert (found["attention"].waiting, found["attention"].path) == (1, 1)
    assert (found["recurrent"].waiting, found["recurrent"].path) == (100, distance)
    assert found["convolution"].path == layers_to_reach(distance, lambda layer: range(kernel))
    assert found["dilated"].path == layers_to_reach(
        distance, lambda layer: range(0, kernel * kernel**layer, kernel**layer)
    )


def layers_to_reach(distance, taps):
    """Layers until something at the distance has arrived, each adding the reach of its taps."""
    reached, layers = {0}, 0
    while distance not in reached:
        reached = {at + tap for at in reached for tap in taps(layers)}
        layers += 1
    return layers


@pytest.mark.parametrize(
    ("n", "distance", "kernel", "sentence"),
    [
        (8, 8, 3, "Two of 8 positions are from 1 to 7 apart; got 8."),
        (8, 0, 3, "Two of 8 positions are from 1 to 7 apart; got 0."),
        (8, 4, 1, "A convolution sees 2 positions or more; got 1."),
    ],
)
def test_positions_or_kernels_that_are_none_are_refused(n, distance, kernel, sentence):
    with pytest.raises(InputError) as refused:
        passages(n, distance, kernel)
    assert str(refused.value) == sentence


def test_writing_token_by_token_scores_half_of_the_square():
    assert scores_to_write(1000) == sum(range(1, 1001)) == 500_500
