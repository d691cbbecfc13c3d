import dataclasses

import numpy as np
import pytest

from attention.errors import InputError
from attention.figures.picture import FLOOR, describe, faint, heights, legend, top
from tests.figures.pictures import causal, picture


def test_positions_count_from_zero_unless_given():
    assert picture(2, 3).key_positions == (0, 1, 2)
    assert picture(2, 3, query_positions=(4, 9)).query_positions == (4, 9)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"values": np.ones((3, 2), np.float32)}, "values are for 3 × 2 tokens, but the picture has 2 × 3"),
        ({"allowed": np.ones((2, 4), bool)}, "allowed are for 2 × 4 tokens, but the picture has 2 × 3"),
        ({"key_positions": (1, 2)}, "positions are for 2 × 2 tokens, but the picture has 2 × 3"),
        ({"query_tokens": ()}, "nothing to draw: 0 queries by 3 keys"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes, said):
    with pytest.raises(InputError, match=said):
        dataclasses.replace(picture(2, 3), **changes)


def test_fixed_range_ends_at_one():
    shown = picture(3)
    assert top(shown) == 1
    np.testing.assert_array_equal(heights(shown), shown.values)
    assert legend(shown) == ((0.0, "0"), (0.5, "0.5"), (1.0, "1 weight"))


def test_head_range_ends_at_the_largest_allowed_weight():
    values = np.array([[0.25, 0.125], [0.1, 0.9]], np.float32)
    shown = picture(2, values=values, allowed=np.array([[True, True], [True, False]]), range="head")
    assert top(shown) == 0.25
    np.testing.assert_allclose(heights(shown)[0], [1, 0.5])
    assert legend(shown) == ((0.0, "0"), (0.5, "0.12"), (1.0, "0.25 weight"))


def test_head_range_of_a_silent_head_is_not_empty():
    assert top(picture(2, values=np.zeros((2, 2), np.float32), range="head")) == 1
    assert top(picture(2, allowed=np.zeros((2, 2), bool), range="head")) == 1


@pytest.mark.parametrize(
    ("weight", "open_to", "chosen", "is_faint"),
    [
        (0.039, 40, "fixed", True),
        (0.041, 40, "fixed", False),
        (0.039, 40, "head", False),
        (0.039, 40, "log", False),
        (0.0, 40, "fixed", False),
        (0.039, 0, "fixed", False),
    ],
)
def test_a_picture_is_faint_where_the_fixed_scale_shows_next_to_nothing(weight, open_to, chosen, is_faint):
    values = np.full((40, 40), weight, np.float32)
    values[:, 0] = 0.9 * (weight > 0)  # one column in forty is seen
    allowed = np.broadcast_to(np.arange(40) < open_to, (40, 40))
    assert faint(picture(40, values=values, allowed=allowed, range=chosen)) is is_faint


def test_what_is_masked_does_not_make_a_picture_faint():
    values = np.full((40, 40), 0.5, np.float32) * np.eye(40, dtype=np.float32)
    assert faint(picture(40, values=values))
    assert not faint(picture(40, values=values, allowed=np.eye(40, dtype=bool)))


def test_log_range_runs_from_its_floor_to_one():
    values = np.array([[1, 0.01, FLOOR], [FLOOR / 10, 0, 0.1]], np.float32)
    shown = picture(2, 3, values=values, range="log")
    np.testing.assert_allclose(heights(shown), [[1, 0.5, 0], [0, 0, 0.75]], atol=1e-6)
    assert legend(shown) == ((0.0, "1e−4 or less"), (0.5, "0.01"), (1.0, "1 weight"))


@pytest.mark.parametrize("chosen", ["fixed", "head", "log"])
def test_heights_stay_on_the_scale(chosen):
    shown = causal(9, range=chosen)
    assert 0 <= heights(shown).min() <= heights(shown).max() <= 1
    order = np.argsort(shown.values.ravel())
    assert (np.diff(heights(shown).ravel()[order]) >= 0).all(), "more weight is never paler"


def test_description_says_size_mask_peak_and_note():
    values = np.array([[0.2, 0.8], [1, 0]], np.float32)
    said = describe(
        picture(
            2,
            values=values,
            allowed=np.array([[True, True], [False, True]]),
            query_tokens=("\n", "b"),
            key_positions=(3, 4),
            note="special tokens hidden, rows renormalised",
        )
    )
    assert said == (
        "Attention weights, 2 queries by 2 keys, 1 cell masked. The largest, 0.80, is from ↵ (0) "
        "to the (4). Special tokens hidden, rows renormalised."
    )


def test_description_of_a_picture_without_an_open_cell():
    assert describe(picture(2, allowed=np.zeros((2, 2), bool))).endswith("4 cells masked.")
