"""Tokenizers rebuilt from a GGUF file's metadata, held against those they were taken from."""

import json

import numpy as np
import pytest
import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers, trainers

from attention.checkpoints import open_checkpoint
from attention.checkpoints.gguf_header import read_header
from attention.checkpoints.gguf_tokenizer import Kind, tokenizer_of
from attention.checkpoints.tokens import Tokenizer
from attention.errors import CheckpointError
from tests.checkpoints.corpus import CORPUS, texts
from tests.checkpoints.gguf_files import STRING, array, entry, finish, raw, text, writer

SPLITS = {
    "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "llama-bpe": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
}


def trained(pre):
    """A byte-level tokenizer, as the models that give this way of cutting its name have it."""
    raw = tokenizers.Tokenizer(models.BPE(ignore_merges=pre == "llama-bpe"))
    if pre == "qwen2":
        raw.normalizer = normalizers.NFC()
    if pre in SPLITS:
        alone = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        split = pre_tokenizers.Split(Regex(SPLITS[pre]), behavior="isolated")
        raw.pre_tokenizer = pre_tokenizers.Sequence([split, alone])
    elif pre == "smollm":
        digits = pre_tokenizers.Digits(individual_digits=True)
        raw.pre_tokenizer = pre_tokenizers.Sequence(
            [digits, pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
    else:
        raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    raw.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=500, initial_alphabet=alphabet))
    raw.add_special_tokens([tokenizers.AddedToken("<|end|>", special=True, normalized=False)])
    raw.add_tokens([tokenizers.AddedToken("<tag>", normalized=False)])
    return raw


def written(path, raw, pre, **more):
    """Its vocabulary and merges in a file."""
    made = writer(path, "llama")
    ids = raw.get_vocab()
    tokens = sorted(ids, key=ids.__getitem__)
    kinds = {"<|end|>": Kind.CONTROL, "<tag>": Kind.USER_DEFINED}
    made.add_tokenizer_model("gpt2")
    if pre is not None:
        made.add_tokenizer_pre(pre)
    made.add_token_list(tokens)
    made.add_token_types([kinds.get(token, Kind.NORMAL) for token in tokens])
    made.add_token_merges([" ".join(merge) for merge in json.loads(raw.to_str())["model"]["merges"]])
    made.add_bos_token_id(ids["<|end|>"])
    for key, value in more.items():
        made.add_bool(f"tokenizer.ggml.{key}", value)
    finish(made)
    return tokenizer_of(read_header(path), len(tokens))


@pytest.mark.parametrize("pre", ["gpt-2", "default", None, "smollm", "qwen2", "llama-bpe"])
def test_byte_level_tokenizers(tmp_path, pre):
    theirs = trained(pre)
    ours = written(tmp_path / "a.gguf", theirs, pre, add_bos_token=False)
    for said in texts():
        expected, found = theirs.encode(said), ours.encode(said)
        assert found.ids == expected.ids, said
        assert found.offsets == expected.offsets, said


def test_a_llama_3_takes_a_word_that_is_a_token_as_it_is(tmp_path):
    """Whatever its merges would make of it; the others follow their merges."""
    whole = dict(tokens=["a", "b", "ab", "aba"], merges=["a b"], token_type=[1] * 4)
    assert small(tmp_path / "a.gguf", pre="llama-bpe", add_bos_token=False, **whole).encode("aba").ids == [3]
    assert small(tmp_path / "a.gguf", pre="gpt-2", **whole).encode("aba").ids == [2, 0]


def test_each_way_of_cutting_is_another():
    cut = {
        pre: trained(pre).encode("don't  2024\n x").tokens
        for pre in ("gpt-2", "smollm", "qwen2", "llama-bpe")
    }
    assert len({tuple(tokens) for tokens in cut.values()}) == 4


@pytest.mark.parametrize(
    ("pre", "said", "begins"),
    [
        ("gpt-2", {}, False),
        ("llama-bpe", {}, True),
        ("llama-bpe", {"add_bos_token": False}, False),
        ("gpt-2", {"add_bos_token": True}, True),
    ],
)
def test_texts_begin_with_the_token_that_says_so(tmp_path, pre, said, begins):
    tokenizer = Tokenizer(written(tmp_path / "a.gguf", trained(pre), pre, **said))
    tokens = tokenizer.encode("The bank")
    assert [token.special for token in tokens[:2]] == [begins, False]
    assert tokens[0].text == ("<|end|>" if begins else "The")
    pair = tokenizer.encode("The", "bank")
    assert [token.segment for token in pair if token.special] == [0, 1][: 2 * begins]


