"""What a model is given: ids, padding and a precision, each refused in one sentence where it cannot be."""

from dataclasses import replace

import pytest
import tokenizers
import torch

from attention import ConfigError, InputError, load
from attention.checkpoints.tokens import Tokenizer
from attention.model import from_checkpoint
from tests.toys import toy

PIECES = tokenizers.Tokenizer(tokenizers.models.WordLevel({"I": 0, "learn": 1, "[PAD]": 2, "more": 13}))
PIECES.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()


def reading(*, pad_id=None, **config):
    """A toy of 13 rows whose tokenizer has a word more."""
    checkpoint = replace(toy(**config).checkpoint, tokenizer=Tokenizer(PIECES, pad_id=pad_id))
    return from_checkpoint(checkpoint, dtype=torch.float64)


@pytest.mark.parametrize(
    ("model", "pad_id"),
    [
        (toy(pad_token_id=7), 7),
        (toy(), None),
        (toy(pad_token_id=13), None),
        (toy(pad_token_id=-1), None),
        (toy(pad_token_id="7"), None),
        (toy(pad_token_id=True), None),
        (reading(pad_id=1, pad_token_id=7), 1),
        (reading(pad_id=13, pad_token_id=7), None),
    ],
)
def test_one_id_pads_and_without_one_padding_is_refused(model, pad_id):
    assert model.pad_id == pad_id
    assert len(model.run([1, 0], pad_to=2).tokens) == 2
    if pad_id is None:
        with pytest.raises(InputError, match="toy has no padding token"):
            model.run([1, 0], pad_to=4)
    else:
        padding = model.run([1, 0], pad_to=4).tokens[2:]
        assert [(token.id, token.special) for token in padding] == [(pad_id, True)] * 2


@pytest.mark.parametrize(
    "ask",
    [
        lambda: reading().run("I learn more"),
        lambda: reading().run([1, 13]),
        lambda: toy().run([1, 13]),
    ],
)
def test_an_id_without_a_row_is_refused_alike_wherever_it_comes_from(ask):
    with pytest.raises(InputError, match=r"^Token id 13 is not in the vocabulary \(0–12\)\.$"):
        ask()


@pytest.mark.parametrize("given", [2.0, "2", None])
def test_an_id_that_is_no_whole_number_is_refused(given):
    for model in (toy(), reading()):
        with pytest.raises(InputError, match=rf"^Token id {given!r} is not in the vocabulary \(0–12\)\.$"):
            model.run([1, given])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int64, torch.complex64])
def test_a_dtype_that_is_not_computed_in_is_refused(dtype):
    for make in (lambda: toy(dtype=dtype), lambda: load("worked-example", dtype=dtype)):
        with pytest.raises(ConfigError, match=f"float32 or torch.float64, not in {dtype}"):
            make()


def test_without_a_tokenizer_a_text_lists_ids_and_each_covers_its_digits():
    model = toy(d_vocab=11)
    read, given = model.run("3, 10 4", pair="1").tokens, model.run([3, 10, 4], pair=[1]).tokens
    assert [(token.id, token.segment) for token in read] == [(token.id, token.segment) for token in given]
    assert [(token.start, token.end) for token in read] == [(0, 1), (3, 5), (6, 7), (0, 1)]
    assert [token.word for token in read] == [0, 1, 2, 0]
