"""A sheet of heads in another order, with words in its squares."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention.ui.components import wire
from attention.ui.components.sheet_look import PLAIN, SheetLook

ORDER = ((1, 2), (0, 1), (0, 0), (1, 0), (0, 2), (1, 1))
SHEET = f"""
import numpy as np
import streamlit as st
from attention.figures.theme import LIGHT
from attention.ui.components.head_sheet import head_sheet
from attention.ui.components.sheet_look import SheetLook

shades = np.arange(6, dtype=np.uint8).reshape(2, 3, 1, 1)
notes = [[f"note {{l}}{{h}}" for h in range(3)] for l in range(2)]
texts = [[f"{{l}}{{h}}" for h in range(3)] for l in range(2)]
look = SheetLook(order={ORDER!r}, texts=texts, hatched=[(0, 2)], height=90,
                 scale=((0, "#000000"), (1, "#FFFFFF")))
picked = st.session_state.setdefault("picked", [])
now = head_sheet(shades, selected=(0, 1), heads_off=[(1, 0)], notes=notes, palette=LIGHT, look=look,
                 on_pick=picked.append)
st.text(repr(now))
"""


def test_pictures_notes_texts_and_marks_go_where_their_head_stands():
    app = AppTest.from_string(SHEET).run()
    words, arrays = wire.unpack(app.get("bidi_component")[0].proto.bytes)
    assert arrays["shades"].reshape(2, 3).tolist() == [[5, 1, 0], [3, 2, 4]]
    assert words["names"] == [["L1 H2", "L0 H1", "L0 H0"], ["L1 H0", "L0 H2", "L1 H1"]]
    assert words["notes"][1] == ["note 10", "note 02", "note 11"]
    assert words["texts"][0] == ["12", "01", "00"]
    assert (words["rows"], words["columns"]) == (["1.", "4."], [])
    assert words["selected"] == [0, 1]
    assert (words["hatched"], words["heads_off"]) == ([[1, 1]], [[1, 0]])
    assert words["height"] == 90
    assert words["ramp"][:6] == "000000"
    assert words["ramp"][-6:] == "FFFFFF"


def test_a_click_on_a_place_is_a_click_on_the_head_that_stands_there():
    app = AppTest.from_string(SHEET).run()
    app.session_state["sheet"] = {"selected": [1, 2, 1000]}
    app.run()
    assert app.text[0].value == "(1, 1)"


@pytest.mark.parametrize("look", [PLAIN, SheetLook(order=ORDER)])
def test_every_head_has_one_place(look):
    heads = [(layer, head) for layer in range(2) for head in range(3)]
    places = [look.place(head, 3) for head in heads]
    assert sorted(places) == heads
    assert [look.at(place, 3) for place in places] == heads


def test_the_model_s_own_order_is_by_layer():
    words = PLAIN.words(2, 3, [["a", "b", "c"], ["d", "e", "f"]])
    assert (words["rows"], words["columns"]) == (["L0", "L1"], ["H0", "H1", "H2"])
    assert words["names"][1] == ["L1 H0", "L1 H1", "L1 H2"]
    assert words["texts"] == []
    shades = np.zeros((2, 3, 4, 4), np.uint8)
    assert PLAIN.arranged(shades) is shades
