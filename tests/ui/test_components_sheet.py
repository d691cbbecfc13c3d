import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention.ui.components import pooled, side_for, wire

SHEET = """
import numpy as np
import streamlit as st
from attention.figures.theme import LIGHT
from attention.ui.components import head_sheet, pooled

layers, heads, n = st.session_state.get("shape", (2, 3, 4))
rng = np.random.default_rng(st.session_state.get("seed", 0))
weights = rng.dirichlet(np.ones(n), size=(layers, heads, n))
if st.session_state.get("ready"):
    weights = pooled(weights, 2)
selected = st.session_state.get("selected", (1, 2))
if st.session_state.get("shown", True):
    notes = [[f"note {l}{h}" for h in range(heads)] for l in range(layers)]
    now = head_sheet(weights, selected=selected, heads_off={(1, 0), (0, 2)}, notes=notes,
                     palette=LIGHT, query_tokens=["<b>"] * n)
    st.text(repr(now))
"""


def run(**state):
    app = AppTest.from_string(SHEET)
    return again(app, **state)


def again(app, **state):
    for name, value in state.items():
        app.session_state[name] = value
    app.run()
    assert not app.exception
    return app


def data(app):
    return app.get("bidi_component")[0].proto.bytes


def header(app):
    return wire.unpack(data(app))[0]


def now(app):
    return app.text[0].value


def click(layer, head, time):
    return {"selected": [layer, head, time]}


def test_the_sheet_holds_shades_notes_and_what_is_off():
    app = run()
    words, arrays = wire.unpack(data(app))
    weights = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 3, 4))
    np.testing.assert_array_equal(arrays["shades"], np.rint(weights**0.7 * 255).astype(np.uint8))
    assert words["selected"] == [1, 2]
    assert words["notes"][1][2] == "note 12"
    assert words["heads_off"] == [[0, 2], [1, 0]]
    assert words["query_tokens"] == words["key_tokens"] == ["<b>"] * 4
    assert now(app) == "(1, 2)"


def test_a_click_is_returned_and_changes_nothing_that_is_sent():
    app = run()
    before = data(app)
    again(app, sheet=click(0, 1, 1000))
    assert now(app) == "(0, 1)"
    assert data(app) == before
    again(app, selected=(0, 1))  # the page has taken it in
    assert now(app) == "(0, 1)"
    assert data(app) == before


def test_a_selection_python_makes_goes_down_under_a_new_stamp():
    app = run()
    before = header(app)
    again(app, selected=(0, 0))
    assert header(app)["selected"] == [0, 0]
    assert header(app)["stamp"] != before["stamp"]
    assert now(app) == "(0, 0)"


def test_an_old_click_does_not_undo_what_python_chose_later():
    app = run()
    again(app, sheet=click(0, 1, 1000), selected=(0, 1))
    again(app, selected=(1, 1))  # a select box, say
    assert (now(app), header(app)["selected"]) == ("(1, 1)", [1, 1])
    again(app, seed=1)
    assert (now(app), header(app)["selected"]) == ("(1, 1)", [1, 1])


def test_the_same_head_can_be_clicked_again_after_python_chose_another():
    app = run()
    again(app, sheet=click(0, 1, 1000), selected=(0, 1))
    again(app, selected=(1, 1))
    sent = data(app)
    again(app, sheet=click(0, 1, 2000), selected=(0, 1))
    assert now(app) == "(0, 1)"
    assert data(app) == sent


def test_new_weights_keep_the_clicked_head():
    app = run()
    stamp = header(app)["stamp"]
    again(app, sheet=click(0, 1, 1000), selected=(0, 1))
    again(app, seed=1)
    assert header(app)["stamp"] == stamp  # so the browser keeps its own, later, selection
    assert now(app) == "(0, 1)"


def test_going_back_to_what_was_once_handed_down_is_handed_down_again():
    app = run()
    stamp = header(app)["stamp"]
    again(app, sheet=click(0, 1, 1000), selected=(0, 1))
    again(app, selected=(1, 2))
    assert header(app)["selected"] == [1, 2]
    assert header(app)["stamp"] != stamp


def test_a_smaller_model_takes_pythons_selection():
    app = run(selected=(1, 2))
    again(app, sheet=click(1, 1, 1000), selected=(1, 1))
    again(app, shape=(1, 1, 4), selected=(0, 0))
    assert (now(app), header(app)["selected"]) == ("(0, 0)", [0, 0])


def test_a_fresh_session_follows_the_link_not_an_old_click():
    app = run(sheet=click(0, 1, 1000), selected=(1, 0))
    assert (now(app), header(app)["selected"]) == ("(1, 0)", [1, 0])


@pytest.mark.parametrize("sent", [[2, 0, 9], [0, 3, 9], ["0", 1, 9], [0], "x", None, [0, 1, "t"]])
def test_a_click_on_no_head_is_ignored(sent):
    app = run()
    again(app, sheet={"selected": sent})
    assert now(app) == "(1, 2)"


def test_the_sheet_may_leave_and_come_back():
    app = run()
    again(app, sheet=click(0, 1, 1000), selected=(0, 1))
    stamp = header(app)["stamp"]
    again(app, shown=False)
    again(app, shown=True)
    assert header(app)["stamp"] == stamp
    assert now(app) == "(0, 1)"


def test_what_is_pooled_already_is_sent_as_it_is():
    _, arrays = wire.unpack(data(run(ready=True)))
    assert arrays["shades"].shape == (2, 3, 2, 2)


@pytest.mark.parametrize(
    ("shape", "sent"),
    [((1, 1, 1), (1, 1, 1, 1)), ((48, 32, 70), (48, 32, 32, 32)), ((2, 2, 70), (2, 2, 64, 64))],
)
def test_from_one_head_to_many(shape, sent):
    app = run(shape=shape, selected=(0, 0))
    assert wire.unpack(data(app))[1]["shades"].shape == sent


def test_pooling_keeps_the_largest_weight_of_each_block():
    weights = np.zeros((130, 100))
    weights[[0, 129, 64], [0, 99, 50]] = [1.0, 0.5, 0.25]
    shades = pooled(weights)
    assert shades.shape == (64, 64)
    assert (shades[0, 0], shades[63, 63], shades[31, 32]) == (
        255,
        round(0.5**0.7 * 255),
        round(0.25**0.7 * 255),
    )
    assert (shades > 0).sum() == 3


def test_a_short_side_is_not_pooled():
    assert pooled(np.ones((3, 5, 200))).shape == (3, 5, 64)


def test_many_heads_get_smaller_pictures():
    assert (side_for(72), side_for(512), side_for(1536)) == (64, 64, 32)
