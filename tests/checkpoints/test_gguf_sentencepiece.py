"""Sentencepiece tokenizers rebuilt from a GGUF file's metadata, held against sentencepiece itself."""

import io

import pytest
import sentencepiece

from attention.checkpoints.gguf_header import read_header
from attention.checkpoints.gguf_tokenizer import Kind, tokenizer_of
from attention.checkpoints.tokens import Tokenizer
from tests.checkpoints.corpus import CORPUS, texts
from tests.checkpoints.gguf_files import finish, writer

SPACES = "▁" * 20
USER_DEFINED = ["\n", "\n\n", "\t", "<tag>", *(SPACES[:n] for n in range(2, len(SPACES) + 1))]


def pieces(**options):
    """A sentencepiece model with a piece for every byte, and lines and runs of spaces that a user defined."""
    model = io.BytesIO()
    ids = dict(pad_id=0, eos_id=1, bos_id=2, unk_id=3)
    kind = dict(
        model_type="bpe", vocab_size=560, byte_fallback=True, split_digits=True, character_coverage=1.0
    )
    as_it_is = dict(normalization_rule_name="identity", remove_extra_whitespaces=False, minloglevel=2)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=model, **ids, **kind, **as_it_is, **options
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def sentencepiece_file(path, model, architecture, prefix, defined=()):
    made = writer(path, architecture)
    n_pieces = model.get_piece_size()
    kinds = [_kind(model, id, defined) for id in range(n_pieces)]
    stored = [
        model.id_to_piece(id).replace("▁", " ") if kind == Kind.USER_DEFINED else model.id_to_piece(id)
        for id, kind in enumerate(kinds)
    ]
    made.add_tokenizer_model("llama")
    made.add_tokenizer_pre("default")
    made.add_token_list(stored)
    made.add_token_scores(
        [-1000.0 if kind != Kind.NORMAL else model.get_score(id) for id, kind in enumerate(kinds)]
    )
    made.add_token_types(kinds)
    made.add_bos_token_id(2)
    made.add_eos_token_id(1)
    made.add_unk_token_id(3)
    made.add_add_space_prefix(prefix)
    finish(made)
    return tokenizer_of(read_header(path), n_pieces)


def _kind(model, id, defined):
    if model.is_control(id):
        return Kind.CONTROL
    if model.is_unknown(id):
        return Kind.UNKNOWN
    if model.is_byte(id):
        return Kind.BYTE
    piece = model.id_to_piece(id)
    return Kind.USER_DEFINED if piece in defined else Kind.NORMAL


@pytest.mark.parametrize("architecture", ["llama", "gemma3"])
@pytest.mark.parametrize(("prefix", "defined"), [(True, []), (False, USER_DEFINED)])
def test_sentencepieces_equal_sentencepieces_own(tmp_path, architecture, prefix, defined):
    """All but texts that hold ▁ itself, or more spaces in a row than are defined in one piece."""
    model = pieces(add_dummy_prefix=prefix, user_defined_symbols=defined)
    ours = sentencepiece_file(tmp_path / "a.gguf", model, architecture, prefix, defined)
    compared = [said for said in texts() if "▁" not in said and " " * (len(SPACES) + 1) not in said]
    assert len(compared) > 1000
    for said in compared:
        assert ours.encode(said, add_special_tokens=False).ids == model.encode(said), said


def test_sentencepieces_begin_with_bos_and_fall_back_to_bytes(tmp_path):
    model = pieces(add_dummy_prefix=False)
    tokenizer = Tokenizer(sentencepiece_file(tmp_path / "a.gguf", model, "gemma3", prefix=False))
    tokens = tokenizer.encode("bank 🦆x")
    assert [(tokens[0].text, tokens[0].special, tokens[0].id)] == [("<s>", True, 2)]
    bytes_ = [token for token in tokens if token.text.startswith("<0x")]
    assert [token.text for token in bytes_] == ["<0xF0>", "<0x9F>", "<0xA6>", "<0x86>"]
    assert {(token.start, token.end) for token in bytes_} == {(5, 6)}
    assert [token.shown for token in bytes_] == [r"\xf0", r"\x9f", r"\xa6", r"\x86"]
