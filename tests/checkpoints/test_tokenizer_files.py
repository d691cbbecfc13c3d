"""Folders with the tokenizer files that came before `tokenizer.json`, held against transformers' own."""

import json

import pytest
from tokenizers import AddedToken, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as Library
from transformers import BertTokenizer, GPT2Tokenizer, Qwen2Tokenizer, RobertaTokenizer

from attention.checkpoints.tokenizer_files import tokenizers_of
from attention.errors import CheckpointError, InputError
from tests.checkpoints.corpus import CORPUS, texts


def ids(tokens):
    return [token.id for token in tokens]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (None, {}),
        ({"do_lower_case": False}, {"do_lower_case": False}),
        ({"strip_accents": False}, {"strip_accents": False}),
    ],
)
def test_vocab_txt(tmp_path, settings, named):
    names = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "the",
        "bank",
        "Bank",
        "##s",
        "naive",
        "naïve",
        "2",
        "##0",
        ",",
    ]
    (tmp_path / "vocab.txt").write_text("\n".join(names) + "\n")
    if settings is not None:
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    ours = tokenizers_of(tmp_path, {"model_type": "bert", "vocab_size": len(names)}).source
    theirs = BertTokenizer(vocab={name: id for id, name in enumerate(names)}, **named)
    for said in ("the Banks", "naïve, the 20", "bank [MASK] the", "the\nbank\t2"):
        assert ids(ours.encode(said)) == theirs(said)["input_ids"], said
    pair = theirs("the bank", "banks")
    assert ids(ours.encode("the bank", "banks")) == pair["input_ids"]
    assert [token.segment for token in ours.encode("the bank", "banks")] == pair["token_type_ids"]
    assert (ours.pad_id, ours.unknown_id) == (0, 1)


def byte_files(folder, special=()):
    """`vocab.json` and `merges.txt`, as the library itself writes them."""
    raw = Library(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, special_tokens=list(special))
    raw.train_from_iterator(CORPUS, trainer)
    raw.model.save(str(folder))
    merges = (folder / "merges.txt").read_text().splitlines()
    return json.loads((folder / "vocab.json").read_text()), [tuple(merge.split(" ")) for merge in merges[1:]]


@pytest.mark.parametrize(
    ("model_type", "special", "made"),
    [
        ("gpt2", ["<|endoftext|>"], GPT2Tokenizer),
        ("roberta", ["<s>", "<pad>", "</s>", "<unk>", "<mask>"], RobertaTokenizer),
        ("qwen2", ["<|endoftext|>"], Qwen2Tokenizer),
    ],
)
def test_vocab_json_and_merges_txt(tmp_path, model_type, special, made):
    vocabulary, merges = byte_files(tmp_path, special=special)
    ours = tokenizers_of(tmp_path, {"model_type": model_type, "vocab_size": 400}).source
    masked = {"mask_token": AddedToken("<mask>", lstrip=True)} if model_type == "roberta" else {}
    theirs = made(vocab=vocabulary, merges=merges, **masked)
    for said in [*texts(300), "a <mask> b", "a <|endoftext|>b"]:
        if said.strip():
            assert ids(ours.encode(said)) == theirs(said)["input_ids"], said
    assert ids(ours.encode("The bank", "sat")) == theirs("The bank", "sat")["input_ids"]


