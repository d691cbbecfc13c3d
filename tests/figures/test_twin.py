import numpy as np

from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid
from attention.figures.twin import corner, describe, table
from tests.figures.charts import growth, scores


def test_a_chart_in_words():
    assert describe(growth(note="seed 0")) == (
        "Variance of q·k. Chart of variance over d. measured: 3 numbers, from 4.1 at 4 to 66 at 64. "
        "theory: 3 numbers, from 4 at 4 to 64 at 64. scaled: 3 numbers, from 1.02 at 4 to 1 at 64. seed 0."
    )


def test_a_grid_in_words():
    values = [[1.5, -np.inf], [-3.0, 2.0]]
    shown = Grid("Scores", values, ("I", "am"), ("I", "am"), "query", "key", "scores")
    assert describe(shown) == (
        "Scores. 2 rows (query) by 2 columns (key), 1 cell not allowed. The largest, 2, is at am (1), am (1)."
    )


def test_a_table_has_a_row_a_place_and_a_column_a_series():
    rows, columns = table(growth())
    assert rows == ("4", "16", "64")
    assert list(columns) == ["measured", "theory", "scaled"]
    np.testing.assert_array_equal(columns["measured"], [4.1, 15.9, 66.0])


def test_series_over_different_places_leave_gaps():
    series = (Series("a", [1, 3], [10, 30]), Series("b", [2], [20]), Series("a", [2], [5]))
    rows, columns = table(Chart("t", Axis("x"), Axis("y"), series))
    assert rows == ("1", "2", "3")
    np.testing.assert_array_equal(columns["a (0)"], [10, np.nan, 30])
    np.testing.assert_array_equal(columns["b"], [np.nan, 20, np.nan])
    np.testing.assert_array_equal(columns["a (2)"], [np.nan, 5, np.nan])


def test_several_numbers_at_one_place_lose_none():
    series = (Series("cloud", [1, 1], [10, 30], mark="points"), Series("line", [2], [20]))
    rows, columns = table(Chart("t", Axis("x"), Axis("y"), series))
    assert rows == ("0", "1")
    np.testing.assert_array_equal(columns["cloud: y"], [10, 30])
    np.testing.assert_array_equal(columns["line: x"], [2, np.nan])


def test_a_grid_s_table_tells_equal_words_apart_and_keeps_minus_infinity():
    shown = scores(3, rows=("the", "dog", "the"), columns=("the", "dog", "the"))
    rows, columns = table(shown)
    assert rows == ("the⁰", "dog", "the²")
    assert list(columns) == ["the⁰", "dog", "the²"]
    np.testing.assert_array_equal(columns["the²"][:2], [-np.inf, -np.inf])
    assert columns["the²"][2] == shown.values[2, 2]
    assert corner(shown) == "query, looks ↓ key, looked at →"


def test_what_is_not_allowed_is_no_number_unless_it_is_known_to_be_zero():
    allowed = np.array([[True, False]])
    given = (("q",), ("a", "b"), "query", "key")
    weights = Grid("w", [[0.4, 0.6]], *given, "weights", allowed=allowed)
    assert table(weights)[1]["b"] == [0]
    raw = Grid("s", [[0.4, 0.6]], *given, "scores", allowed=allowed)
    assert np.isnan(table(raw)[1]["b"])
