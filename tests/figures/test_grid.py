from dataclasses import replace

import numpy as np
import pytest

from attention.errors import InputError
from attention.figures import theme
from attention.figures.grid import Grid, cell_text, heights, legend, limit, notes, reading
from attention.figures.grid_figure import grid_figure
from attention.figures.grid_frame import grid_frame
from attention.figures.theme import DARK, LIGHT
from tests.figures.charts import HOSTILE, scores
from tests.figures.test_heatmap import names, plain, trace


def grid(values, scale="scores", **changes):
    values = np.asarray(values)
    rows, columns = values.shape
    given = dict(rows=tuple(f"r{at}" for at in range(rows)), columns=tuple(f"c{at}" for at in range(columns)))
    given |= dict(row_title="row", column_title="column")
    return Grid("Numbers", values, **(given | {"scale": scale} | changes))


def test_masked_scores_are_holes_under_a_hatch_and_say_minus_infinity():
    shown = scores(4)
    figure = grid_figure(shown, LIGHT)
    np.testing.assert_array_equal(np.isnan(trace(figure, "values").z), ~np.tri(4, dtype=bool))
    assert len(trace(figure, "masked").x) == 6 * 3, "one rectangle for each of three rows"
    numbers = trace(figure, "numbers")
    texts = dict(zip(zip(numbers.y, numbers.x, strict=True), numbers.text, strict=True))
    assert texts[0, 3] == "−∞"
    assert texts[3, 0] == cell_text(shown, 3, 0)
    colours = dict(zip(zip(numbers.y, numbers.x, strict=True), numbers.textfont.color, strict=True))
    assert colours[0, 3] == LIGHT.masked


def test_scores_reach_as_far_below_zero_as_above():
    shown = grid([[1.0, -4.0], [0.0, 2.0]])
    assert limit(shown) == 4
    np.testing.assert_allclose(heights(shown), [[0.625, 0], [0.5, 0.75]])
    assert legend(shown) == ((0.0, "−4"), (0.5, "0"), (1.0, "4"))
    cells = trace(grid_figure(shown, DARK), "values")
    assert (cells.zmin, cells.zmax) == (-4, 4)
    assert cells.colorscale[-1][1] == theme.lut(theme.score_scale(DARK))[255]


def test_weights_begin_at_nothing_and_end_at_one_or_where_told():
    shown = grid([[0.25, 0.75]], "weights")
    assert legend(shown) == ((0.0, "0"), (0.5, "0.5"), (1.0, "1 weight"))
    np.testing.assert_allclose(heights(shown), [[0.25, 0.75]])
    ended = grid([[0.25, 0.75]], "weights", limit=0.5)
    np.testing.assert_allclose(heights(ended), [[0.5, 1]])
    assert notes(ended) == ("1 cell lies beyond the end of the colours",)


def test_who_may_attend_is_filled_or_hatched_and_says_one_or_zero():
    shown = grid(np.tri(3, dtype=bool), "allowed")
    np.testing.assert_array_equal(shown.open, np.tri(3, dtype=bool))
    assert [cell_text(shown, 0, at) for at in range(3)] == ["1", "0", "0"]
    assert reading(shown, 0, 2) == "0, may not attend"
    assert trace(grid_figure(shown, LIGHT), "values").showscale is False
    assert notes(shown) == ("filled, 1: may attend; hatched, 0: may not",)


@pytest.mark.parametrize(
    ("value", "wide", "narrow"),
    [(0.369, ".37", ".37"), (-0.25, "−.25", "−.25"), (2.345, "2.35", "2.3"), (-12.34, "−12.3", "−12"),
     (123.4, "123", "123"), (0.0, ".00", ".00")],
)  # fmt: skip
def test_a_number_fits_its_cell(value, wide, narrow):
    assert cell_text(grid([[value]]), 0, 0) == wide
    assert cell_text(grid(np.full((1, 9), value)), 0, 0) == narrow


@pytest.mark.parametrize("role", ["query", "key", "value", "output"])
def test_entries_have_the_colour_of_their_role(role):
    cells = trace(grid_figure(grid([[1.0, -1.0]], role), LIGHT), "values")
    assert cells.colorscale[-1][1].upper() == getattr(LIGHT, role)


