"""Positions against hand-made numbers, against transformers' own tables, and their laws."""

import math

import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from attention.engine import positions, steps
from attention.engine.config import AttentionConfig
from attention.engine.positions import (
    Buckets,
    Fall,
    Rotary,
    Slowed,
    SlowedByWavelength,
    interleaved,
    sinusoidal,
    slopes,
    spread,
)
from attention.errors import ConfigError

WIDE = torch.float64


def close(ours, expected, atol=5e-7):
    torch.testing.assert_close(ours, torch.as_tensor(expected, dtype=ours.dtype), atol=atol, rtol=0)


def turned(vector, position, rotary):
    return steps.rotate(torch.tensor([[vector]], dtype=WIDE), torch.tensor([position]), rotary)[0, 0]


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        # science.md, section 3, the pairing by halves
        (3, [-1.413353, 1.879118, -2.828857, 4.058191]),
        (1, [-1.984111, 1.959901, 2.462378, 4.019800]),
        (0, [1, 2, 3, 4]),
    ],
)
def test_hand_made_rotations(position, expected):
    close(turned([1.0, 2, 3, 4], position, Rotary(base=1e4, n_channels=4)), expected)


def test_a_rotated_score_depends_on_distance_alone_and_on_its_sign():
    rotary = Rotary(base=1e4, n_channels=4)
    query, key = [1, 0, 0.5, -1.0], [0.5, 1, -1, 2.0]

    def score(m, n):
        return float(turned(query, m, rotary) @ turned(key, n, rotary))

    assert score(5, 2) == pytest.approx(score(103, 100), abs=1e-10) == pytest.approx(-2.145505, abs=5e-7)
    assert score(2, 5) == pytest.approx(-1.852696, abs=5e-7)


def test_rotation_keeps_length_and_leaves_the_channels_past_it_alone():
    heads = torch.randn(3, 11, 7, dtype=WIDE, generator=torch.Generator().manual_seed(3))
    after = steps.rotate(heads, torch.arange(11) + 2, Rotary(base=100.0, n_channels=4))
    close(after[..., :4].norm(dim=-1), heads[..., :4].norm(dim=-1), 1e-12)
    assert torch.equal(after[..., 4:], heads[..., 4:])
    assert (after[..., :4] - heads[..., :4]).abs().min() > 0


def test_an_odd_number_of_channels_turns_in_whole_pairs():
    rotary = Rotary(base=1e4, n_channels=5)
    assert rotary.n_turning == 6
    close(rotary.frequencies(WIDE), [1, 1e4**-0.4, 1e4**-0.8], 1e-12)


def test_slowing_all_frequencies_is_dividing_the_positions():
    slowed = Rotary(base=1e4, n_channels=4, scaling=Slowed(factor=8.0))
    close(
        turned([1.0, 2, 3, 4], 24, slowed), turned([1.0, 2, 3, 4], 3, Rotary(base=1e4, n_channels=4)), 1e-12
    )


def test_slowing_by_wavelength_leaves_quick_turns_and_joins_smoothly():
    scaling = SlowedByWavelength(factor=8.0, low=1.0, high=4.0, n_trained=32)
    waves = torch.tensor([7.99, 8.0, 8.01, 12.8, 31.99, 32.0, 32.01, 400.0], dtype=WIDE)
    slowed = scaling(2 * math.pi / waves) * waves / (2 * math.pi)
    close(slowed, [1, 1, 0.998541, 0.5625, 0.125091, 0.125, 0.125, 0.125], 5e-6)


def test_hand_made_sinusoids():
    close(sinusoidal(6, 4, WIDE)[1], [0.841471, 0.010000, 0.540302, 0.999950])
    interleaved = [-0.958924, 0.283662, 0.479426, 0.877583, 0.049979, 0.998750, 0.005000, 0.999988]
    close(sinusoidal(6, 8, WIDE)[5], interleaved[0::2] + interleaved[1::2])
    assert sinusoidal(2, 5, WIDE)[0].tolist() == [0, 0, 0, 1, 1]


def test_hand_made_sinusoids_in_the_papers_order():
    # science.md, section 3
    close(interleaved(6, 4, WIDE)[1], [0.841471, 0.540302, 0.010000, 0.999950])
    expected = [-0.958924, 0.283662, 0.479426, 0.877583, 0.049979, 0.998750, 0.005000, 0.999988]
    close(interleaved(6, 8, WIDE)[5], expected)
    assert interleaved(3, 6, WIDE)[0].tolist() == [0, 1, 0, 1, 0, 1]
    assert interleaved(2, 5, WIDE)[0].tolist() == [0, 1, 0, 1, 0]


def test_hand_made_sinusoids_of_the_papers_code():
    close(spread(2, 4, WIDE)[1], [0.841471, 0.000100, 0.540302, 1.000000])
    expected = [-0.958924, 0.230002, 0.010772, 0.000500, 0.283662, 0.973190, 0.999942, 1.000000]
    close(spread(6, 8, WIDE)[5], expected)
    assert spread(2, 5, WIDE)[1, 4] == 0


