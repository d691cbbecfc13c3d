"""The heatmap as it goes to the browser, and what comes back."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention.ui.components import wire

SCRIPT = """
import numpy as np
import streamlit as st
from attention.figures.picture import Picture
from attention.figures.theme import LIGHT
from attention.ui.components import heatmap

n = st.session_state.get("n", 3)
values = np.random.default_rng(0).dirichlet(np.ones(n + 1), size=n)
allowed = np.tril(np.ones((n, n + 1), bool), 1)
allowed[1] = False
chosen = st.session_state.get("chosen", {})
picture = Picture(values=values, allowed=allowed, query_tokens=("<b>",) * n,
                  key_tokens=("a b",) * n + (" x",),
                  query=2, key=1, query_positions=tuple(range(4, n + 4)), **chosen)
st.text(repr(heatmap(picture, LIGHT)))
"""


def sent(**state):
    app = AppTest.from_string(SCRIPT)
    for name, value in state.items():
        app.session_state[name] = value
    app.run()
    assert not app.exception
    return wire.unpack(app.get("bidi_component")[0].proto.bytes)


def test_cells_are_the_weights_and_masked_ones_are_no_number():
    header, arrays = sent()
    values = np.random.default_rng(0).dirichlet(np.ones(4), size=3)
    np.testing.assert_array_equal(np.isnan(arrays["weights"]), [[0, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]])
    np.testing.assert_allclose(arrays["weights"][2], values[2], rtol=1e-6)
    np.testing.assert_array_equal(arrays["shades"][2], np.rint(255 * values[2]))
    assert (header["query"], header["key"]) == (2, 1)


def test_shades_end_at_the_head_s_own_largest_open_weight():
    header, arrays = sent(chosen={"range": "head"})
    values = np.random.default_rng(0).dirichlet(np.ones(4), size=3)
    largest = np.nanmax(arrays["weights"])
    np.testing.assert_array_equal(arrays["shades"][2], np.rint(255 * values[2] / largest))
    assert header["legend"][2] == [1.0, f"{largest:.2g} weight"]


def test_words_are_plain_and_say_where_each_token_stands():
    header, _ = sent()
    assert header["names"]["query"] == ["<b> (4)", "<b> (5)", "<b> (6)"]
    assert header["names"]["key"] == ["a b (0)", "a b (1)", "a b (2)", "␣x (3)"]
    assert header["ticks"]["key"] == [[0, "a b"], [1, "a b"], [2, "a b"], [3, "␣x"]]
    assert header["sightless"] == header["blind"] == [1]
    assert header["label"].startswith("Attention weights, 3 queries by 4 keys, 6 cells masked.")


def test_a_cell_of_many_says_how_many():
    header, _ = sent(chosen={"block": (2, 3), "note": "each cell: the mean of 2 × 3 weights"})
    assert header["names"]["query"][0] == "<b> (4) and 1 more"
    assert header["names"]["key"][0] == "a b (0) and 2 more"
    assert header["notes"] == ["each cell: the mean of 2 × 3 weights"]


@pytest.mark.parametrize(
    ("n", "look"), [(13, (True, True, False)), (14, (True, False, False)), (24, (False, False, False)),
                    (64, (False, False, True))]
)  # fmt: skip
def test_what_there_is_room_for(n, look):
    header, _ = sent(n=n)
    assert (header["apart"], header["numbers"], header["opens"]) == look


def test_at_most_64_labels_and_the_one_in_focus_among_them():
    header, _ = sent(n=200)
    for side, focus in (("query", 2), ("key", 1)):
        shown = [at for at, _ in header["ticks"][side]]
        assert len(shown) <= 64
        assert focus in shown


@pytest.mark.parametrize(
    ("sent", "got"), [([1, 3], "(1, 3)"), ([3, 0], "None"), ([0, 4], "None"), (7, "None")]
)
def test_a_cell_moved_to_is_returned_once_checked(sent, got):
    app = AppTest.from_string(SCRIPT)
    app.session_state["heatmap"] = {"picked": sent}
    assert app.run().text[0].value == got