def test_a_point_in_every_cell_takes_clicks_and_says_its_number():
    points = trace(grid_figure(scores(3), LIGHT), "cells")
    assert points.customdata[5] == [1, 2]
    assert points.hovertext[5] == "−∞, masked"
    assert trace(grid_figure(grid([[0.12345]]), LIGHT), "cells").hovertext == ("0.1235",)
    assert points.hovertemplate.startswith("%{y}, %{x}<br>")


@pytest.mark.parametrize(("n", "traces"), [(14, 4), (64, 3), (65, 2)])
def test_numbers_and_clicks_end_where_cells_are_small(n, traces):
    figure = grid_figure(grid(np.eye(n), "weights"), LIGHT)
    assert len(figure.data) == traces
    assert names(figure)[0] == "values"


@pytest.mark.parametrize("n", [5, 30, 200])
def test_at_most_64_names_a_side_and_the_focused_one_among_them(n):
    shown = grid(np.eye(n), "weights", focus_row=n - 2, row_title="query", column_title="key")
    figure = grid_figure(shown, LIGHT)
    labels = [plain(text) for text in figure.layout.yaxis2.ticktext]
    assert len(labels) <= 64
    assert f"r{n - 2}" in labels
    (bold,) = [text for text in figure.layout.yaxis2.ticktext if text.startswith("<b>")]
    assert LIGHT.query in bold


def test_cells_are_square_and_no_side_is_too_short():
    for n in (5, 30, 200):
        area = grid_frame(grid(np.eye(n)))
        assert area.width == area.height <= 460
    tall = grid_frame(grid(np.zeros((200, 8))))
    assert (tall.width, tall.height) == (300, 460)
    wide = grid_frame(grid(np.zeros((16, 384))))
    assert (wide.width, wide.height) == (560, 300)


def test_marks_frame_a_row_a_column_or_a_row_and_its_cell():
    def marks(**focus):
        shapes = grid_figure(grid(np.eye(3), **focus), LIGHT).layout.shapes
        return [(shape.x0, shape.x1, shape.y0, shape.y1) for shape in shapes]

    assert marks() == []
    assert marks(focus_row=1) == [(-0.5, 2.5, 0.5, 1.5)]
    assert marks(focus_column=2) == [(1.5, 2.5, -0.5, 2.5)]
    assert marks(focus_row=1, focus_column=2) == [(-0.5, 2.5, 0.5, 1.5), (1.5, 2.5, 0.5, 1.5)]


def test_the_reader_s_words_are_shown_as_they_are():
    shown = grid(np.eye(8), rows=HOSTILE, columns=HOSTILE, row_title="<b>", column_title="$y$")
    said = str(grid_figure(shown, LIGHT).to_plotly_json())
    assert "&#60;b&#62;" in said
    assert "<b>" not in said
    assert "$x$" not in said


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: grid([[1.0, np.nan]]), "1 of 2 cells that are no finite number"),
        (lambda: grid(np.eye(3), rows=("a", "b")), "3 × 3 numbers for a picture of 2 rows by 3 columns"),
        (lambda: grid(np.eye(2), allowed=np.ones((1, 2), bool)), "1 × 2 allowed cells for a picture of 2"),
        (lambda: grid(np.zeros((0, 2))), "nothing to draw: 0 rows by 2 columns"),
        (lambda: grid(np.eye(2), focus_row=2), "no row 2 to point at: the picture has 2"),
        (lambda: grid(np.eye(2), limit=0.0), "cannot end at 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(made, said):
    with pytest.raises(InputError, match=said):
        made()


def test_a_cell_without_a_number_is_not_called_masked():
    whole = scores(3)
    values = np.where(np.eye(3, k=-1), np.nan, whole.values)
    half = replace(whole, values=values, allowed=np.isfinite(values))
    assert (reading(half, 1, 0), reading(half, 0, 1)) == ("no number", "−∞, masked")
    assert cell_text(half, 1, 0) == ""


def test_a_part_of_several_cells_has_one_outline():
    (frame,) = grid_figure(grid(np.ones((5, 6)), part=(range(1, 3), range(2, 6))), DARK).layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (1.5, 5.5, 0.5, 2.5)
    assert frame.line.color == DARK.ink
    with pytest.raises(InputError, match="no column 6"):
        grid(np.ones((5, 6)), part=(range(1, 3), range(2, 7)))
