"""Counting a mask, padding a batch, [MASK] against a mask: laws, hand-made values, runs by another way."""

import numpy as np
import pytest
import torch

from attention import InputError, Settings, load, masks
from attention.analysis.mask_token import both_masks, looked_at, mask_token
from attention.analysis.masking import kept, looks_ahead, may_attend, moved
from attention.analysis.padding import padded_batch
from attention.engine.masks import Causal, Global, Keys, Own, Prefix, Window, dense
from attention.sites import SiteRun

LOAN = "The bank approved the loan."
BATCH = (LOAN, "We sat beside the river bank.", "Dogs bark.")


@pytest.fixture(scope="module")
def wide():
    """MiniLM in float64 from the first vector on, which the analysis does not use."""
    return load("minilm", dtype=torch.float64)


def test_a_mask_is_counted_row_by_row():
    count = kept(dense(Causal() & Window(2, 0) & Keys({0}), 5))
    assert count.per_query == (0, 1, 2, 3, 3)
    assert (count.cells, count.share, count.blind) == (9, 9 / 25, (0,))
    assert kept(dense(Causal(), 3, 7)).share == 6 / 21


@pytest.mark.parametrize(
    ("rule", "n", "ahead"),
    [
        (Causal() & Window(2, 2), 7, False),
        (Window(2, 1), 7, True),
        (Window(2, 1), 1, False),  # there is nothing ahead
        (Prefix(3), 7, True),
        (Causal() | Global({1300}), 1301, True),  # seen in the last strip of queries as in the first
        (Causal(), 1301, False),
    ],
)
def test_a_rule_looks_ahead_where_its_matrix_has_a_cell_above_the_diagonal(rule, n, ahead):
    assert looks_ahead(rule, n) is ahead
    assert bool(dense(rule, n).triu(1).any()) is ahead


def test_a_pair_may_attend_in_some_layers_and_not_in_others(minilm):
    run = minilm.run(LOAN, pad_to=9, settings=Settings(mask=Own() & Keys({2}), mask_layers={1, 3}))
    of = SiteRun(run)
    assert not may_attend(of, [1, 3], 5, 2)
    assert may_attend(of, [1, 2], 5, 2)
    assert may_attend(of, [1, 3], 5, 4)
    assert not may_attend(of, range(6), 5, 8)  # padding


def test_how_far_outputs_moved_is_the_cosine_distance_of_real_tokens(minilm):
    untouched = minilm.run(LOAN)
    changed = minilm.run(LOAN, pad_to=12, settings=Settings(mask=masks.Causal()))
    one, other = (run.final.numpy().astype(float) for run in (changed, untouched))
    expected = [
        1 - one[at] @ other[at] / np.linalg.norm(one[at]) / np.linalg.norm(other[at]) for at in range(8)
    ]
    np.testing.assert_allclose(moved(changed, untouched).numpy(), expected, atol=1e-12)
    assert max(expected) > 0.01


def test_a_batch_is_filled_up_to_its_longest_sentence(minilm):
    rows = padded_batch(minilm, BATCH)
    assert [row.n_real for row in rows] == [8, 9, 5]
    assert {len(row.ids) for row in rows} == {9}
    for row, sentence in zip(rows, BATCH, strict=True):
        real = minilm.tokenize(sentence)
        assert row.ids == (*(token.id for token in real), *[minilm.pad_id] * (9 - len(real)))


def test_hidden_padding_changes_no_real_token_in_float64(minilm):
    rows = padded_batch(minilm, BATCH)
    assert max(row.difference for row in rows) <= 1e-10
    assert [row.unmasked > 0.1 for row in rows] == [True, False, True]
    assert rows[1].unmasked == 0.0


@pytest.mark.parametrize("at", [0, 2])
def test_what_open_padding_does_is_what_a_model_loaded_in_float64_says(at, minilm, wide):
    row = padded_batch(minilm, BATCH)[at]
    alone = wide.run(BATCH[at]).final.numpy()
    seen = wide.run(BATCH[at], pad_to=9, settings=Settings(padding=False)).final.numpy()[: row.n_real]
    hidden = wide.run(BATCH[at], pad_to=9).final.numpy()[: row.n_real]
    assert np.abs(hidden - alone).max() <= 1e-10
    # the analysis looks the first vectors up in float32, hence the tolerance
    assert row.unmasked == pytest.approx(np.abs(seen - alone).max(), abs=1e-4)
    assert row.largest == pytest.approx(np.abs(alone).max(), abs=1e-4)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ((), "The batch is empty: write at least one sentence"),
        (("Dogs bark.",) * 9, "The batch has 9 sentences; at most 8 fit here."),
        (("Dogs bark.", " "), "Sentence 2 of the batch: "),
        (
            (LOAN, "bank " * 600),
            "Sentence 2 of the batch: The text has 602 tokens; minilm takes at most 512.",
        ),
    ],
)
def test_a_batch_that_cannot_be_read_is_refused_in_a_sentence(sentences, message, minilm):
    with pytest.raises(InputError) as refused:
        padded_batch(minilm, sentences)
    assert str(refused.value).startswith(message)


def test_a_model_that_pads_with_nothing_refuses_a_batch_of_unequal_length():
    model = load("worked-example")
    assert len(padded_batch(model, ("I learn", "learn I"))) == 2
    with pytest.raises(InputError, match="no padding token"):
        padded_batch(model, ("I learn", "learn"))


def test_mask_token_is_found_where_the_vocabulary_has_one(minilm):
    token = mask_token(minilm)
    assert (token.text, token.id) == ("[MASK]", 103)
    assert mask_token(load("worked-example")) is None


def test_a_hidden_word_is_looked_at_by_nobody_and_a_replaced_one_still_is(minilm):
    run = minilm.run(LOAN)
    both = both_masks(run, 2, mask_token(minilm))
    assert [token.text for token in both.replaced.tokens] == [
        "[CLS]", "the", "[MASK]", "approved", "the", "loan", ".", "[SEP]"]  # fmt: skip
    by_ids = minilm.run([token.id if at != 2 else 103 for at, token in enumerate(run.tokens)])
    torch.testing.assert_close(both.replaced.final, by_ids.final, atol=1e-6, rtol=0)
    assert looked_at(both.hidden, 2) == 0.0
    received = [np.delete(by_ids.attention(layer).weights.numpy()[:, :, 2], 2, axis=1) for layer in range(6)]
    assert looked_at(both.replaced, 2) == pytest.approx(float(np.mean(received)), abs=1e-6)
    assert looked_at(both.replaced, 2) > 0.05


def test_a_row_of_padding_does_not_look(minilm):
    padded = minilm.run(LOAN, pad_to=12)
    assert looked_at(padded, 2) == pytest.approx(looked_at(minilm.run(LOAN), 2), abs=1e-6)
    assert looked_at(minilm.run([2924]), 0) is None


def test_a_word_that_is_not_there_is_refused(minilm):
    with pytest.raises(InputError, match="no position 8: the text has 8 tokens"):
        both_masks(minilm.run(LOAN), 8, mask_token(minilm))
