"""Heads as colours, and the names of words."""

import numpy as np
import pytest

from attention.analysis.measures import BY_KEY
from attention.checkpoints.tokens import Token
from attention.figures.theme import DARK, LIGHT, lut, score_scale, weight_scale
from attention.ui.heads.numbers import number, short_number
from attention.ui.heads.shades import ends, measure_scale, measure_shades
from attention.ui.whole_words import unit_labels


@pytest.mark.parametrize(
    ("key", "values", "expected"),
    [
        ("previous", [[0.2, np.nan], [0.8, 0.1]], (0.0, 0.8)),
        ("effective", [[3.0, 2.0]], (1.0, 3.0)),
        ("direction", [[-3.0, 2.0]], (-3.0, 3.0)),
        ("update", [[0.5, -0.1]], (-0.5, 0.5)),
        ("previous", [[np.nan, np.nan]], (0.0, 1.0)),
        ("effective", [[1.0, 1.0]], (1.0, 2.0)),
        ("direction", [[0.0]], (-1.0, 1.0)),
    ],
)
def test_colours_end_where_the_values_do(key, values, expected):
    assert ends(BY_KEY[key], np.array(values)) == expected


def test_a_measure_s_shade_is_its_place_between_the_ends():
    shades = measure_shades(BY_KEY["effective"], np.array([[1.0, 2.0, 3.0], [np.nan, 1.5, 3.0]]))
    assert shades.shape == (2, 3, 1, 1)
    assert shades[..., 0, 0].tolist() == [[0, 128, 255], [0, 64, 255]]
    assert measure_shades(BY_KEY["direction"], np.array([[-2.0, 0.0, 2.0]])).ravel().tolist() == [0, 128, 255]


def test_only_shares_of_weight_have_the_colours_of_weights():
    for palette in (LIGHT, DARK):
        assert measure_scale(BY_KEY["self"], palette) == weight_scale(palette)
        assert measure_scale(BY_KEY["update"], palette) == score_scale(palette)
        ink = lut(measure_scale(BY_KEY["rank"], palette))
        assert (ink[0], ink[-1]) == (palette.bg, palette.ink)


def token(text, word, *, special=False, readable=None):
    return Token(text, 1, 0, 0, special=special, word=word, segment=0, readable=readable)


def test_words_are_named_without_the_marks_that_join_their_pieces():
    pieces = [token("[CLS]", None, special=True), token("hedge", 0), token("##row", 0), token("##s", 0)]
    assert unit_labels(pieces, ((0,), (1, 2, 3))) == ("[CLS]", "hedgerows")
    letters = [token("Ġhed", 0, readable=" hed"), token("ger", 0), token("Ġof", 1, readable=" of")]
    assert unit_labels(letters, ((0, 1), (2,))) == ("hedger", "of")
    assert unit_labels(pieces, ((0,), (1,), (2,), (3,))) == ("[CLS]", "hedge", "##row", "##s")


def test_numbers_in_squares_and_lists():
    previous, direction = BY_KEY["previous"], BY_KEY["direction"]
    assert [short_number(previous, x) for x in (0.826, 1.0, 0.001, None)] == [
        ".83",
        "1.00",
        ".00",
        "–",
    ]
    assert [short_number(direction, x) for x in (-0.5, -12.34, 123.4)] == ["−.50", "−12.3", "123"]
    assert [number(direction, x) for x in (-0.5, 0.5, 0.001, None)] == ["−0.50", "+0.50", "0.00", "–"]
    assert number(previous, 0.0) == "0"
