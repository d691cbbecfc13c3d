"""The steps of a head in a file."""

import numpy as np
import pytest

from attention.export import svg
from attention.figures.theme import DARK, LIGHT
from tests.export import subjects
from tests.export.reading import has_colour, texts
from tests.export.subjects import pixels, shown
from tests.figures.heads import head

BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def test_every_step_is_there_with_its_number():
    arrays = head(5, allowed=np.tril(np.ones((5, 5), bool)))
    said = texts(svg(shown(subjects.steps(arrays, query=3, key=1))))
    assert {"Input", "Queries, keys, values", "Scores", "Scaled", "Masked", "Weights", "Weighted sum"} <= set(
        said
    )
    for value in (arrays.scores[3, 1], arrays.scaled[3, 1]):
        assert f"{value:.3f}".replace("-", "−") in said
    assert f"{arrays.weights[3, 1]:.3f}" in said
    assert said.count("−∞") == 10, "in each closed cell of the masked scores"
    assert {f"q{at}" for at in range(5)} <= set(said)


def test_steps_of_a_rectangle_and_of_a_masked_pair():
    closed = np.ones((3, 6), bool)
    closed[1, 4] = False
    said = texts(svg(shown(subjects.steps(head(3, 6, allowed=closed), query=1, key=4))))
    assert "−∞" in said
    assert "k4" not in said, "rows are queries"


@BOTH
def test_steps_take_the_colours_of_the_file_not_of_the_page(palette):
    array = pixels(subjects.steps(palette=DARK if palette is LIGHT else LIGHT), palette)
    for role in ("query", "key", "value", "output"):
        assert has_colour(array, getattr(palette, role))


def test_a_window_of_a_long_sequence_is_told():
    said = texts(svg(shown(subjects.steps(head(100), query=50, key=3))))
    assert any("queries 30–69 and keys 0–39 of 100" in text for text in said)
    assert "q50" in said
    assert "q10" not in said
