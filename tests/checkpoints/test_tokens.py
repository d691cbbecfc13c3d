"""MiniLM's tokenizer, by hand-written values; byte pieces and whole words by tokenizers made here."""

import time

import pytest

from attention.checkpoints.fetch import fetch
from attention.checkpoints.tokens import MAX_CHARACTERS, Token, Tokenizer
from attention.errors import CheckpointError, InputError

HALF = chr(0xD83D)  # the first half of an emoji in UTF-16


@pytest.fixture(scope="module")
def bert():
    return Tokenizer.from_file(fetch("minilm") / "tokenizer.json", pad_id=0)


def pieces(tokens):
    return [token.text for token in tokens]


def content(tokens):
    """(text, start, end, word) of what the reader wrote."""
    return [(token.text, token.start, token.end, token.word) for token in tokens if not token.special]


def test_a_token_with_all_it_knows(bert):
    assert bert.encode("I learn") == (
        Token("[CLS]", 101, 0, 0, special=True, word=None, segment=0),
        Token("i", 1045, 0, 1, special=False, word=0, segment=0),
        Token("learn", 4553, 2, 7, special=False, word=1, segment=0),
        Token("[SEP]", 102, 0, 0, special=True, word=None, segment=0),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A Querry", [("a", 0, 1, 0), ("que", 2, 5, 1), ("##rry", 5, 8, 1)]),
        ("3.14", [("3", 0, 1, 0), (".", 1, 2, 1), ("14", 2, 4, 2)]),
        ("one\n\ntwo", [("one", 0, 3, 0), ("two", 5, 8, 1)]),
        ("\tgo\r\n", [("go", 1, 3, 0)]),
        ("a 😀 b", [("a", 0, 1, 0), ("[UNK]", 2, 3, 1), ("b", 4, 5, 2)]),
        ("שלום", [("ש", 0, 1, 0), ("##ל", 1, 2, 0), ("##ו", 2, 3, 0), ("##ם", 3, 4, 0)]),
        ("Café", [("cafe", 0, 4, 0)]),
        ("in 東京", [("in", 0, 2, 0), ("東", 3, 4, 1), ("京", 4, 5, 2)]),
        ("a\u200db", [("ab", 0, 3, 0)]),
        ("a \u200d \x00 \x07c", [("a", 0, 1, 0), ("c", 7, 8, 1)]),
        ("<b>&;", [("<", 0, 1, 0), ("b", 1, 2, 1), (">", 2, 3, 2), ("&", 3, 4, 3), (";", 4, 5, 4)]),
    ],
)
def test_pieces_with_the_characters_they_cover(bert, text, expected):
    assert content(bert.encode(text)) == expected


def test_a_pair(bert):
    tokens = bert.encode("I learn", "you querry")
    assert pieces(tokens) == ["[CLS]", "i", "learn", "[SEP]", "you", "que", "##rry", "[SEP]"]
    assert [token.segment for token in tokens] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert [token.word for token in tokens] == [None, 0, 1, None, 0, 1, 1, None]
    assert [(token.start, token.end) for token in tokens[4:7]] == [(0, 3), (4, 7), (7, 10)]


def test_without_special_tokens(bert):
    tokens = bert.encode("I learn", "you too", special_tokens=False)
    assert pieces(tokens) == ["i", "learn", "you", "too"]
    assert [token.segment for token in tokens] == [0, 0, 1, 1]
    assert not any(token.special for token in tokens)


def test_what_the_reader_wrote_is_not_special(bert):
    tokens = bert.encode("a [MASK]")
    assert [(token.text, token.id, token.special) for token in tokens[1:3]] == [
        ("a", 1037, False),
        ("[MASK]", 103, False),
    ]


def test_nothing_is_cut_or_filled_up(bert):
    """The file pads to 128 and cuts at 128."""
    assert len(bert.encode("word")) == 3
    assert len(bert.encode("word " * 600)) == 602


def test_what_the_vocabulary_holds(bert):
    assert (bert.n_vocab, bert.pad_id, bert.unknown_id) == (30_522, 0, 100)
    assert bert.pad_token() == Token("[PAD]", 0, 0, 0, special=True, word=None, segment=0)


def test_ids_are_used_as_given(bert):
    tokens = bert.decode_ids([101, 10861, 12244, 3231, 12244, 102, 12244])
    assert [token.id for token in tokens] == [101, 10861, 12244, 3231, 12244, 102, 12244]
    assert pieces(tokens) == ["[CLS]", "que", "##rry", "test", "##rry", "[SEP]", "##rry"]
    assert [token.special for token in tokens] == [True, False, False, False, False, True, False]
    assert [token.word for token in tokens] == [None, 0, 0, 1, 1, None, 2]


