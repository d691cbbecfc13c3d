"""Word pieces put together in Explore's pictures."""

import re

import numpy as np
import pytest

from attention import Settings
from attention.engine.masks import Causal
from attention.figures.head_grid import meaning
from attention.ui import scene as scenes
from attention.ui.pictures import picture
from attention.ui.scene import scene
from attention.ui.subjects import head_grid, lines, lit_sentence
from attention.ui.view import ViewState
from tests.app.by_hand import ByHand
from tests.app.screen import cells, checked, html, markup, numbers, opened, packed

TEXT = "A lorry passed the hedgerows."  # [CLS] a lo ##rry passed the hedge ##row ##s . [SEP]
WORDS = [[0], [1], [2, 3], [4], [5], [6, 7, 8], [9], [10]]


def merged(weights):
    """Summed over the keys of a word, averaged over its queries, by hand."""
    columns = np.stack([weights[:, word].sum(axis=1) for word in WORDS], axis=1)
    return np.stack([columns[word].mean(axis=0) for word in WORDS])


def test_the_heatmap_is_between_words_and_its_rows_still_sum_to_one(minilm):
    app = opened(s=TEXT, words="1", query="3")
    shown = cells(app)
    np.testing.assert_allclose(shown, merged(ByHand(minilm, 4, 4, text=TEXT).weights), atol=2e-6)
    np.testing.assert_allclose(shown.sum(axis=1), 1, atol=1e-5)


def test_the_switch_puts_them_together_and_back(minilm):
    app = opened(s=TEXT)
    assert cells(app).shape == (11, 11)
    (switch,) = [toggle for toggle in app.toggle if toggle.label == "Whole words"]
    checked(switch.set_value(True).run())
    assert cells(app).shape == (8, 8)


def test_lines_of_every_head_are_between_words(minilm):
    shown = scene(ViewState(text=TEXT, words=True, view="lines", lines_heads=frozenset({7})))
    drawn = lines(shown, picture(shown))
    assert drawn.query_tokens[2] == "lorry"
    for strand, head in zip(drawn.strands, (4, 7), strict=True):
        expected = merged(ByHand(minilm, 4, head, text=TEXT).weights)
        np.testing.assert_allclose(strand.weights, expected, atol=2e-6)


def test_a_sentence_of_whole_words_has_no_such_switch():
    app = opened(s="The bank approved the loan.")
    assert "Whole words" not in [toggle.label for toggle in app.toggle]


@pytest.mark.parametrize("words", ["2", "yes"])
def test_a_link_with_another_value_is_told(words):
    app = opened(s=TEXT, words=words)
    assert len(app.warning) == 1
    assert cells(app).shape == (11, 11)


def spread(row):
    """A number for each word as one for each of its pieces."""
    return np.repeat(row, [len(word) for word in WORDS], axis=-1)


def test_pieces_share_the_light_of_their_word(minilm):
    words, arrays = packed(opened(s=TEXT, words="1", query="3"), "tokens")
    rows = merged(ByHand(minilm, 4, 4, text=TEXT).weights)
    expected = np.repeat(spread(rows), [len(word) for word in WORDS], axis=0)
    np.testing.assert_allclose(arrays["weights"], expected, atol=2e-6)
    assert words["by_words"]
    assert not packed(opened(s=TEXT, query="3"), "tokens")[0]["by_words"]


def test_what_each_word_receives_is_the_mean_over_words_that_look(minilm):
    shown = lit_sentence(scene(ViewState(text=TEXT, words=True, light="receives")))
    expected = merged(ByHand(minilm, 4, 4, text=TEXT).weights).mean(axis=0)
    np.testing.assert_allclose(shown.light, spread(expected), atol=2e-6)
    assert shown.by_words


def test_a_word_that_may_see_part_of_another_is_not_masked(minilm):
    """Under a causal mask "lo" sees itself alone; its word sees all of itself and nothing later."""
    shown = lit_sentence(scene(ViewState(text=TEXT, words=True, query=2, mask=(Causal(),))))
    assert shown.allowed.tolist() == [True] * 4 + [False] * 7
    by_hand = merged(ByHand(minilm, 4, 4, Settings(mask=Causal()), text=TEXT).causal().weights)
    np.testing.assert_allclose(shown.light, spread(by_hand[2]), atol=2e-6)


def test_the_sheet_its_table_and_its_file_are_between_words(minilm):
    app = opened(s=TEXT, words="1")
    words, arrays = packed(app, "sheet")
    expected = merged(ByHand(minilm, 3, 7, text=TEXT).weights)
    shades = arrays["shades"][3, 7].astype(float)
    assert np.abs(shades - expected**0.7 * 255).max() <= 1
    assert words["query_tokens"] == ["[CLS]", "a", "lorry", "passed", "the", "hedgerows", ".", "[SEP]"]
    query, key = np.unravel_index(expected.argmax(), expected.shape)
    names, first = words["query_tokens"], [word[0] for word in WORDS]
    pair = f"{names[query]} ({first[query]}) → {names[key]} ({first[key]})  {expected.max():.3f}"
    bits = -(expected * np.log2(expected)).sum(axis=1).mean()
    assert words["notes"][3][7] == f"strongest {pair}\nmean entropy {bits:.2f} bits"
    grid = head_grid(scene(ViewState(text=TEXT, words=True)))
    np.testing.assert_array_equal(grid.shades, arrays["shades"])
    assert (grid.words, grid.n_queries) == (True, 8)
    assert "pieces of a word: keys summed, rows averaged" in meaning(grid)


