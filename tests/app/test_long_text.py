"""Long texts: only strips and blocks of them are held, and every number on the page stays what it is.

What counts as long is made short here, so that MiniLM on one sentence is enough and the whole matrices are at
hand to compare with.
"""

import re

import numpy as np
import pytest
from torch.utils._python_dispatch import TorchDispatchMode

from attention.analysis import strips
from attention.figures import step_strip
from attention.ui import long_text, pictures
from attention.ui import scene as scenes
from attention.ui.scene import scene
from attention.ui.subjects import lit_sentence
from attention.ui.view import ViewState
from tests.app.by_hand import ByHand
from tests.app.screen import button, cells, checked, html, markup, numbers, opened, packed, plain

N = 12


@pytest.fixture
def long_from_nine(monkeypatch):
    """A text of nine tokens is long: seven of its queries are held, and pictures have five blocks a side."""
    monkeypatch.setattr(scenes, "MOST_WHOLE", 8)
    monkeypatch.setattr(scenes, "HELD", 7)
    monkeypatch.setattr(pictures, "MOST_WHOLE", 8)
    monkeypatch.setattr(pictures, "HELD", 7)
    monkeypatch.setattr(pictures, "MOST_BLOCKS", 5)
    monkeypatch.setattr(step_strip, "MOST_ROWS", 6)
    monkeypatch.setattr(step_strip, "WINDOW", 4)
    monkeypatch.setattr(strips, "STRIP_BYTES", 4 * 3 * N)


@pytest.mark.parametrize(("query", "held"), [(7, range(4, 11)), (0, range(7)), (11, range(5, 12))])
def test_what_is_held_are_the_rows_round_the_query(minilm, long_from_nine, query, held):
    shown, by_hand = scene(ViewState(query=query, key=5)), ByHand(minilm, 4, 4)
    assert shown.head.held == held
    np.testing.assert_allclose(shown.head.weights, by_hand.weights[held.start : held.stop], atol=2e-6)
    np.testing.assert_allclose(shown.head.scores[shown.row], by_hand.scores[query], atol=2e-4)
    assert shown.head.weights.shape == (7, N)


def test_every_number_of_the_page_is_that_of_the_short_page(minilm, long_from_nine):
    app, by_hand = opened(query="7", key="5", s=scenes.ViewState().text), ByHand(minilm, 4, 4)
    row = by_hand.scaled[7]
    e = np.exp(row - row.max())
    expected = [by_hand.scores[7, 5], row[5], row[5] - row.max(), e[5], e[5] / e.sum()]
    assert numbers(markup(app, "products")) == pytest.approx(expected, abs=6e-4)
    header, _ = packed(app, "steps")
    assert (header["n_queries"], header["n_keys"]) == (N, N)
    said = html(app)
    cls = by_hand.weights[:, 0].sum() - by_hand.weights[0, 0]
    assert f"{cls / N:.2f}" in said
    rule = "what a token gives itself counts under “itself” alone"
    assert f"Where all {N} rows of this head put their weight; {rule}" in said


def test_the_strip_of_steps_holds_the_rows_that_are_shown(minilm, long_from_nine):
    header, arrays = packed(opened(query="7", key="5", s=scenes.ViewState().text), "steps")
    by_hand = ByHand(minilm, 4, 4)
    assert (header["first_query"], header["first_key"]) == (5, 3)
    step = next(step for step in header["steps"] if step["name"] == "Weights")
    shown = arrays[step["matrices"][0]["array"]]
    np.testing.assert_allclose(shown, by_hand.weights[5:9, 3:7], atol=2e-6)
    assert header["query_labels"][2] == "it"


@pytest.mark.parametrize(("pool", "make"), [("max", np.max), ("mean", np.mean)])
def test_the_heatmap_s_blocks_are_those_of_the_whole_matrix(minilm, long_from_nine, pool, make):
    shown = cells(opened(query="7", key="5", pool=pool, s=scenes.ViewState().text))
    weights = ByHand(minilm, 4, 4).weights
    blocks = weights.reshape(4, 3, 4, 3).transpose(0, 2, 1, 3).reshape(4, 4, 9)
    np.testing.assert_allclose(shown, make(blocks, axis=-1), atol=2e-6)


def test_the_block_in_focus_is_named_by_the_token_in_focus(long_from_nine):
    header, _ = packed(opened(query="7", key="5", s=scenes.ViewState().text), "heatmap")
    assert (header["query"], header["key"]) == (2, 1)
    assert dict(header["ticks"]["query"])[2] == "it", "the block begins with another token"
    assert dict(header["ticks"]["key"])[1] == "application"
    assert header["names"]["query"][2] == "because (6) and 2 more"


