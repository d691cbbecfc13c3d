"""A choice side by side is the view's: it shows it, and changes it."""

import pytest
from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from attention.ui import state
    from attention.ui.choosing import choose_among

    view = state.current()
    options = {"heatmap": "Heatmap", "table": "Table"}
    choose_among("view", "View", options, view.view, label_visibility="collapsed", width="content")
    st.write(f"shown: {view.view}")


@pytest.mark.parametrize("chosen", ["heatmap", "table"])
def test_a_choice_changes_the_view(chosen):
    app = AppTest.from_function(page).run()
    (control,) = app.get("button_group")
    assert control.key == "control.view"
    assert control.proto.label == "View"
    assert [option.content for option in control.proto.options] == ["Heatmap", "Table"]
    assert control.value == "heatmap"
    control.set_value(chosen).run()
    assert not app.exception
    assert app.markdown[0].value == f"shown: {chosen}"
