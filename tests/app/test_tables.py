"""The tables beside the pictures, with the numbers the model computed."""

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from attention.ui.panels import tables
from tests.app.screen import checked, opened

TEXT = "The developer deployed the application because it was ready."

SHEET = """
from attention.ui import cache
from attention.ui.panels.tables import sheet_table
from attention.ui.scene import scene
from attention.ui.view import START

shown = scene(START)
sheet_table(shown, cache.overview(shown.asked))
"""


def unfolded(app, key):
    app.session_state[key] = True
    return checked(app.run())


def picked(app, key, name):
    app.selectbox(key=key).set_value(name)
    return checked(app.run()).dataframe[0].value


def test_tables_cost_nothing_until_they_are_opened():
    assert not opened().dataframe


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("X, input", lambda trace: trace.query_input),
        ("Q, queries", lambda trace: trace.queries[4]),
        ("K, keys", lambda trace: trace.keys[4]),
        ("V, values", lambda trace: trace.values[4]),
        ("S, scores", lambda trace: trace.scores[4]),
        ("Scaled", lambda trace: trace.scaled[4]),
        ("Masked", lambda trace: trace.masked[4]),
        ("A, weights", lambda trace: trace.weights[4]),
        ("Z, weighted sum", lambda trace: trace.head_outputs[4]),
        ("ZWᴼ, handed on", lambda trace: trace.head(4).output),
    ],
)
def test_each_matrix_of_the_steps_is_there_whole(unfolded_steps, minilm, name, of):
    shown = picked(unfolded_steps, "steps.table.matrix", name)
    expected = of(minilm.run(TEXT).attention(4)).numpy()
    largest = np.abs(expected[np.isfinite(expected)]).max()
    # One head by itself and all heads at once are added up in another order.
    np.testing.assert_allclose(shown.to_numpy(), expected, atol=5e-6 * max(1, largest))
    assert list(shown.index)[:3] == ["0 [CLS]", "1 the", "2 developer"]
    if expected.shape == (12, 12):
        assert list(shown.columns) == list(shown.index)


@pytest.fixture(scope="module")
def unfolded_steps():
    return unfolded(opened(), "steps.table")


def test_the_sheet_s_table_tells_each_head_s_entropy_and_strongest_pair(minilm):
    app = unfolded(AppTest.from_string(SHEET, default_timeout=120).run(), "sheet.table")
    bits = app.dataframe[0].value
    assert bits.shape == (6, 12)
    assert (bits.index[4], bits.columns[7]) == ("L4", "H7")
    weights = minilm.run(TEXT).attention(4).weights.numpy().astype(float)
    expected = -(weights[7] * np.log2(weights[7])).sum(axis=1).mean()
    assert bits.iloc[4, 7] == pytest.approx(expected, rel=1e-4)
    pairs = picked(app, "sheet.table.what", "Strongest pair")
    query, key = np.unravel_index(weights[7].argmax(), (12, 12))
    assert f"({query}) → " in pairs.iloc[4, 7]
    assert pairs.iloc[4, 7].endswith(f"({key})  {weights[7].max():.3f}")


def test_a_row_for_each_head_can_be_sorted_by_any_number(minilm):
    app = unfolded(AppTest.from_string(SHEET, default_timeout=120).run(), "sheet.table")
    rows = picked(app, "sheet.table.what", "One row a head")
    assert len(rows) == 72
    numeric = ["layer", "head", "mean entropy in bits", "its weight"]
    assert all(pd.api.types.is_numeric_dtype(rows[name]) for name in numeric)
    weights = minilm.run(TEXT).attention(4).weights.numpy().astype(float)[7]
    query, key = np.unravel_index(weights.argmax(), (12, 12))
    layer, head, bits, looks, seen, weight = rows.iloc[4 * 12 + 7]
    assert (layer, head) == (4, 7)
    assert bits == pytest.approx(-(weights * np.log2(weights)).sum(axis=1).mean(), rel=1e-4)
    assert (looks.endswith(f"({query})"), seen.endswith(f"({key})")) == (True, True)
    assert weight == pytest.approx(weights.max(), abs=1e-6)


def test_a_token_of_markup_or_control_characters_is_a_plain_label():
    frame = tables.step_frame(tables.StepTable(np.eye(2), True), ["0", "1"], ["<b>", "a\nb"])
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["0 <b>", "1 a↵b"]
