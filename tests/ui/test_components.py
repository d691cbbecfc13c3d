import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention.figures import lines as figure
from attention.figures.theme import DARK, head_colours
from attention.ui.components import wire

TOKENS = """
import numpy as np
import streamlit as st
from attention.figures.theme import LIGHT
from attention.ui.components import Chip, token_strip

n = st.session_state.get("n", 4)
rng = np.random.default_rng(0)
weights = rng.dirichlet(np.ones(n), size=n)
allowed = np.tril(np.ones((n, n), bool))
chips = [Chip("[CLS]", "CLS", 101, 0, 0, True, False), Chip("lo", "lo", 7, 4, 6, False, False),
         Chip("##rry", "rry", 8, 6, 9, False, True), Chip("<b>\\n", "<b>\\n", 9, 10, 13, False, False)]
chips += [Chip("x", "x", 5, 14, 15, False, False, 1)] * (n - 4)
rows = st.session_state.get("rows", "all")
given = {"all": (weights, allowed, 2), "one": (weights[2], allowed[2], None), "none": (None, None, 2)}[rows]
picked = token_strip(chips, weights=given[0], allowed=given[1], query=given[2], key=1, palette=LIGHT)
st.text(repr(picked))
"""

LINES = """
import numpy as np
import streamlit as st
from attention.figures.lines import Lines, Strand
from attention.figures.theme import DARK
from attention.ui.components import lines

weights = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]])
heads = {"H4": weights, "H7": weights[::-1]}
strands = [Strand(name=name, weights=w, drawn=w > 0.15) for name, w in heads.items()]
drawn = Lines(strands=tuple(strands[: st.session_state.get("heads", 2)]), allowed=weights > 0,
              query_tokens=("a", "b\\n"), key_tokens=("x", "y", "z"), query=1, key=2,
              lock=st.session_state.get("lock", "query"), mass=90)
picked = lines(drawn, positions=((0, 5), (1, 2, 3)), palette=DARK)
st.text(repr(picked))
"""

STEPS = """
import numpy as np
import streamlit as st
from attention.figures.step_strip import step_strip as made
from attention.figures.theme import LIGHT
from attention.ui.components import step_strip
from tests.figures.heads import head, words

strip = made(head(3, 5), tokens=words(3), key_tokens=words(5), query=2, key=4, palette=LIGHT)
st.text(repr(step_strip(strip)))
"""

MARKUP = """
from attention.ui.components import markup, value_table

markup("<svg></svg>", element_key="figure")
value_table("<table></table>", element_key="table")
"""


def run(script, **state):
    app = AppTest.from_string(script)
    for name, value in state.items():
        app.session_state[name] = value
    app.run()
    assert not app.exception
    return app


def payload(app, at=0):
    return wire.unpack(app.get("bidi_component")[at].proto.bytes)


def returned(app):
    return app.text[0].value


def test_chips_carry_what_is_seen_and_what_hover_tells():
    header, _ = payload(run(TOKENS))
    assert [chip["shown"] for chip in header["chips"]] == ["CLS", "lo", "rry", "<b>↵"]
    assert [chip["joined"] for chip in header["chips"]] == [False, False, True, False]
    assert [chip["special"] for chip in header["chips"]] == [True, False, False, False]
    assert header["chips"][0]["title"] == "[CLS]  ·  position 0  ·  id 101"
    assert header["chips"][2]["title"] == "##rry  ·  position 2  ·  id 8\ncharacters 6–8"


def test_hover_names_the_last_character_and_the_sentence():
    titles = [chip["title"].partition("\n")[2] for chip in payload(run(TOKENS, n=5))[0]["chips"]]
    assert titles == ["", "characters 4–5", "characters 6–8", "characters 10–12",
                      "character 14 of the second sentence"]  # fmt: skip


