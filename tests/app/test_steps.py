"""The seven steps on the page: their colours' range, heads that are off, their tables."""

import pytest

from tests.app.screen import opened, packed


def step(app, name):
    header, arrays = packed(app, "steps")
    (found,) = [step for step in header["steps"] if step["name"] == name]
    return found, [arrays[matrix["array"]] for matrix in found["matrices"]]


@pytest.mark.parametrize("special", ["show", "hide", "renormalise"])
def test_the_colours_of_the_weights_reach_to_the_largest_that_the_strip_holds(special):
    found, (weights,) = step(opened(layer="2", head="0", range="head", special=special), "Weights")
    assert found["matrices"][0]["limit"] == pytest.approx(weights.max())
    assert found["shape"].endswith(f"0 to {weights.max():.2g}")


def test_a_fixed_range_reaches_to_one():
    assert step(opened(layer="2", head="0", range="fixed"), "Weights")[0]["matrices"][0]["limit"] == 1
