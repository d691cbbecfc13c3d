import numpy as np
import pytest

from attention.errors import InputError
from attention.figures.chart import Axis, Chart, Series, lost, notes
from attention.figures.chart_axes import axis_ticks, reaches
from attention.figures.chart_figure import chart_figure
from attention.figures.theme import DARK, LIGHT
from tests.figures.charts import HOSTILE, growth
from tests.figures.test_heatmap import plain

TWO = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def histogram(**changes):
    x = [-1.0, 0.0, 1.0]
    pair = (Series("wide", x, [1, 2, 1], "key", "bars"), Series("narrow", x, [0, 4, 0], "query", "bars"))
    return Chart("Histogram", Axis("score"), Axis("count"), pair, **changes)


@TWO
def test_every_series_has_its_numbers_its_colour_and_a_mark_of_its_own(palette):
    measured, theory, scaled = chart_figure(growth(), palette).data
    np.testing.assert_array_equal(measured.y, [4.1, 15.9, 66.0])
    assert (measured.mode, theory.mode, scaled.mode) == ("markers", "lines", "lines+markers")
    assert (theory.line.dash, scaled.line.dash) == ("6px,4px", "solid")
    assert (measured.marker.color, scaled.line.color) == (palette.ink, palette.beam)
    assert measured.marker.symbol != scaled.marker.symbol, "told apart in grey"


def test_lines_of_one_chart_carry_a_few_different_marks():
    lines = tuple(Series(role, range(50), range(50), role) for role in ("query", "key", "value"))
    drawn = chart_figure(Chart("Norms", Axis("layer"), Axis("norm"), lines), LIGHT).data
    assert [trace.marker.symbol for trace in drawn] == ["circle", "square", "diamond"]
    assert {trace.marker.maxdisplayed for trace in drawn} == {7}


def test_a_logarithmic_axis_names_its_few_places_and_reaches_past_them():
    axis = chart_figure(growth(), LIGHT).layout.xaxis
    assert axis.type == "log"
    assert axis.ticktext == ("4", "16", "64")
    np.testing.assert_allclose(axis.tickvals, [4, 16, 64])
    low, high = axis.range
    assert 10**low < 4 < 64 < 10**high


def test_round_places_and_real_minus():
    across, up = reaches(histogram())
    assert across == pytest.approx((-1.65, 1.65)), "whole bars and a margin of 5 %"
    assert up[0] == 0, "bars stand on zero"
    ticks = axis_ticks(Axis("score"), across, np.array([-1.0, 1.0]))
    assert [text for _, text in ticks] == ["−1.5", "−1", "−0.5", "0", "0.5", "1", "1.5"]
    decades = axis_ticks(Axis("n", log=True), (0.0, 6.0), np.geomspace(1, 1e6, 50))
    assert [text for _, text in decades] == ["1", "10", "100", "1,000", "10,000", "100,000", "1e6"]


@pytest.mark.parametrize(("low", "begins"), [(0.0, 0.0), (-1e-17, 0.0), (0.5, 0.0), (-0.5, -0.575)])
def test_bars_stand_on_zero_whatever_rounding_says(low, begins):
    bars = Series("moved", [0, 1], [low, 1.0], mark="bars")
    assert reaches(Chart("t", Axis("x"), Axis("y"), (bars,)))[1][0] == pytest.approx(begins)


def test_bars_overlap_so_that_both_are_seen_and_categories_stand_side_by_side():
    figure = chart_figure(histogram(), LIGHT)
    assert figure.layout.barmode == "overlay"
    assert {bar.opacity for bar in figure.data} == {0.6}
    named = Chart("Kept", Axis("", labels=("a", "b")), Axis("share"), histogram().series[:2])
    figure = chart_figure(named, LIGHT)
    assert figure.layout.barmode == "group"
    assert {bar.opacity for bar in figure.data} == {1.0}
    assert figure.layout.xaxis.ticktext == ("a", "b")


def test_a_hover_says_series_and_both_numbers():
    hover = chart_figure(growth(), LIGHT).data[0].hovertext
    assert [plain(text) for text in hover] == [
        "measuredd: 4variance: 4.1",
        "measuredd: 16variance: 15.9",
        "measuredd: 64variance: 66",
    ]


def test_the_reader_s_words_are_shown_as_they_are():
    axis = Axis("<i>token</i>", labels=HOSTILE)
    series = (Series("<script>", range(8), range(8), mark="bars"), Series("$x$", [0], [1]))
    figure = chart_figure(Chart("<b>", axis, Axis("&amp;"), series), LIGHT)
    assert figure.data[0].name == "&#60;script&#62;"
    assert figure.layout.xaxis.title.text == "&#60;i&#62;token&#60;&#47;i&#62;"
    assert figure.layout.xaxis.ticktext[0] == "&#60;b&#62;"
    assert figure.layout.xaxis.ticktext[3] == "∅"
    assert "<b>" not in str(figure.to_plotly_json()).replace("measured<br>", "")


@pytest.mark.parametrize(("n", "named"), [(24, 24), (25, 13), (80, 20)])
def test_names_along_an_axis_are_as_many_as_have_room(n, named):
    names = tuple(f"word{at}" for at in range(n))
    bars = Series("a", range(n), range(n), mark="bars")
    chart = Chart("t", Axis("token", labels=names), Axis("y"), (bars,))
    axis = chart_figure(chart, LIGHT).layout.xaxis
    assert len(axis.ticktext) == named
    assert list(axis.ticktext) == [names[int(at)] for at in axis.tickvals]


def test_what_has_no_logarithm_is_said():
    chart = growth(series=(Series("gradient", [1, 2, 4], [0.5, 0.0, -1.0]),), note="seed 0")
    assert lost(chart) == 2
    assert notes(chart) == ("seed 0", "2 at or below 0 have no place on a logarithmic axis")
    assert notes(growth()) == ()


def test_numbers_of_a_series_are_its_own():
    y = np.array([1.0, 2.0])
    series = Series("a", [0, 1], y)
    y[0] = 9
    assert series.y[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        series.y[0] = 3


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: Series("a", [1, 2], [1]), "“a” has 2 places, but 1 numbers"),
        (lambda: Series("a", [1], [np.inf]), "“a” has 1 infinite numbers"),
        (lambda: growth(series=()), "“Variance of q·k” has 0 series"),
        (lambda: Axis("d", range=(3, 3)), "“d” would run from 3 to 3"),
        (lambda: Axis("d", log=True, range=(0, 3)), "logarithmic and cannot begin at 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(made, said):
    with pytest.raises(InputError, match=said):
        made()


@pytest.mark.parametrize("y", [[np.nan, np.nan], [2.0, 2.0], [0.0, 0.0], [1e-9, 1e12]])
def test_any_numbers_have_axes(y):
    chart = Chart("t", Axis("x"), Axis("y"), (Series("a", [0, 1], y, mark="bars"),))
    axis = chart_figure(chart, LIGHT).layout.yaxis
    assert np.isfinite(axis.range).all()
    assert axis.range[0] < axis.range[1]
    assert len(axis.ticktext) >= 2
