"""The lines in a file: their curves, strokes and words read back."""

import numpy as np
import pytest

from attention.errors import InputError
from attention.export import svg
from attention.export.view import facts
from attention.figures import lines as figure
from attention.figures import lines_words, theme
from attention.figures.theme import DARK, LIGHT
from tests.export import subjects
from tests.export.reading import curves, texts
from tests.export.subjects import shown

BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def test_each_line_is_the_curve_of_the_page():
    found = curves(svg(shown(subjects.lines())))
    assert len(found) == 4
    for (start_x, start, *controls, end_x, end), _, _, _ in found:
        middle = (start_x + end_x) / 2
        assert controls == pytest.approx([middle, start, middle, end], abs=1e-4)
    ends = {round(points[0], 3) for points, *_ in found}, {round(points[6], 3) for points, *_ in found}
    assert len(ends[0]) == len(ends[1]) == 1, "two columns"


def test_thickness_opacity_and_colour_are_those_of_the_weights():
    found = curves(svg(shown(subjects.lines())))
    # .7 and .2 are the locked query's own; twice .5 is another's and faint. A pixel is .75 points.
    said = sorted((round(width, 3), round(opacity, 3)) for _, _, width, opacity in found)
    wanted = [(0.6 + 5.5 * w, o) for w, o in ((0.2, 0.48), (0.5, 0.07), (0.5, 0.07), (0.7, 0.805))]
    np.testing.assert_allclose(said, [(0.75 * width, opacity) for width, opacity in wanted], atol=1e-3)
    assert {stroke for _, stroke, *_ in found} == {LIGHT.beam}


def test_a_locked_key_has_the_lines_that_reach_it_and_no_lock_shows_all_alike():
    by_key = [opacity for *_, opacity in curves(svg(shown(subjects.lines(lock="key"))))]
    assert sorted(by_key) == pytest.approx([0.07, 0.07, 0.35 + 0.65 * 0.2, 0.35 + 0.65 * 0.5])
    free = [opacity for *_, opacity in curves(svg(shown(subjects.lines(lock=None))))]
    assert sorted(free) == pytest.approx([0.2 + 0.8 * weight for weight in (0.2, 0.5, 0.5, 0.7)])


@BOTH
def test_heads_have_colours_names_and_places_of_their_own(palette):
    pair = (subjects.strand(), subjects.strand("H7", subjects.WEIGHTS[:, ::-1].copy()))
    file = svg(shown(subjects.lines(strands=pair)), palette)
    first, second = theme.head_colours(palette)[:2]
    assert {stroke for _, stroke, *_ in curves(file)} == {first, second}
    starts = {
        stroke: {points[1] for points, other, *_ in curves(file) if other == stroke}
        for _, stroke, *_ in curves(file)
    }
    assert starts[first].isdisjoint(starts[second]), "one head's lines do not hide another's"
    said = texts(file)
    assert said.count("H4") == said.count("H7") == 2, "in the legend and at its heaviest line"


def test_lines_say_what_they_are_and_show_tokens_as_themselves():
    said = texts(svg(shown(subjects.lines(note="special tokens hidden, rows left as they are"))))
    assert {"I", "learn", "je", "##ta", "<b>", "query, looks →", "key, looked at"} <= set(said)
    assert "lines for the largest weights up to 90 % of each row; thickness: weight" in said
    assert "special tokens hidden, rows left as they are" in said
    assert facts(shown(subjects.lines()))["heads drawn"] == "H4"


def test_what_the_query_may_not_see_is_struck_out():
    closed = np.array([[True, True, False], [True, True, True]])
    open_, shut = (svg(shown(subjects.lines(allowed=mask))).decode() for mask in (closed | True, closed))
    stroke = f"stroke: {LIGHT.masked.lower()}"
    assert (open_.count(stroke), shut.count(stroke)) == (0, 1)


def test_a_rectangle_of_lines_has_both_columns():
    said = texts(svg(shown(subjects.lines())))
    assert sum(token in said for token in subjects.QUERIES + subjects.KEYS) == 5


def test_more_lines_than_can_be_drawn_are_told():
    n = 60
    flat = subjects.strand(weights=np.full((n, n), 1 / n), drawn=np.ones((n, n), bool))
    many = figure.Lines(strands=(flat,), allowed=flat.drawn, query_tokens=("x",) * n, key_tokens=("y",) * n,
                        query=3, mass=100)  # fmt: skip
    assert len(curves(svg(shown(many)))) == 1200 + n
    assert "the 2,340 lightest of them are left out" in lines_words.said(many)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"strands": ()}, "lines are drawn for 1 to 8 heads, not for 0"),
        ({"strands": (subjects.strand(),) * 9}, "lines are drawn for 1 to 8 heads, not for 9"),
        ({"query_tokens": ("a",)}, r"lines between 1 × 3 tokens cannot show \(2, 3\) weights"),
    ],
)
def test_lines_that_do_not_fit_are_refused(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        subjects.lines(**changes)
