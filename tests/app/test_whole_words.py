"""Word pieces put together in Explore's pictures."""

import numpy as np
import pytest

from attention.ui.pictures import picture
from attention.ui.scene import scene
from attention.ui.subjects import lines
from attention.ui.view import ViewState
from tests.app.by_hand import ByHand
from tests.app.screen import cells, checked, opened

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