def test_the_sentence_and_the_places_are_of_words_and_the_rule_is_told_once(minilm):
    said = html(opened(s=TEXT, words="1", query="3", layer="2", head="1"))
    rows = merged(ByHand(minilm, 2, 1, text=TEXT).weights)
    rule = "what a word gives itself counts under “itself” alone"
    assert f"Where all 8 words of this head put their weight; {rule}" in said
    shares = dict(re.findall(r"<span>([^<]*)</span><i [^>]*></i><span>(\d\.\d\d)</span>", said))
    free = rows.copy()
    free[:, 0], free[:, 7] = 0, 0
    free[[0, 7], [0, 7]] = rows[[0, 7], [0, 7]]
    assert float(shares["itself"]) == pytest.approx(np.diagonal(free).mean(), abs=0.006)
    assert float(shares["one before"]) == pytest.approx(np.diagonal(free, -1).sum() / 8, abs=0.006)
    (sentence,) = re.findall(r"In L2 H1, .*? mixes .*", said)
    assert "lorry" in sentence.split(" mixes ")[0]
    listed = re.findall(r"</bdi></span> (0\.\d\d)", sentence)
    assert [float(number) for number in listed] == pytest.approx(
        sorted(rows[2])[: -len(listed) - 1 : -1], abs=0.006
    )
    assert said.count("a word is given the sum over its pieces") == 1
    assert "computed between tokens and stay so" in said


def test_steps_and_cell_stay_between_tokens(minilm):
    app, by_hand = opened(s=TEXT, words="1", query="3", key="7"), ByHand(minilm, 4, 4, text=TEXT)
    assert numbers(markup(app, "products"))[0] == pytest.approx(by_hand.scores[3, 7], abs=6e-4)
    assert len(packed(app, "steps")[0]["query_labels"]) == 11


@pytest.mark.parametrize(("special", "hidden"), [("show", []), ("renormalise", [0, 10])])
def test_blocks_of_a_long_text_are_of_words(minilm, monkeypatch, special, hidden):
    monkeypatch.setattr("attention.ui.pictures.MOST_WHOLE", 8)
    monkeypatch.setattr("attention.ui.pictures.MOST_BLOCKS", 4)
    monkeypatch.setattr("attention.analysis.strips.STRIP_BYTES", 4 * 11 * 5)  # five rows
    view = ViewState(text=TEXT, query=7, key=3, words=True, special=special)
    drawn, weights = picture(scene(view)), ByHand(minilm, 4, 4, text=TEXT).weights.copy()
    weights[:, hidden] = 0
    rows = merged(weights / weights.sum(axis=1, keepdims=True))
    expected = rows.reshape(4, 2, 4, 2).max(axis=(1, 3))
    np.testing.assert_allclose(drawn.values, expected, atol=2e-6)
    assert drawn.note.startswith("each cell: the largest of 2 × 2 weights between words; pieces of a word:")
    assert (drawn.query, drawn.key, drawn.block) == (2, 1, (2, 2))
    assert drawn.query_tokens == ("[CLS]", "lorry", "the", ".")
    assert drawn.query_positions == (0, 2, 5, 9)


def test_blocks_of_words_within_a_range_and_under_a_mask(minilm, monkeypatch):
    monkeypatch.setattr("attention.ui.pictures.MOST_WHOLE", 6)
    monkeypatch.setattr("attention.ui.pictures.MOST_BLOCKS", 2)
    view = ViewState(text=TEXT, query=7, key=1, words=True, rows=(2, 8), columns=(1, 8), mask=(Causal(),))
    drawn = picture(scene(view))
    rows = merged(ByHand(minilm, 4, 4, Settings(mask=Causal()), text=TEXT).causal().weights)
    above, below = rows[2:4], rows[4:6]
    expected = [[part[:, 1:4].max(), part[:, 4:6].max()] for part in (above, below)]
    np.testing.assert_allclose(drawn.values, expected, atol=2e-6)
    assert drawn.allowed.tolist() == [[True, False], [True, True]]
    assert (drawn.key_positions, drawn.query_tokens) == ((1, 5), ("lorry", "the"))


def test_a_long_text_s_sentence_is_lit_by_all_rows_of_the_word(minilm, monkeypatch):
    """Of a long text few rows are held, and a word's pieces may lie outside them."""
    monkeypatch.setattr(scenes, "MOST_WHOLE", 8)
    monkeypatch.setattr(scenes, "HELD", 1)
    shown = lit_sentence(scene(ViewState(text=TEXT, words=True, query=8)))
    rows = merged(ByHand(minilm, 4, 4, text=TEXT).weights)
    np.testing.assert_allclose(shown.light, spread(rows[5]), atol=2e-6)


@pytest.mark.parametrize("page", ["heads", "masks", "scaling", "cost", "block"])
def test_the_switch_is_not_lost_on_the_way_through_other_pages(page):
    app = opened(s=TEXT, words="1", **{"sheet.shade": "head"})
    checked(app.switch_page(f"../../pages/{page}.py").run())
    assert app.query_params["words"] == "1"
    checked(app.switch_page("../../pages/explore.py").run())
    assert cells(app).shape == (8, 8)
    assert packed(app, "sheet")[0]["query_tokens"] == []
