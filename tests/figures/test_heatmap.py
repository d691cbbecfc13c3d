import base64
import html
import json
import re

import numpy as np
import pytest

from attention.figures import theme
from attention.figures.heatmap import heatmap, size
from attention.figures.picture import FLOOR
from attention.figures.theme import DARK, LIGHT
from tests.figures.pictures import SENTENCE, causal, picture

BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def trace(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def names(figure):
    return [trace.name for trace in figure.data]


def plain(label):
    return html.unescape(re.sub("<[^<>]*>", "", label))


@BOTH
def test_the_cells_are_the_weights(palette):
    shown = picture(5, 7)
    cells = trace(heatmap(shown, palette), "weights")
    np.testing.assert_array_equal(cells.z, shown.values)
    assert cells.z.dtype == np.float32
    assert (cells.zmin, cells.zmax) == (0, 1)
    assert [colour for _, colour in cells.colorscale] == list(theme.lut(theme.weight_scale(palette))[::5])


def test_masked_cells_are_holes_under_a_hatch():
    shown = causal(6)
    figure = heatmap(shown, DARK)
    np.testing.assert_array_equal(np.isnan(trace(figure, "weights").z), ~shown.allowed)
    assert trace(figure, "weights").hoverongaps is False
    hatch = trace(figure, "masked")
    assert (hatch.fill, hatch.line.width) == ("toself", 0)
    assert (hatch.fillpattern.shape, hatch.fillpattern.fillmode) == ("/", "replace")
    assert (hatch.fillpattern.fgcolor, hatch.fillpattern.bgcolor) == (DARK.hatch, DARK.mask_ground)
    assert len(hatch.x) == 6 * 5, "one rectangle for each of five rows"
    assert names(figure).index("masked") > names(figure).index("weights")


def test_nothing_is_hatched_without_a_mask():
    assert len(trace(heatmap(picture(6), LIGHT), "masked").x) == 0


def test_a_repeated_word_keeps_its_rows():
    figure = heatmap(picture(12), LIGHT)
    assert trace(figure, "weights").z.shape == (12, 12)
    for axis in (figure.layout.xaxis2, figure.layout.yaxis2):
        assert list(axis.tickvals) == list(range(12)), "numeric: equal categories would be merged"
        assert [plain(text) for text in axis.ticktext] == SENTENCE


def test_queries_run_down_and_keys_across():
    figure = heatmap(picture(5, 7), LIGHT)
    for x, y in (("xaxis", "yaxis"), ("xaxis2", "yaxis2")):
        assert figure.layout[x].range == (-0.5, 6.5)
        assert figure.layout[y].range == (4.5, -0.5)
    assert (figure.layout.xaxis2.side, figure.layout.xaxis2.overlaying) == ("top", "x")


def test_nothing_resizes_the_cells_behind_our_back():
    layout = heatmap(picture(12), LIGHT).layout
    for axis in (layout.xaxis, layout.yaxis, layout.xaxis2, layout.yaxis2):
        assert axis.scaleanchor is None
        assert axis.automargin is False
        assert axis.fixedrange is True
    assert layout.xaxis2.ticklabeloverflow == layout.yaxis2.ticklabeloverflow == "allow"
    assert layout.margin.autoexpand is False
    assert (layout.width, layout.height) == size(picture(12)) == (590, 596)


@pytest.mark.parametrize(("focus", "n"), [(7, 200), (0, 200), (199, 200), (133, 511)])
def test_at_most_64_labels_and_the_focus_always_among_them(focus, n):
    figure = heatmap(picture(n, query=focus, key=focus), LIGHT)
    for axis, colour in ((figure.layout.xaxis2, LIGHT.key), (figure.layout.yaxis2, LIGHT.query)):
        assert len(axis.tickvals) == len(axis.ticktext) <= 64
        assert focus in axis.tickvals
        at = axis.tickvals.index(focus)
        assert axis.ticktext[at].startswith(f'<b><span style="color:{colour}">')
        assert sum("<b>" in text for text in axis.ticktext) == 1


def test_every_cell_can_be_named_on_hover_however_few_the_labels():
    figure = heatmap(picture(200, key_positions=tuple(range(1, 201))), LIGHT)
    axis = figure.layout.xaxis
    assert axis.showticklabels is False
    assert list(axis.tickvals) == list(range(200))
    assert html.unescape(axis.ticktext[5]) == "application (6)"
    assert html.unescape(figure.layout.yaxis.ticktext[13]) == "the (13)"
    assert trace(figure, "weights").hovertemplate == ("%{y} looks at %{x}<br>weight %{z:.4~g}<extra></extra>")


@pytest.mark.parametrize("token", ["<script>", "</script>", "<b>", "&amp;", "$x$", "**b**"])
def test_tokens_are_shown_as_themselves(token):
    figure = heatmap(picture(2, query_tokens=(token, "b"), key_tokens=("a", token), query=0, key=0), LIGHT)
    assert plain(figure.layout.yaxis2.ticktext[0]) == token
    assert plain(figure.layout.xaxis.ticktext[1]) == f"{token} (1)"
    assert token not in figure.to_json()


@BOTH
@pytest.mark.parametrize("chosen", ["fixed", "head", "log"])
def test_numbers_stand_in_their_cells_and_can_be_read(palette, chosen):
    shown = causal(8, range=chosen)
    figure = heatmap(shown, palette)
    texts = trace(figure, "numbers")
    scale = theme.lut(theme.weight_scale(palette))
    cells = trace(figure, "weights")
    wanted = {tuple(at) for at in np.argwhere(shown.allowed & (shown.values >= 0.005))}
    assert set(zip(texts.y, texts.x, strict=True)) == wanted
    for row, column, text, colour in zip(texts.y, texts.x, texts.text, texts.textfont.color, strict=True):
        assert float(text) == pytest.approx(shown.values[row, column], abs=0.005001)
        height = (cells.z[row, column] - cells.zmin) / (cells.zmax - cells.zmin)
        assert theme.contrast(colour, scale[round(255 * float(height))]) >= 4.5


def test_no_number_stands_on_a_masked_cell():
    allowed = np.array([[True, False], [True, True]])
    texts = trace(
        heatmap(picture(2, values=np.full((2, 2), 0.5, np.float32), allowed=allowed), LIGHT), "numbers"
    )
    assert (0, 1) not in zip(texts.y, texts.x, strict=True)
    assert len(texts.x) == 3


def test_numbers_and_gaps_stop_where_they_would_crowd():
    assert "numbers" in names(heatmap(picture(14), LIGHT))
    assert "numbers" not in names(heatmap(picture(15), LIGHT))
    assert "numbers" not in names(heatmap(picture(2, 15), LIGHT))
    assert trace(heatmap(picture(24), LIGHT), "weights").xgap == 1
    assert trace(heatmap(picture(25), LIGHT), "weights").xgap == 0


def test_every_cell_can_be_hovered_up_to_64_tokens():
    points = trace(heatmap(causal(3), LIGHT), "cells")
    assert list(zip(points.y, points.x, strict=True)) == [(q, k) for q in range(3) for k in range(3)]
    assert points.marker.opacity == 0
    assert points.marker.size >= 60, "as large as a cell"
    assert len(trace(heatmap(picture(64), LIGHT), "cells").x) == 64 * 64
    assert "cells" not in names(heatmap(picture(65), LIGHT))


def test_hover_has_four_digits_and_tells_masked_from_zero():
    values = np.array([[0.36832, 0, 3.21987e-12], [1, 0, 0], [0, 0, 0]], np.float32)
    allowed = np.array([[True, True, True], [True, False, True], [False, False, False]])
    points = trace(heatmap(picture(3, values=values, allowed=allowed, range="log"), LIGHT), "cells")
    assert list(points.hovertext) == [
        "weight 0.3683",
        "weight 0",
        "weight 3.220e−12",
        "weight 1.000",
        "masked for this query",
        "weight 0",
        *["this query sees nothing"] * 3,
    ]


def test_log_range_shades_by_decades_and_hovers_the_true_weight():
    values = np.array([[1, 0.01], [0, 1e-7]], np.float32)
    cells = trace(heatmap(picture(2, values=values, range="log"), LIGHT), "weights")
    np.testing.assert_allclose(cells.z, [[0, -2], [-4, -4]], atol=1e-6)
    assert (cells.zmin, cells.zmax) == (pytest.approx(np.log10(FLOOR)), 0)
    np.testing.assert_array_equal(cells.customdata, values)
    assert "%{customdata:.4~g}" in cells.hovertemplate
    assert list(cells.colorbar.ticktext) == ["1e−4 or less", "0.01", "1 weight"]
    np.testing.assert_allclose(cells.colorbar.tickvals, [-4, -2, 0])


def test_head_range_is_on_the_bar():
    shown = picture(40, range="head")
    cells = trace(heatmap(shown, LIGHT), "weights")
    assert cells.zmax == pytest.approx(float(shown.values.max()))
    np.testing.assert_allclose(cells.colorbar.tickvals, [0, cells.zmax / 2, cells.zmax])
    assert cells.colorbar.orientation == "h"


def outlines(figure):
    return [(s.x0, s.x1, s.y0, s.y1, s.line.color) for s in figure.layout.shapes]


@BOTH
def test_focus_is_a_blue_row_and_an_ink_cell(palette):
    figure = heatmap(picture(5, 7, query=3, key=6), palette)
    assert outlines(figure) == [(-0.5, 6.5, 2.5, 3.5, palette.query), (5.5, 6.5, 2.5, 3.5, palette.ink)]
    assert {shape.line.width for shape in figure.layout.shapes} == {2}


def test_a_hidden_focus_has_no_mark():
    assert len(heatmap(picture(5, query=2), LIGHT).layout.shapes) == 1
    assert len(heatmap(picture(5, key=2), LIGHT).layout.shapes) == 0


def test_a_thin_row_is_not_covered_by_its_own_outline():
    (x0, x1, y0, y1, _), _ = outlines(heatmap(picture(200, query=9, key=9), LIGHT))
    pitch = 460 / 200
    assert (y1 - y0) * pitch - 2 >= pitch, "what lies inside a line of 2 px is the whole row"
    assert (x0, x1) == pytest.approx((-0.5 - 1 / pitch, 199.5 + 1 / pitch))


def words(figure):
    return {annotation.text: annotation for annotation in figure.layout.annotations}


def test_the_axes_say_who_looks_at_whom():
    figure = heatmap(picture(5), LIGHT)
    assert words(figure)["query, looks ↓"].font.color == LIGHT.query
    assert words(figure)["key, looked at →"].font.color == LIGHT.key
    for axis in (figure.layout.xaxis2, figure.layout.yaxis2):
        assert axis.title.text is None


def test_hidden_tokens_are_told_under_the_picture():
    note = "special tokens hidden, rows renormalised"
    figure = heatmap(picture(5, note=note), LIGHT)
    assert note in {html.unescape(text) for text in words(figure)}
    assert figure.layout.height == heatmap(picture(5), LIGHT).layout.height + 18


def test_a_query_that_sees_nothing_says_so():
    allowed = np.ones((5, 5), bool)
    allowed[3] = False
    figure = heatmap(picture(5, allowed=allowed), LIGHT)
    said = words(figure)["sees nothing"]
    assert (said.x, said.y, said.bgcolor) == (2, 3, LIGHT.mask_ground)
    assert not np.isnan(trace(figure, "weights").z[2]).any()
    many = np.ones((100, 100), bool)
    many[3] = False
    assert "1 query sees nothing" in words(heatmap(picture(100, allowed=many), LIGHT))


def test_large_pictures_travel_as_float32():
    figure = json.loads(heatmap(causal(200), LIGHT).to_json())
    cells = next(trace for trace in figure["data"] if trace["name"] == "weights")
    assert cells["z"]["dtype"] == "f4"
    assert len(base64.b64decode(cells["z"]["bdata"])) == 4 * 200 * 200
    assert len(json.dumps(figure)) < 400_000