@pytest.mark.parametrize("table", [sinusoidal, interleaved, spread])
def test_sinusoids_of_two_positions_fit_by_their_distance_alone(table):
    """Σ sin a sin b + cos a cos b = Σ cos(a − b): half of d_model at no distance, less at any other."""
    dots = table(41, 26, WIDE) @ table(41, 26, WIDE).T
    for distance in (0, 1, 7, 23):
        close(dots.diagonal(distance), dots[0, distance].expand(41 - distance), 1e-12)
    close(dots.diagonal(), torch.full((41,), 13.0), 1e-12)
    assert (dots[0, 1:] < 13 - 1e-3).all()


HAND_MADE_BUCKETS = {
    # science.md, section 3: relative place → bucket of 32 up to distance 128, both ways and causal
    -130: (15, 31), -114: (15, 31), -113: (15, 31), -91: (15, 29), -90: (14, 29), -64: (14, 26),
    -46: (13, 24), -45: (12, 23), -32: (12, 21), -31: (11, 21), -23: (11, 18), -22: (10, 18), -16: (10, 16),
    -15: (9, 15), -12: (9, 12), -11: (8, 11), -8: (8, 8), -7: (7, 7), -1: (1, 1), 0: (0, 0), 1: (17, 0),
    7: (23, 0), 8: (24, 0), 12: (25, 0), 16: (26, 0), 23: (27, 0), 32: (28, 0), 64: (30, 0), 91: (31, 0),
    130: (31, 0),
}  # fmt: skip


@pytest.mark.parametrize("both_ways", [True, False])
def test_hand_made_buckets(both_ways):
    buckets = Buckets(n_buckets=32, max_distance=128, both_ways=both_ways)
    ours = buckets.of(torch.tensor([list(HAND_MADE_BUCKETS)]))[0].tolist()
    assert ours == [pair[0 if both_ways else 1] for pair in HAND_MADE_BUCKETS.values()]


@pytest.mark.parametrize("both_ways", [True, False])
@pytest.mark.parametrize(("n_buckets", "max_distance"), [(32, 128), (8, 9), (10, 40), (64, 2000)])
def test_buckets_equal_transformers_at_every_distance(both_ways, n_buckets, max_distance):
    ahead = torch.arange(-2500, 2501)[None]
    ours = Buckets(n_buckets=n_buckets, max_distance=max_distance, both_ways=both_ways).of(ahead)
    theirs = T5Attention._relative_position_bucket(ahead, both_ways, n_buckets, max_distance)
    assert torch.equal(ours, theirs)


def test_a_bucket_bias_is_read_from_each_heads_own_row():
    buckets = Buckets(n_buckets=8, max_distance=9, both_ways=True)
    table = torch.arange(24.0).view(3, 8)
    bias = buckets(table, torch.tensor([4, 5]), torch.tensor([5, 4, 3]))
    assert bias[1].tolist() == [[13, 8, 9], [8, 9, 10]]
    assert torch.equal(bias[2], bias[1] + 8)


@pytest.mark.parametrize(
    ("n_heads", "expected"),
    [
        (8, [2.0**-power for power in range(1, 9)]),
        (12, [2.0**-power for power in range(1, 9)] + [0.707107, 0.353553, 0.176777, 0.088388]),
        (6, [0.25, 0.0625, 0.015625, 0.003906, 0.5, 0.125]),
        (1, [0.00390625]),
    ],
)
def test_slopes_of_all_counts(n_heads, expected):
    close(slopes(n_heads, WIDE), expected)


def test_the_fall_is_slope_times_distance():
    fall = Fall()(slopes(2, WIDE)[:, None], torch.tensor([3]), torch.tensor([0, 1, 3, 5]))
    close(fall[:, 0], [[-3 / 16, -2 / 16, 0, -2 / 16], [-3 / 256, -2 / 256, 0, -2 / 256]], 1e-15)


def test_numbers_of_positions():
    assert positions.numbers("own", 3).tolist() == [0, 1, 2]
    assert positions.numbers((2, 0, 1), 3).tolist() == [2, 0, 1]
    assert positions.numbers("none", 3) is None


def attention(**choices):
    sizes = dict(d_model=8, n_heads=2, n_kv_heads=1, d_head=5, d_value=5, scale=1.0)
    return AttentionConfig(**sizes | choices)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rotary(base=0.0, n_channels=4), "above 0"),
        (lambda: Rotary(base=1e4, n_channels=0), "above 0"),
        (lambda: attention(rotary=Rotary(base=1e4, n_channels=5)), "6 channels cannot turn in a head of 5"),
        (lambda: attention(softcap=0.0), "above 0, not 0.0"),
        (lambda: SlowedByWavelength(factor=8.0, low=4.0, high=4.0, n_trained=32), r"low_freq_factor \(4.0\)"),
        (lambda: Buckets(n_buckets=3, max_distance=9, both_ways=True), "3 buckets"),
        (lambda: Buckets(n_buckets=32, max_distance=16, both_ways=False), "cannot reach distance 16"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()