def test_what_is_lit_outside_the_strip_of_a_long_text_is_named(minilm, long_from_nine, monkeypatch):
    monkeypatch.setattr("attention.ui.panels.strip.MOST_CHIPS", 3)
    said = html(opened(query="9", key="10", s=scenes.ViewState().text))
    row = ByHand(minilm, 4, 4).weights[9]
    tokens = ["[CLS]", "the", "developer", "deployed", "the", "application", "because", "it"]
    outside = [at for at in np.argsort(-row) if at not in (8, 9, 10) and row[at] >= 0.05][:3]
    named = re.findall(
        r"<bdi>([^<]*)</bdi></span> (\d\.\d\d)", said.split("Lit outside them:")[1].split("</div>")[0]
    )
    assert [(name.rstrip("¹⁴"), float(weight)) for name, weight in named] == [
        (tokens[at], pytest.approx(row[at], abs=0.006)) for at in outside
    ]


def test_hidden_keys_count_for_nothing_in_a_block_and_rows_are_made_whole_again(minilm, long_from_nine):
    view = ViewState(query=7, key=5, special="renormalise")
    drawn = pictures.picture(scene(view))
    weights = ByHand(minilm, 4, 4).weights.copy()
    weights[:, [0, 11]] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    blocks = weights.reshape(4, 3, 4, 3).transpose(0, 2, 1, 3).reshape(4, 4, 9)
    np.testing.assert_allclose(drawn.values, blocks.max(axis=-1), atol=2e-6)
    assert drawn.note == "each cell: the largest of 3 × 3 weights · special tokens hidden, rows renormalised"
    assert (drawn.query, drawn.key) == (2, 1)


def test_a_range_is_shown_weight_by_weight_and_its_link_brings_it_back(minilm):
    app = opened(rows="2-5", columns="0-3", query="4", key="1", s=scenes.ViewState().text)
    shown = cells(app)
    np.testing.assert_allclose(shown, ByHand(minilm, 4, 4).weights[2:6, 0:4], atol=2e-6)


def test_a_renormalised_range_is_divided_by_all_that_is_left_of_its_rows(minilm):
    view = ViewState(query=4, key=2, rows=(2, 5), columns=(0, 3), special="renormalise")
    drawn = pictures.picture(scene(view))
    weights = ByHand(minilm, 4, 4).weights
    expected = weights[2:6, 1:4] / weights[2:6, 1:11].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(drawn.values, expected, atol=2e-6)
    assert drawn.key_positions == (1, 2, 3)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("2-40", "The rows 2–40 go beyond the 12 tokens; all are shown."),
        ("5-2", "The link's rows was ignored: 5 comes after 2."),
        ("a-b", "The link's rows was ignored: “a” is no whole number from 0 up."),
    ],
)
def test_a_range_that_is_none_is_told(rows, told):
    app = opened(rows=rows, s=scenes.ViewState().text)
    assert [plain(warning.value) for warning in app.warning] == [told]
    assert cells(app).shape == (N, N)


class Squares(TorchDispatchMode):
    """How many tensors with two axes of the text's length any operation makes."""

    def __init__(self):
        super().__init__()
        self.n = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        self.n += tuple(getattr(made, "shape", ()))[-2:] == (N, N)
        return made


def test_no_whole_matrix_is_made_of_a_long_text(minilm, long_from_nine):
    view = ViewState(query=7, key=5)
    scene(view)  # the run itself: its tokens are embedded, its layers read
    with Squares() as squares:
        shown = scene(view)
        pictures.picture(shown)
        assert shown.sums.places
        _ = lit_sentence(shown)
    assert not squares.n
    with Squares() as squares:
        _ = shown.trace.weights
    assert squares.n


def test_a_long_text_is_read_when_the_reader_says_so(long_from_five):
    app = opened(s="Some words that nobody has read before today.")
    (asked,) = app.info
    assert asked.value.startswith("Reading 11 tokens takes about ")
    assert "of memory on this machine" in asked.value
    assert [element.key for element in app.get("bidi_component")] == ["one_step", "examples"]
    checked(button(app, "Read all 11 tokens").click().run())
    assert cells(app).shape == (11, 11)


@pytest.mark.parametrize("page", [None, "../../pages/heads.py"])
def test_who_reloads_before_a_long_text_is_read_is_told_that_the_link_lacks_it(long_from_five, page):
    app = opened(page)
    (box,) = [box for box in app.text_input if box.label == "Sentence"]
    app = checked(box.set_value("Nobody has read these words. " * 80).run())
    assert button(app, "Read all 482 tokens")
    assert (app.query_params["cut"], "s" in app.query_params) in (("1", False), (["1"], False))