def test_a_short_sentence_sends_every_row_so_that_a_click_lights_it_at_once():
    header, arrays = payload(run(TOKENS))
    assert (header["rows"], header["query"], header["key"]) == ("all", 2, 1)
    assert arrays["weights"].shape == (4, 4)
    np.testing.assert_allclose(arrays["weights"].sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(arrays["allowed"], np.tril(np.ones((4, 4))))


def test_a_long_sentence_sends_the_row_in_focus():
    header, arrays = payload(run(TOKENS, n=97))
    whole = np.random.default_rng(0).dirichlet(np.ones(97), size=97)
    assert (header["rows"], header["size"]) == ("one", "small")
    np.testing.assert_array_equal(arrays["weights"], whole[2].astype(np.float32))
    np.testing.assert_array_equal(arrays["allowed"], [1] * 3 + [0] * 94)


def test_a_row_whose_query_stands_elsewhere():
    header, arrays = payload(run(TOKENS, rows="one"))
    assert (header["rows"], header["query"]) == ("one", None)
    assert arrays["weights"].shape == arrays["allowed"].shape == (4,)


def test_a_strip_without_light():
    header, arrays = payload(run(TOKENS, rows="none"))
    assert (header["rows"], arrays) == ("none", {})


@pytest.mark.parametrize(("sent", "got"), [(3, "3"), (4, "None"), ("3", "None"), (None, "None")])
def test_a_clicked_token_is_returned_once_checked(sent, got):
    app = run(TOKENS)
    assert returned(app) == "None"
    app.session_state["tokens"] = {"picked": sent}
    assert returned(app.run()) == got


def test_lines_send_what_is_drawn_and_plain_labels():
    header, arrays = payload(run(LINES))
    assert (header["query_labels"], header["key_labels"]) == (["a", "b↵"], ["x", "y", "z"])
    assert (header["query"], header["key"], header["locked"]) == (1, 2, {"side": "query", "index": 1})
    assert header["positions"] == {"query": [0, 5], "key": [1, 2, 3]}
    sent = [(int(h), int(q), int(k), round(float(w), 2)) for h, q, k, w in arrays["lines"]]
    assert sorted(sent) == [(0, 0, 0, 0.9), (0, 1, 0, 0.2), (0, 1, 1, 0.3), (0, 1, 2, 0.5),
                            (1, 0, 0, 0.2), (1, 0, 1, 0.3), (1, 0, 2, 0.5), (1, 1, 0, 0.9)]  # fmt: skip
    assert [query for _, query, *_ in sent] == [0, 0, 0, 0, 1, 1, 1, 1], "the locked query's lines on top"
    np.testing.assert_array_equal(arrays["closed"], [0, 0, 0])


def test_lines_carry_the_look_that_files_are_drawn_with():
    header, _ = payload(run(LINES))
    assert header["look"] == figure.constants() | {"own": list(figure.OWN), "free": list(figure.FREE)}
    names, colours = zip(*((strand["name"], strand["colour"]) for strand in header["strands"]), strict=True)
    assert names == ("H4", "H7")
    assert colours == head_colours(DARK)[:2]
    assert header["tags"]["query"] == [{"0": "H4", "2": "H7"}, {"2": "H4", "0": "H7"}]


def test_one_head_has_no_tags_and_nobody_may_be_locked():
    header, _ = payload(run(LINES, heads=1, lock=None))
    assert header["locked"] is None
    assert not any(header["tags"]["query"] + header["tags"]["key"])


@pytest.mark.parametrize(
    ("sent", "got"),
    [
        (["query", 1], "('query', 1)"),
        (["key", 2], "('key', 2)"),
        (["query", 2], "None"),
        (["value", 0], "None"),
        ([["query"], 0], "None"),
        ("query", "None"),
        (7, "None"),
    ],
)
def test_a_picked_end_of_a_line_is_returned_once_checked(sent, got):
    app = run(LINES)
    app.session_state["lines"] = {"picked": sent}
    assert returned(app.run()) == got


@pytest.mark.parametrize(
    ("sent", "got"), [([2, 4], "(2, 4)"), ([3, 4], "None"), ([0, 5], "None"), ([0], "None")]
)
def test_a_picked_pair_is_returned_once_checked(sent, got):
    app = run(STEPS)
    header, arrays = payload(app)
    assert (header["query"], header["key"]) == (2, 4)
    assert arrays["allowed"].shape == (3, 5)
    app.session_state["steps"] = {"picked": sent}
    assert returned(app.run()) == got


def test_an_answer_names_the_pick_it_answers_until_the_next_one():
    app = run(STEPS)
    assert payload(app)[0]["heard"] is None
    app.session_state["steps"] = {"picked": [2, 4, 1000]}
    assert payload(app.run())[0]["heard"] == 1000
    app.session_state["steps"] = {"picked": None}
    assert payload(app.run())[0]["heard"] == 1000


def test_figures_go_to_the_browser_as_they_are():
    figure, table = run(MARKUP).get("bidi_component")
    assert json.loads(figure.proto.json) == "<svg></svg>"
    assert json.loads(table.proto.json) == "<table></table>"


def test_what_was_picked_is_told_before_the_page_reruns(monkeypatch):
    heard = []
    tell = wire.told("strip", "picked", lambda value: wire.position(value, 4), heard.append)
    for state in ({"strip": {"picked": 3}}, {"strip": {"picked": 9}}, {"strip": None}, {}):
        monkeypatch.setattr(wire.st, "session_state", state)
        tell()
    assert heard == [3]
