"""Tokenizers made here: bytes, whole words, a pair closed in another way."""

import pytest
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, processors

from attention.checkpoints.tokens import Tokenizer
from attention.errors import InputError


def bytes_tokenizer():
    """Every byte a token, as in GPT-2 before any merge."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = tokenizers.Tokenizer(models.BPE({letter: id for id, letter in enumerate(letters)}, []))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    raw.post_processor = processors.ByteLevel(trim_offsets=True)
    return Tokenizer(raw)


def test_byte_pieces_of_one_character_all_cover_it():
    tokens = bytes_tokenizer().encode("a 😀")
    assert [(token.text, token.start, token.end, token.word) for token in tokens] == [
        ("a", 0, 1, 0),
        ("Ġ", 2, 2, 1),  # a space alone covers nothing
        *[(piece, 2, 3, 1) for piece in "ðŁĺĢ"],
    ]


def test_a_byte_vocabulary_knows_everything():
    tokenizer = bytes_tokenizer()
    assert (tokenizer.unknown_id, tokenizer.pad_id, tokenizer.n_vocab) == (None, None, 256)
    assert len(tokenizer.encode("😀")) == 4
    with pytest.raises(InputError, match="no padding token"):
        tokenizer.pad_token()


def words_tokenizer(*words, **special):
    raw = tokenizers.Tokenizer(models.WordLevel({word: id for id, word in enumerate(words)}, **special))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return Tokenizer(raw)


def test_a_word_that_a_small_vocabulary_does_not_have():
    with pytest.raises(InputError, match=r"a word that this model does not have: it knows “I”, “learn”[.]"):
        words_tokenizer("I", "learn").encode("I teach")
    with pytest.raises(InputError, match=r"it knows “a”, “b”, “c”, “d”, “e”, “f” …[.]"):
        words_tokenizer(*"abcdefg").encode("z")


def test_the_second_text_is_told_by_its_place_and_not_by_its_type():
    """RoBERTa's kin close a pair with types that are all 0."""
    raw = tokenizers.Tokenizer(models.WordLevel({"I": 0, "learn": 1, "</s>": 2}))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    raw.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A:0 </s>:0 $B:0 </s>:0", special_tokens=[("</s>", 2)]
    )
    tokens = Tokenizer(raw).encode("I learn", "learn")
    assert [(token.text, token.segment) for token in tokens] == [
        ("I", 0),
        ("learn", 0),
        ("</s>", 0),
        ("learn", 1),
        ("</s>", 0),
    ]


def test_padding_is_found_by_its_name():
    assert words_tokenizer("I", "<pad>").pad_id == 1
