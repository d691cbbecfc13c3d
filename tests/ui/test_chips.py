"""Tokens as the strip shows them, where a tokenizer spells them in bytes."""

from dataclasses import replace

import pytest

from attention.checkpoints.pieces import BYTES, Token
from attention.ui.chips import chips, last_word


def cut(*pieces):
    """Pieces of byte letters, as GPT-2's kind of tokenizer hands them on."""
    words = BYTES.words(pieces, [False] * len(pieces))
    blank = Token("", 5, 0, 1, special=False, word=None, segment=0)
    spelled = zip(pieces, words, strict=True)
    return [replace(blank, text=piece, word=word, readable=BYTES.readable(piece)) for piece, word in spelled]


def test_pieces_of_a_word_are_shown_as_they_read():
    assert [chip.shown for chip in chips(cut("Gr", "Ã¶", "ÃŁ", "e", "Ġna", "Ã¯", "ve"))] == [
        "Gr", "ö", "ß", "e", "na", "ï", "ve",
    ]  # fmt: skip


def test_the_marks_of_other_tokenizers_are_still_taken_off():
    lorry = [
        Token("lo", 1, 0, 2, special=False, word=0, segment=0),
        Token("##rry", 2, 2, 5, special=False, word=0, segment=0),
    ]
    assert [(chip.shown, chip.joined) for chip in chips(lorry)] == [("lo", False), ("rry", True)]


@pytest.mark.parametrize(
    ("pieces", "last"),
    [
        (["Wait", "âĢ¦"], 0),
        (["ä½ł", "å¥½", "ãĢĤ"], 1),
        (["äº", "¬"], 1),
    ],
)
def test_the_last_word_is_told_from_a_sign_by_how_it_reads(pieces, last):
    assert last_word(cut(*pieces)) == last