def test_tokens_that_the_settings_add(tmp_path):
    byte_files(tmp_path)
    added = {
        "401": {"content": "<|im_start|>", "special": True},
        "400": {"content": "<think>", "special": False},
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": added}))
    tokenizer = tokenizers_of(tmp_path, {"model_type": "qwen3", "vocab_size": 402}).source
    assert [token.id for token in tokenizer.encode("<think><|im_start|>")] == [400, 401]
    assert [token.special for token in tokenizer.decode_ids([400, 401])] == [False, True]
    added["500"] = added.pop("401")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": added}))
    with pytest.raises(
        CheckpointError, match=r"gives “<.im_start.>” the id 500, and vocab.json makes it 401"
    ):
        tokenizers_of(tmp_path, {"model_type": "qwen3", "vocab_size": 600})


def test_no_tokenizer_at_all(tmp_path):
    (tmp_path / "merges.txt").write_text("")
    ours = tokenizers_of(tmp_path, {})
    assert ours.source is ours.target is None


GARBAGE, MERGE = b"\x00\x01garbage", {"merges.txt": b"a"}
GPT2, T5, BERT, MARIAN, ALBERT = ({"model_type": name} for name in ("gpt2", "t5", "bert", "marian", "albert"))


@pytest.mark.parametrize(
    ("files", "config", "sentence"),
    [
        ({"tokenizer.model": GARBAGE}, {}, "has the tokenizer tokenizer.model, which is not read here"),
        ({"sentencepiece.bpe.model": GARBAGE}, {}, "has the tokenizer sentencepiece.bpe.model, which is not"),
        ({"vocab.bpe": GARBAGE, "encoder.json": b"{}"}, {}, "has the tokenizer encoder.json"),
        ({"qwen.tiktoken": GARBAGE}, {}, "has the tokenizer qwen.tiktoken, which is not read"),
        ({"source.spm": GARBAGE}, {}, "has the tokenizer source.spm, which is not read"),
        ({"spiece.model": GARBAGE}, T5, "spiece.model is no sentencepiece model"),
        ({"spiece.model": b""}, T5, "spiece.model is an empty file"),
        ({"spiece.model": GARBAGE}, ALBERT, "how a “albert” cuts a text; .* t5, mt5"),
        ({"vocab.txt": b"a"}, ALBERT, "how a “albert” cuts a text; .* bert, distilbert"),
        ({"vocab.txt": b"a\nb"}, BERT, r"vocab.txt has no \[UNK\]"),
        ({"vocab.txt": b"\xff\xfe"}, BERT, "vocab.txt is not text in UTF-8"),
        ({"vocab.txt": b""}, BERT, "vocab.txt is an empty file"),
        ({"vocab.json": b"{}", **MERGE}, GPT2, "has a vocabulary of 0 tokens"),
        ({"vocab.json": b"[]", **MERGE}, GPT2, "should hold a JSON object"),
        ({"vocab.json": b'{"a": -1}', **MERGE}, GPT2, "gives “a” the id -1"),
        ({"vocab.json": b'{"a": "b"}', **MERGE}, GPT2, "gives “a” the id b"),
        ({"vocab.json": b'{"a": 0}', **MERGE}, GPT2, "has “a” where two pieces were"),
        ({"vocab.json": b'{"a": 0}', "merges.txt": b"a b"}, GPT2, "does not fit vocab.json: .*b"),
        ({"vocab.json": b'{"a": 0}', "merges.txt": b"a b"}, ALBERT, "how a “albert” cuts a text"),
        (
            {"vocab.json": b'{"a": 0}', "source.spm": GARBAGE, "target.spm": GARBAGE},
            MARIAN,
            "vocab.json has no </s>, which every Marian has",
        ),
        (
            {"vocab.json": b'{"</s>": 0, "<unk>": 1}', "source.spm": GARBAGE, "target.spm": GARBAGE},
            MARIAN,
            "source.spm is no sentencepiece model",
        ),
        ({"tokenizer.json": b"{}"}, {}, "tokenizer.json cannot be read as a tokenizer"),
    ],
    ids=lambda said: said[:40] if isinstance(said, str) else "",
)  # fmt: skip
def test_files_that_are_refused(tmp_path, files, config, sentence):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CheckpointError, match=sentence) as caught:
        tokenizers_of(tmp_path, config)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("config", [{"vocab_size": 2}, {"text_config": {"vocab_size": 2}}])
def test_ids_that_the_embedding_does_not_have(tmp_path, config):
    Library(models.WordLevel({"a": 0, "b": 1, "c": 2})).save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(CheckpointError) as caught:
        tokenizers_of(tmp_path, config)
    assert str(caught.value) == (
        f"{tmp_path / 'tokenizer.json'} has ids up to 2, and the model's embedding has 2 rows."
    )
    assert tokenizers_of(tmp_path, {"vocab_size": 3}).source.n_vocab == 3


def test_ids_that_the_embedding_has_and_the_tokenizer_does_not(tmp_path):
    """A model may write one: its row is there, and no piece stands for it."""
    Library(models.WordLevel({"a": 0, "b": 1})).save(str(tmp_path / "tokenizer.json"))
    tokenizer = tokenizers_of(tmp_path, {"vocab_size": 4}).source
    assert [(token.text, token.id) for token in tokenizer.decode_ids([1, 3])] == [("b", 1), ("[3]", 3)]
    with pytest.raises(InputError, match="Id 4 at position 0 is not among the 4 of this model"):
        tokenizer.decode_ids([4])


def test_a_tokenizer_of_nothing(tmp_path):
    Library(models.BPE()).save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(CheckpointError, match=r"tokenizer.json has a vocabulary of 0 tokens[.]"):
        tokenizers_of(tmp_path, {})


def test_a_pad_token_that_is_none_is_left_aside(tmp_path):
    Library(models.WordLevel({"a": 0, "<pad>": 1})).save(str(tmp_path / "tokenizer.json"))
    assert tokenizers_of(tmp_path, {"pad_token_id": 7, "vocab_size": 3}).source.pad_id == 1
    assert tokenizers_of(tmp_path, {"pad_token_id": 0}).source.pad_id == 0
