"""A layer's heads at a glance, against the whole matrices of MiniLM."""

import numpy as np
import pytest

from attention.analysis import strips
from attention.analysis.blocks import keys_in_blocks, queries_in_blocks
from attention.analysis.glance import glance
from attention.analysis.words import groups
from attention.engine.masks import Causal, Keys
from attention.engine.settings import Settings

TEXT = "A lorry passed the hedgerows."  # [CLS] a lo ##rry passed the hedge ##row ##s . [SEP]
N, WORDS = 11, [[0], [1], [2, 3], [4], [5], [6, 7, 8], [9], [10]]
EACH = tuple((at,) for at in range(N))


def merged(weights):
    """Summed over the keys of a word, averaged over its queries, by hand."""
    columns = np.stack([weights[..., word].sum(axis=-1) for word in WORDS], axis=-1)
    return np.stack([columns[:, word].mean(axis=1) for word in WORDS], axis=1)


def bits(weights):
    return -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=-1).mean(axis=-1)


@pytest.fixture
def strips_of_three_rows(monkeypatch):
    monkeypatch.setattr(strips, "STRIP_BYTES", 4 * 12 * N * 3)


@pytest.mark.parametrize("words", [False, True])
def test_pictures_entropies_and_pairs_are_those_of_the_whole_matrix(minilm, strips_of_three_rows, words):
    run = minilm.run(TEXT)
    whole = run.attention(4).weights.numpy().astype(float)
    expected = merged(whole) if words else whole
    units = groups(run.tokens) if words else EACH
    found = glance(run.attention(4), units, units, side=64, how="max", n_real=N)
    np.testing.assert_allclose(found.blocks, expected, atol=1e-6)
    np.testing.assert_allclose(found.entropies, bits(expected), rtol=1e-5)
    for head, pair in enumerate(found.strongest):
        place = np.unravel_index(expected[head].argmax(), expected[head].shape)
        assert (pair.query, pair.key) == place
        assert pair.weight == pytest.approx(expected[head].max(), abs=1e-6)


def test_padding_and_blind_rows_count_in_no_entropy(minilm):
    settings = Settings(mask=Causal() & Keys({0}))  # the first row sees nothing then
    plain, padded = (minilm.run(TEXT, settings=settings, pad_to=pad) for pad in (None, 16))
    whole = plain.attention(2).weights.numpy().astype(float)[:, 1:]
    for run in (plain, padded):
        units = tuple((at,) for at in range(len(run.tokens)))
        found = glance(run.attention(2), units, units, side=64, how="max", n_real=run.n_real)
        np.testing.assert_allclose(found.entropies, bits(whole), rtol=1e-4)
        for head, pair in enumerate(found.strongest):
            row, key = np.unravel_index(whole[head].argmax(), whole[head].shape)
            assert (pair.query, pair.key) == (row + 1, key)


def test_a_row_of_padding_is_nobody_s_strongest(minilm):
    run = minilm.run(TEXT, pad_to=16, settings=Settings(padding=False))
    units = tuple((at,) for at in range(16))
    found = glance(run.attention(0), units, units, side=64, how="max", n_real=run.n_real)
    weights = run.attention(0).weights
    assert (weights[:, run.n_real :].amax(dim=(1, 2)) > weights[:, : run.n_real].amax(dim=(1, 2))).any()
    assert all(pair.query < run.n_real for pair in found.strongest)


@pytest.mark.parametrize(("how", "make"), [("max", np.max), ("mean", np.mean)])
def test_blocks_of_unlike_size(how, make):
    weights = np.random.default_rng(1).dirichlet(np.ones(7), size=(3, 7))
    spans = [slice(0, 2), slice(2, 4), slice(4, 7)]
    expected = [[[make(one[down, across]) for across in spans] for down in spans] for one in weights]
    np.testing.assert_allclose(queries_in_blocks(keys_in_blocks(weights, 3, how), 3, how), expected)
    np.testing.assert_allclose(keys_in_blocks(queries_in_blocks(weights, 3, how), 3, how), expected)
