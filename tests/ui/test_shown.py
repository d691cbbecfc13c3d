import io
import json

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from attention.figures.twin import describe
from attention.ui import shown as module
from tests.app.screen import checked, html
from tests.figures.charts import growth, scores

SCRIPT = """
import streamlit as st
from attention.figures.theme import DARK
from attention.ui.shown import shown
from tests.figures.charts import growth, scores

picked = st.session_state.setdefault("picked", [])
shown(growth(title="<b>Variance"), key="a", colours=DARK, caption="<b>Notice</b> it.", facts={"seed": "0"})
shown(scores(4, note="seed <0>"), key="b", colours=DARK, on_pick=lambda *at: picked.append(at))
st.text(repr(picked))
"""


def app(**state):
    test = AppTest.from_string(SCRIPT, default_timeout=60)
    for key, value in state.items():
        test.session_state[key] = value
    return checked(test.run())


def test_a_picture_has_its_words_and_its_alt_text():
    test = app()
    chart, grid = test.get("plotly_chart")
    assert chart.proto.alt == describe(growth(title="<b>Variance"))
    assert grid.proto.alt == describe(scores(4, note="seed <0>"))
    said = html(test)
    assert "&lt;b&gt;Variance" in said
    assert '<div class="cap"><b>Notice</b> it.</div>' in said
    assert '<div class="cap">seed &lt;0&gt;</div>' in said


def test_the_table_is_made_when_it_is_opened_and_holds_the_numbers():
    assert not app().dataframe
    test = app(**{"shown.b.table": True})
    (table,) = test.dataframe
    shown = scores(4)
    expected = pd.DataFrame(shown.values, index=list(shown.rows), columns=list(shown.columns))
    pd.testing.assert_frame_equal(table.value, expected)


def test_every_picture_offers_every_file_under_its_own_name(monkeypatch):
    offered = {}

    def button(label, *, data, file_name, **given):
        offered[file_name] = data

    monkeypatch.setattr(module.st, "download_button", button)
    app()
    assert sorted(offered) == sorted(
        f"headlight_{name}.{ext}" for name in ("a_b-variance", "b_masked-scores") for ext in module.FILES
    )
    held = json.loads(offered["headlight_a_b-variance.json"]())
    assert held["facts"] == {"seed": "0"}
    with np.load(io.BytesIO(offered["headlight_b_masked-scores.npz"]())) as arrays:
        np.testing.assert_array_equal(arrays["values"], scores(4).values)


def test_a_dark_page_offers_light_files_unless_told_otherwise(monkeypatch):
    offered = {}
    monkeypatch.setattr(
        module.st,
        "download_button",
        lambda label, *, data, file_name, **given: offered.update({file_name: data}),
    )
    app()
    assert b"#ffffff" in offered["headlight_b_masked-scores.svg"]()
    app(**{"shown.b.white": False})
    assert b"#121417" in offered["headlight_b_masked-scores.svg"]()


def test_a_click_names_row_and_column(monkeypatch):
    points = {"selection": {"points": [{"customdata": [3, 1], "curve_number": 2, "point_index": 13}]}}
    told = []
    monkeypatch.setattr(module.st, "session_state", {"held": points, "let go": {"selection": {"points": []}}})
    module._picked("held", True, lambda *at: told.append(at))
    module._picked("held", False, lambda *at: told.append(at))
    module._picked("let go", True, lambda *at: told.append(at))
    assert told == [(3, 1), (2, 13)]
