"""T5's and Marian's sentencepieces, held against transformers' own tokenizers."""

import json
import warnings

import pytest
import sentencepiece
from transformers import MarianTokenizer
from transformers import T5Tokenizer as TheirT5

from attention.checkpoints.tokenizer_files import tokenizers_of
from attention.errors import CheckpointError
from tests.checkpoints.corpus import CORPUS, FRENCH, sentencepieces


def ids(tokens):
    return [token.id for token in tokens]


def covered(text, tokens):
    return [(token.text, text[token.start : token.end]) for token in tokens if not token.special]


@pytest.fixture
def t5(tmp_path):
    sentencepieces(tmp_path / "spiece.model", CORPUS, 90, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    return tmp_path


def test_t5(t5):
    """transformers has its blanks in the vocabulary, as its own converter puts them there."""
    ours = tokenizers_of(t5, {"model_type": "t5", "vocab_size": 300})
    assert ours.target is None
    model = sentencepiece.SentencePieceProcessor(model_file=str(t5 / "spiece.model"))
    scores = [(model.id_to_piece(id), model.get_score(id)) for id in range(90)]
    theirs = TheirT5(vocab=[*scores, *((f"<extra_id_{99 - place}>", 0.0) for place in range(100))])
    for said in ("The bank 1250.", "rivers and banks", "sat <extra_id_0> the <extra_id_99> bank"):
        assert ids(ours.source.encode(said)) == theirs(said)["input_ids"]
    pair = ours.source.encode("The bank", "the river")
    assert ids(pair) == theirs("The bank", "the river")["input_ids"]
    assert [token.segment for token in pair if token.special] == [0, 1]


def test_what_t5s_pieces_cover(t5):
    tokenizer = tokenizers_of(t5, {"model_type": "t5", "vocab_size": 190}).source
    said = "The  bank,\n😀 <extra_id_0>שלום 12"
    tokens = tokenizer.encode(said)
    assert "".join("".join(part for _, part in covered(said, tokens)).split()) == "".join(said.split())
    blank = next(token for token in tokens if token.text == "<extra_id_0>")
    assert (blank.id, said[blank.start : blank.end], blank.special) == (189, "<extra_id_0>", False)
    assert tokens[-1].text == "</s>"
    assert (tokenizer.pad_id, tokenizer.unknown_id, tokenizer.n_vocab) == (0, 2, 190)
    assert tokenizer.decode_ids([0, 189, 1])[1].text == "<extra_id_0>"
    assert [token.special for token in tokenizer.decode_ids([0, 20, 1])] == [True, False, True]
    words = {token.word for token in tokenizer.encode("The bank") if not token.special}
    assert words == {0, 1}


def test_t5_without_blanks(t5):
    (t5 / "tokenizer_config.json").write_text('{"extra_ids": 0}')
    assert tokenizers_of(t5, {"model_type": "t5", "vocab_size": 90}).source.n_vocab == 90
    (t5 / "tokenizer_config.json").write_text('{"extra_ids": "many"}')
    with pytest.raises(CheckpointError, match=r"tokenizer_config.json has many extra_ids"):
        tokenizers_of(t5, {"model_type": "t5"})


@pytest.fixture
def marian(tmp_path):
    source = sentencepieces(tmp_path / "source.spm", CORPUS, 90)
    target = sentencepieces(tmp_path / "target.spm", FRENCH, 45)
    pieces = [model.id_to_piece(id) for model in (source, target) for id in range(model.get_piece_size())]
    names = dict.fromkeys(["</s>", "<unk>", ">>fra<<", *pieces, "<pad>"])
    names.pop("<s>")
    (tmp_path / "vocab.json").write_text(json.dumps({name: id for id, name in enumerate(names)}))
    return tmp_path


def their_marian(folder, **more):
    files = (folder / name for name in ("source.spm", "target.spm", "vocab.json"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it recommends sacremoses
        return MarianTokenizer(*map(str, files), **more)


def test_marian(marian):
    n_vocab = len(json.loads((marian / "vocab.json").read_text()))
    ours = tokenizers_of(marian, {"model_type": "marian", "vocab_size": n_vocab, "pad_token_id": n_vocab - 1})
    theirs = their_marian(marian)
    for said in ["The bank approved.", "naïve cafés 2024", ">>fra<< The bank", "日本 bank", *CORPUS[:4]]:
        assert ids(ours.source.encode(said)) == theirs(said)["input_ids"], said
        assert ids(ours.target.encode(said)) == theirs(text_target=said)["input_ids"], said
    assert ids(ours.source.encode("La banque")) != ids(ours.target.encode("La banque"))
    assert (ours.source.pad_id, ours.source.n_vocab) == (n_vocab - 1, n_vocab)
    language, *rest = ours.source.encode(">>fra<< The")
    assert (language.text, language.start, language.end) == (">>fra<<", 0, 7)
    assert rest[-1].special


def test_marian_with_two_vocabularies(marian):
    target = json.loads((marian / "vocab.json").read_text())
    first, last = 2, len(target) - 2  # </s> and <unk> are where they are in every published vocabulary
    other = {name: first + last - id if first <= id <= last else id for name, id in target.items()}
    (marian / "target_vocab.json").write_text(json.dumps(other))
    config = {"model_type": "marian", "vocab_size": len(target), "decoder_vocab_size": len(target)}
    ours = tokenizers_of(marian, config)
    theirs = their_marian(marian, separate_vocabs=True, target_vocab_file=str(marian / "target_vocab.json"))
    assert ids(ours.source.encode("The bank")) == theirs("The bank")["input_ids"]
    assert ids(ours.target.encode("La banque")) == theirs(text_target="La banque")["input_ids"]
    with pytest.raises(
        CheckpointError, match=r"target_vocab.json has ids up to \d+, and the model's embedding has 9"
    ):
        tokenizers_of(marian, config | {"decoder_vocab_size": 9})
