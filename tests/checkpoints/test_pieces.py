"""What pieces read as, which words they make, and the characters they cover, in each way of spelling."""

import time

import pytest
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers

from attention.checkpoints.pieces import BYTES, UNDERLINED, WHOLE, Token, continued, from_byte_letters
from attention.checkpoints.tokens import Tokenizer


def test_every_byte_has_a_letter_and_reads_as_itself():
    """The library's own alphabet; its decoder says which byte each letter is."""
    letters = pre_tokenizers.ByteLevel.alphabet()
    assert len(letters) == 256
    for letter in letters:
        read = from_byte_letters(letter)
        assert read == decoders.ByteLevel().decode([letter]) or (read.startswith(r"\x") and len(read) == 4)


@pytest.mark.parametrize(
    ("spelling", "piece", "reads", "begins"),
    [
        (WHOLE, "Ġbank", "Ġbank", True),
        (continued("##"), "##rry", "##rry", False),
        (continued("##"), "que", "que", True),
        (BYTES, "Ġbank", " bank", True),
        (BYTES, "bank", "bank", False),
        (BYTES, "Ċ", "\n", True),
        (BYTES, "Ãī", "É", False),
        (BYTES, "ðŁĺĢ", "😀", False),
        (BYTES, "ðŁĺ", r"\xf0\x9f\x98", False),
        (BYTES, "ĠðŁ", r" \xf0\x9f", True),
        (BYTES, "<|im_start|>", "<|im_start|>", False),
        (BYTES, "a b", "a b", False),
        (UNDERLINED, "▁bank", " bank", True),
        (UNDERLINED, "▁▁▁", "   ", True),
        (UNDERLINED, "bank", "bank", False),
        (UNDERLINED, "<0x0A>", "\n", True),
        (UNDERLINED, "<0xF0>", r"\xf0", False),
        (UNDERLINED, "<0xF0", "<0xF0", False),
    ],
)
def test_what_a_piece_reads_as(spelling, piece, reads, begins):
    assert spelling.read(piece) == reads
    assert spelling.begins(piece) == begins
    assert spelling.readable(piece) == (None if reads == piece else reads)


def test_a_token_is_shown_as_it_reads():
    token = Token("Ġbank", 7, 3, 8, special=False, word=1, segment=0, readable=" bank")
    assert (token.text, token.shown) == ("Ġbank", " bank")
    assert Token("[CLS]", 7, 0, 0, special=True, word=None, segment=0).shown == "[CLS]"
    assert Token("Ġ", 7, 0, 0, special=False, word=0, segment=0, readable="").shown == ""


def test_words_begin_anew_after_a_special_token():
    words = UNDERLINED.words(
        ["<s>", "bank", "s", "▁and", "</s>", "s"], [True, False, False, False, True, False]
    )
    assert words == [None, 0, 0, 1, None, 2]


def byte_tokenizer():
    """Byte letters with a few merges, in which no space is trimmed off."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merged = ["Ġb", "an", "Ġban", "ðŁ", "ðŁĺ"]
    ids = {piece: id for id, piece in enumerate([*letters, *merged])}
    merges = [("Ġ", "b"), ("a", "n"), ("Ġb", "an"), ("ð", "Ł"), ("ðŁ", "ĺ")]
    raw = tokenizers.Tokenizer(models.BPE(ids, merges))
    raw.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    raw.decoder = decoders.ByteLevel()
    return Tokenizer(raw)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ban", [("a", 0, 1, 0, "a"), ("Ġban", 1, 5, 1, " ban")]),
        ("12", [("1", 0, 1, 0, "1"), ("2", 1, 2, 1, "2")]),
        ("\n\na", [("Ċ", 0, 1, 0, "\n"), ("Ċ", 1, 2, 1, "\n"), ("a", 2, 3, 2, "a")]),
        ("😀", [("ðŁĺ", 0, 1, 0, r"\xf0\x9f\x98"), ("Ģ", 0, 1, 0, r"\x80")]),
        ("é!", [("Ã", 0, 1, 0, r"\xc3"), ("©", 0, 1, 0, r"\xa9"), ("!", 1, 2, 1, "!")]),
        (
            "ש ל",
            [
                *[("×", 0, 1, 0, r"\xd7"), ("©", 0, 1, 0, r"\xa9")],
                *[("Ġ", 1, 2, 1, " "), ("×", 2, 3, 1, r"\xd7"), ("ľ", 2, 3, 1, r"\x9c")],
            ],
        ),
    ],
)
def test_byte_pieces_with_the_characters_they_cover(text, expected):
    tokens = byte_tokenizer().encode(text)
    assert [(token.text, token.start, token.end, token.word, token.shown) for token in tokens] == expected


def test_ids_of_byte_pieces_are_shown_and_make_words():
    tokenizer = byte_tokenizer()
    tokens = tokenizer.decode_ids([token.id for token in tokenizer.encode("a ban 😀a")])
    assert [(token.shown, token.word) for token in tokens] == [
        ("a", 0), (" ban", 1), (" ", 2), (r"\xf0\x9f\x98", 2), (r"\x80", 2), ("a", 2),
    ]  # fmt: skip
    assert [(token.start, token.end) for token in tokens] == [(0, 0)] * 6


def underlined_tokenizer():
    """As Gemma's: nothing divides a text into words before it is cut."""
    pieces = ["<unk>", "▁", "a", "b", "an", "▁b", "▁ban", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "\n"]
    ids = {piece: id for id, piece in enumerate(pieces)}
    merges = [("▁", "b"), ("▁b", "an")]
    raw = tokenizers.Tokenizer(
        models.BPE(ids | {"n": 12}, [("a", "n"), *merges], unk_token="<unk>", byte_fallback=True)
    )
    raw.normalizer = normalizers.Replace(" ", "▁")
    raw.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return Tokenizer(raw)


def test_the_most_that_can_be_read_is_read():
    """A watchdog: where the time grew with the square of the text, this took minutes."""
    tokenizer = underlined_tokenizer()
    for text in ("ab ban " * 14_000, "😀" * 25_000):
        started = time.monotonic()
        assert len(tokenizer.encode(text)) > 40_000
        assert time.monotonic() - started < 60


def test_underlined_pieces_make_words_though_the_library_sees_one():
    tokens = underlined_tokenizer().encode("ab ban\na 😀", "b a")
    assert [(token.text, token.start, token.end, token.word, token.segment) for token in tokens] == [
        ("a", 0, 1, 0, 0), ("b", 1, 2, 0, 0), ("▁ban", 2, 6, 1, 0), ("\n", 6, 7, 2, 0), ("a", 7, 8, 2, 0),
        ("▁", 8, 9, 3, 0), *((f"<0x{byte}>", 9, 10, 3, 0) for byte in ("F0", "9F", "98", "80")),
        ("b", 0, 1, 0, 1), ("▁", 1, 2, 1, 1), ("a", 2, 3, 1, 1),
    ]  # fmt: skip
    assert [token.shown for token in tokens][2:7] == [" ban", "\n", "a", " ", r"\xf0"]