def test_control_tokens_are_found_and_user_defined_ones_are_not_special(tmp_path):
    raw = written(tmp_path / "a.gguf", trained("gpt-2"), "gpt-2")
    added = {token.content: token.special for token in raw.get_added_tokens_decoder().values()}
    assert added == {"<|end|>": True, "<tag>": False}
    assert [token for token in raw.encode("a<tag>b<|end|>").tokens if len(token) > 1] == ["<tag>", "<|end|>"]


BYTE_TOKENS = ["a", "b", "ab", "<s>"]


def small(path, **changes):
    """A file with four tokens, changed into something that cannot be."""
    made = writer(path, changes.pop("architecture", "llama"))
    facts = (
        dict(model="gpt2", pre="gpt-2", tokens=BYTE_TOKENS, token_type=[1, 1, 1, 3], merges=["a b"]) | changes
    )
    for key, value in facts.items():
        kinds = {bool: made.add_bool, int: made.add_uint32, str: made.add_string}
        if value is not None:
            kinds.get(type(value), made.add_array)(f"tokenizer.ggml.{key}", value)
    made.add_tensor("token_embd.weight", np.ones((4, 2), np.float32))
    finish(made)
    return tokenizer_of(read_header(path), 4)


def test_a_small_tokenizer(tmp_path):
    assert small(tmp_path / "a.gguf").encode("abba").ids == [2, 1, 0]
    assert small(tmp_path / "a.gguf", model=None) is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (dict(tokens=[*BYTE_TOKENS, "c"]), "has 5 tokens, and the model's embedding has 4 rows"),
        (dict(tokens=None), "it does not give tokenizer.ggml.tokens"),
        (dict(tokens=[1, 2]), "its tokenizer.ggml.tokens is a list of 2; it must be a list of texts"),
        (dict(model="bert"), "its tokenizer.ggml.model is “bert”; known here: gpt2, llama"),
        (dict(pre="tekken"), "its tokenizer.ggml.pre is “tekken”; known here: default, gpt-2, smollm"),
        (dict(token_type=[1, 1, 1]), "its tokenizer.ggml.token_type is 3 numbers; 4 were expected"),
        (
            dict(token_type=["1"] * 4),
            "its tokenizer.ggml.token_type is a list of 4; it must be a list of numbers",
        ),
        (dict(merges=None), "it does not give tokenizer.ggml.merges"),
        (dict(merges=["ab"]), "its tokenizer.ggml.merges is “ab”; a merge is two pieces"),
        (dict(merges=["a b c"]), "its tokenizer.ggml.merges is “a b c”; a merge is two pieces"),
        (dict(merges=["a z"]), "its tokenizer cannot be built: .*z"),
        (dict(bos_token_id=4), "its tokenizer.ggml.bos_token_id is 4; there are 4"),
        (dict(add_bos_token=1), "its tokenizer.ggml.add_bos_token is 1; it must be true or false"),
        (dict(model="llama"), "it does not give tokenizer.ggml.scores"),
        (dict(model="llama", unknown_token_id=9), "its tokenizer.ggml.unknown_token_id is 9; there are 4"),
    ],
    ids=lambda said: said[:50] if isinstance(said, str) else "file",
)
def test_a_tokenizer_that_cannot_be(tmp_path, changes, sentence):
    changes.setdefault("add_bos_token", True)
    with pytest.raises(CheckpointError, match=sentence):
        small(tmp_path / "a.gguf", **changes)


def test_a_vocabulary_of_nothing(tmp_path):
    model = entry("tokenizer.ggml.model", STRING, text("gpt2"))
    (tmp_path / "a.gguf").write_bytes(raw([model, array("tokenizer.ggml.tokens", STRING, 0, b"")]))
    with pytest.raises(CheckpointError, match=r"a.gguf has a vocabulary of 0 tokens[.]"):
        tokenizer_of(read_header(tmp_path / "a.gguf"), 4)


def test_a_file_without_a_tokenizer_takes_ids_only(tmp_path):
    from tests.checkpoints.test_gguf_config import written as without_tokenizer

    assert open_checkpoint(without_tokenizer(tmp_path / "a.gguf")).tokenizer is None