def test_the_controls_are_there_when_a_change_to_a_long_text_is_asked_for(long_from_five, monkeypatch):
    monkeypatch.setattr(scenes, "COSTLY_TOKENS", 4)
    text = "Words that somebody has read before, and that are masked now."
    app = opened(s=text)
    checked(next(button for button in app.button if button.label.startswith("Read all")).click().run())
    again = opened(s=text, mask="causal")
    assert "tokens takes about" in again.info[0].value
    assert again.text_input(key="control.text").value == text
    assert again.selectbox(key="control.model").value == "minilm"


def test_what_was_called_off_is_asked_for_however_quick_it_is(long_from_five, monkeypatch):
    monkeypatch.setattr(long_text, "ASK_SECONDS", 1e9)
    text = "A text that is called off once and then asked for."
    app = opened("../../pages/models.py")
    asked = scenes.asked(scenes.ViewState(text=text))
    app.session_state["long.stopped"] = (asked.untouched,)
    app.query_params["s"] = text
    checked(app.switch_page("../../pages/explore.py").run())
    assert [button.label for button in app.button if button.label.startswith("Read all")]


def test_all_heads_of_a_long_text_are_drawn_when_the_reader_says_so(long_from_five):
    app = opened(s="Other words that nobody has read before today.")
    checked(button(app, "Read all 11 tokens").click().run())
    assert "not checked until all heads are drawn" in html(app)
    checked(button(app, "Draw all heads").click().run())
    assert packed(app, "sheet")[1]["shades"].shape[:2] == (6, 12)
    assert "rows sum to 1 within" in html(app)


def test_a_text_that_the_machine_has_no_room_for_is_refused_with_both_numbers(long_from_five, monkeypatch):
    monkeypatch.setattr(long_text, "machine_bytes", lambda: 1000)
    app = opened(s="More words that nobody has read before today.")
    (refused,) = app.error
    assert plain(refused.value).startswith("Reading 11 tokens takes ")
    assert plain(refused.value).endswith("and this machine has 1.0 kB.")


def test_a_row_that_sees_only_keys_out_of_the_picture_does_not_see_nothing():
    link = {"mask": "causal", "query": "9", "key": "3", "s": scenes.ViewState().text}
    app = opened(rows="2-5", columns="7-10", **link)
    header, arrays = packed(app, "heatmap")
    assert np.isnan(arrays["weights"]).all()
    assert header["sightless"] == header["blind"] == []


@pytest.mark.parametrize("words", ["0", "1"])
def test_blocks_whose_queries_see_only_keys_out_of_the_picture_do_not_see_nothing(long_from_nine, words):
    link = {"mask": "causal+hide:0", "query": "9", "key": "9", "s": scenes.ViewState().text, "words": words}
    header, arrays = packed(opened(rows="0-8", columns="1-11", **link), "heatmap")
    rows_without_a_key = np.isnan(arrays["weights"]).all(axis=1)
    assert rows_without_a_key.tolist() == [False] * len(arrays["weights"]), "the first block has query 1"
    assert header["sightless"] == []
    header, arrays = packed(opened(rows="0-8", columns="9-11", **link), "heatmap")
    assert np.isnan(arrays["weights"]).all(axis=1)[:3].all()
    assert header["sightless"] == [], "each block of these has a query that sees a key before it"


def test_a_block_sees_nothing_where_none_of_its_queries_sees_a_key(long_from_nine):
    link = {"mask": "causal+hide:0.1", "query": "9", "key": "9", "s": scenes.ViewState().text}
    header, arrays = packed(opened(rows="0-8", **link), "heatmap")
    assert len(arrays["weights"]) == 5, "blocks of two"
    assert header["sightless"] == [0]
    assert header["closed"] == ["masked for these queries", "these queries see nothing"]


def test_a_range_does_not_cut_a_word_whose_pieces_are_put_together(minilm):
    text = "Hedgerows hide lorries."
    run = minilm.run(text)
    words = [token.word for token in run.tokens]
    last = max(at for at, word in enumerate(words) if word == 0)
    assert last > 2
    whole = cells(opened(s=text, words="1"))
    part = cells(opened(s=text, words="1", rows=f"2-{last}", columns=f"{last}-{last + 1}"))
    np.testing.assert_allclose(part, whole[1:2, 1:3], atol=1e-6)
