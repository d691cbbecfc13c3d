"""The steps of a head in a file."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from attention.export import svg
from attention.figures.step_strip import BetweenStep
from attention.figures.theme import DARK, LIGHT
from tests.export import subjects
from tests.export.reading import SVG, has_colour, places, texts
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


PAGE = 60 * 16 - 2 * 16  # CSS pixels that an HTML file has for its picture
SLIDE = (960, 540)  # points of a 16:9 slide


def sheet(subject):
    root = ElementTree.fromstring(svg(shown(subject)))
    return root, tuple(float(root.get(side).removesuffix("pt")) for side in ("width", "height"))


CAP = BetweenStep(name="Capped", formula="50 · tanh(S / 50)", sentence="", scores=head(12).scaled)
SIZES = {
    "5 tokens": subjects.steps(),
    "12 tokens": subjects.steps(head(12), share_of_layer=0.14),
    "a contribution": subjects.steps(
        head(12, contribution=np.ones((12, 96))),
        share_of_layer=-4e-9,
        projection_text="XW + b",
        then=("normed", "turned"),
    ),
    "64 tokens": subjects.steps(head(64)),
    "a window": subjects.steps(head(200), query=50, key=3),
    "two sequences": subjects.steps(head(7, 11, memory=np.ones((11, 9)))),
    "two steps more": subjects.steps(head(12), between=(CAP, replace(CAP, name="Biased", formula="S + B"))),
}


@pytest.mark.parametrize("size", SIZES)
def test_all_steps_fit_a_page_without_scrolling_and_can_be_read_on_a_slide(size):
    root, (width, height) = sheet(SIZES[size])
    assert width * 4 / 3 <= PAGE + 0.5
    on_slide = min(SLIDE[0] / width, SLIDE[1] / height)
    letters = [float(re.search(r"([\d.]+)px", text.get("style"))[1]) for text in root.iter(f"{SVG}text")]
    assert min(letters) * on_slide >= 5.8, "numbers in cells and labels; all else is larger"
    assert sum(letter * on_slide < 6.7 for letter in letters) <= 4 * 25, "only the numbers in cells"


def test_the_rows_break_after_the_scores_and_both_follow_the_query():
    file = svg(shown(subjects.steps(query=3, key=1)))
    high = {name: places(file, name)[0][1] for name in ("Input", "Scores", "Scaled", "Masked", "Weights")}
    assert high["Input"] == high["Scores"] < high["Scaled"] == high["Masked"] == high["Weights"]
    assert places(file, "Weighted sum")[0][1] == high["Scaled"]
    (upper, lower) = places(file, "q3")
    assert upper[0] == lower[0]
    assert lower[1] - upper[1] == pytest.approx(high["Scaled"] - high["Scores"], abs=0.1)


def test_labels_of_many_tokens_do_not_touch_and_the_query_s_is_there():
    file = svg(shown(subjects.steps(head(64), query=50, key=3)))
    names = [text for text in texts(file) if re.fullmatch(r"q\d+", text)]
    assert "q50" in names
    at = sorted({places(file, name)[0][1] for name in names})
    assert min(np.diff(at)) >= 7


def test_the_share_says_what_it_is_where_a_pointer_rests():
    said = svg(shown(subjects.steps(share_of_layer=0.14))).decode()
    assert "14 % of the layer" in said
    assert "<title>14 %: this head’s share of what the layer’s attention adds" in said
