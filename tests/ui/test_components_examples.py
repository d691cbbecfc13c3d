"""The row of texts to try."""

import json

import pytest
from streamlit.testing.v1 import AppTest

SCRIPT = """
import streamlit as st
from attention.figures.theme import LIGHT
from attention.ui.components import Item, examples

st.text(repr(examples([Item("bank", "The bank."), Item("<b>", "a & b")], LIGHT)))
"""


def test_each_text_has_its_name_and_its_whole():
    app = AppTest.from_string(SCRIPT).run()
    data = json.loads(json.loads(app.get("bidi_component")[0].proto.json))
    assert data["items"] == [
        {"label": "bank", "title": "The bank."},
        {"label": "<b>", "title": "a & b"},
    ]


@pytest.mark.parametrize(("sent", "got"), [(1, "1"), (2, "None"), ("1", "None"), (None, "None")])
def test_the_one_pressed_is_returned_once_checked(sent, got):
    app = AppTest.from_string(SCRIPT)
    app.session_state["examples"] = {"picked": sent}
    assert app.run().text[0].value == got
