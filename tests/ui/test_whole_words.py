"""A head's picture in words."""

import numpy as np
import pytest

from attention.checkpoints.tokens import Token
from attention.figures.picture import Picture
from attention.ui import whole_words
from attention.ui.heads import summaries
from attention.ui.whole_words import NOTE, in_words

TOKENS = [
    Token("[CLS]", 1, 0, 0, special=True, word=None, segment=0),
    Token("lo", 2, 0, 2, special=False, word=0, segment=0),
    Token("##rry", 3, 2, 5, special=False, word=0, segment=0),
    Token("ran", 4, 6, 9, special=False, word=1, segment=0),
]
WEIGHTS = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.2, 0.5, 0.3, 0], [0.1, 0.2, 0.3, 0.4]], np.float32)


def picture(shown=(0, 1, 2, 3), **changes):
    cells = np.ix_(shown, shown)
    parts = {
        "values": WEIGHTS[cells],
        "allowed": np.tril(np.ones((4, 4), bool))[cells],
        "query_tokens": tuple(TOKENS[at].text for at in shown),
        "key_tokens": tuple(TOKENS[at].text for at in shown),
        "query_positions": tuple(shown),
        "key_positions": tuple(shown),
    }
    return Picture(**(parts | changes))


def test_keys_are_summed_queries_averaged_and_the_focus_is_its_word():
    words = in_words(picture(query=2, key=3, range="head"), TOKENS, TOKENS)
    expected = [[1, 0, 0], [0.35, 0.65, 0], [0.1, 0.5, 0.4]]
    np.testing.assert_allclose(words.values, expected, atol=1e-7)
    assert words.allowed.tolist() == np.tril(np.ones((3, 3), bool)).tolist()
    assert words.query_tokens == words.key_tokens == ("[CLS]", "lorry", "ran")
    assert words.query_positions == (0, 1, 3)
    assert (words.query, words.key, words.range, words.note) == (1, 2, "head", NOTE)


def test_hidden_tokens_stay_hidden_and_what_was_said_of_them_is_still_said():
    words = in_words(picture((1, 2, 3), note="special tokens hidden"), TOKENS, TOKENS)
    np.testing.assert_allclose(words.values, [[(0.5 + 0.8) / 2, 0], [0.5, 0.4]], atol=1e-7)
    assert words.query_positions == (1, 3)
    assert words.note == f"special tokens hidden · {NOTE}"


def test_a_blind_piece_does_not_thin_its_word():
    allowed = np.tril(np.ones((4, 4), bool))
    allowed[2] = False
    values = np.where(allowed, WEIGHTS, 0)
    words = in_words(picture(values=values, allowed=allowed), TOKENS, TOKENS)
    assert words.values[1].tolist() == pytest.approx([0.5, 0.5, 0])


@pytest.mark.parametrize("module", [whole_words, summaries])
def test_the_sums_are_made_elsewhere(module):
    assert "torch" not in vars(module)


def test_words_of_one_piece_are_left_alone():
    drawn = picture((0, 1, 3))
    assert in_words(drawn, TOKENS, TOKENS) is drawn