def test_ids_of_a_text_give_its_tokens_back(bert):
    tokens = bert.encode("The querry, of 3.14 שלום.")
    again = bert.decode_ids(token.id for token in tokens)
    assert [(token.text, token.special, token.word) for token in again] == [
        (token.text, token.special, token.word) for token in tokens
    ]


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        ([], "There are no ids to read."),
        ([101, 30_522], "Id 30522 at position 1 is not among the 30522 of this model."),
        ([-1], "Id -1 at position 0 is not among the 30522 of this model."),
        ([1.5], "Ids are whole numbers; number 0 is 1.5."),
        (["7"], "Ids are whole numbers; number 0 is '7'."),
    ],
)
def test_ids_that_cannot_be_read(bert, ids, sentence):
    with pytest.raises(InputError) as caught:
        bert.decode_ids(ids)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("text", "pair", "sentence"),
    [
        ("", None, "The text is blank."),
        (" \t\n ", None, "The text is blank."),
        ("fine", " ", "The second text is blank."),
        ("\u200d", None, "Nothing is left of the text once the tokenizer has cleaned it."),
        ("\x00\x07", None, "Nothing is left of the text once the tokenizer has cleaned it."),
        ("fine", "\u200d", "Nothing is left of the second text once the tokenizer has cleaned it."),
        ("\u200d", "fine", "Nothing is left of the text once the tokenizer has cleaned it."),
        ("😀 𓀀", None, "The model knows nothing of this text: all its tokens are unknown."),
        ("😀", "𓀀", "The model knows nothing of this text: all its tokens are unknown."),
        ("ok " + HALF, None, "The text has half a character (the lone surrogate U+D83D) at position 3."),
        ("ok", HALF, "The second text has half a character (the lone surrogate U+D83D) at position 0."),
        ("a" * 100_001, None, "The text has 100,001 characters; at most 100,000 can be read."),
        ("a", "a" * 1_000_000, "The second text has 1,000,000 characters; at most 100,000 can be read."),
    ],
)
@pytest.mark.parametrize("special_tokens", [True, False])
def test_text_that_cannot_be_read(bert, text, pair, sentence, special_tokens):
    with pytest.raises(InputError) as caught:
        bert.encode(text, pair, special_tokens=special_tokens)
    assert str(caught.value) == sentence


def test_one_known_token_is_enough(bert):
    assert pieces(bert.encode("😀", "yes")) == ["[CLS]", "[UNK]", "[SEP]", "yes", "[SEP]"]


def test_a_million_characters_are_refused_before_they_are_read(bert, monkeypatch):
    class NeverAsked:
        def cut(self, *arguments):
            raise AssertionError("the tokenizer was asked")

    monkeypatch.setattr(bert, "_cutter", NeverAsked())
    with pytest.raises(InputError, match="1,000,000 characters; at most 100,000"):
        bert.encode("\ud83d" * 1_000_000)


def test_the_most_that_can_be_read_is_read(bert):
    """Long words are unknown to this vocabulary; what matters is that it comes back."""
    started = time.monotonic()
    assert len(bert.encode("ab " * (MAX_CHARACTERS // 3))) == MAX_CHARACTERS // 3 + 2
    assert time.monotonic() - started < 60


def test_padding_is_found_by_its_name_where_the_configuration_has_none():
    assert Tokenizer.from_file(fetch("minilm") / "tokenizer.json").pad_id == 0


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": "1.0"}'])
def test_a_damaged_tokenizer(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(CheckpointError, match=r"tokenizer.json cannot be read as a tokenizer"):
        Tokenizer.from_file(path)


TEXTS = (
    "The developer deployed it.",
    "naïve façade",
    "x=1_000.5e-3",
    "مرحبا بالعالم",
    "a\u200db\n\n😀",
    "$x$ **b** </script>",
)


def test_the_same_ids_as_transformers(bert):
    from transformers import BertTokenizerFast

    theirs = BertTokenizerFast(tokenizer_file=str(fetch("minilm") / "tokenizer.json"))
    for text in TEXTS:
        assert [token.id for token in bert.encode(text)] == theirs(text)["input_ids"]
        pair = theirs(text, "and this")
        ours = bert.encode(text, "and this")
        assert [token.id for token in ours] == pair["input_ids"]
        assert [token.segment for token in ours] == pair["token_type_ids"]
