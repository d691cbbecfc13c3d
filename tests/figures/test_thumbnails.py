"""A head's weights as shades."""

import numpy as np

from attention.figures.thumbnails import shades


def test_one_scale_ends_at_a_weight_of_one():
    weights = np.array([[[0.5, 0.5], [0.25, 0.75]]])
    assert shades(weights).tolist() == [[[round(0.5**0.7 * 255)] * 2, [97, round(0.75**0.7 * 255)]]]


def test_each_head_may_end_at_its_own_largest():
    weights = np.array([[[0.5, 0.5], [0.25, 0.75]], [[0.0, 0.0], [0.0, 0.0]]])
    found = shades(weights, "head")
    assert found[0].tolist() == [[round((2 / 3) ** 0.7 * 255)] * 2, [round((1 / 3) ** 0.7 * 255), 255]]
    assert found[1].tolist() == [[0, 0], [0, 0]]  # a head that sees nothing is not divided by zero
