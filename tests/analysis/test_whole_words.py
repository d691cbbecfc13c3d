"""Word pieces put together into words, worked out by hand and laws that hold for any weights."""

import numpy as np
import pytest
import torch

from attention import Settings, masks
from attention.analysis.measured import measured
from attention.analysis.measures import BY_KEY
from attention.analysis.reading import Pieces, pieces_of, readings
from attention.analysis.whole_words import (
    allowed_between,
    blind_words,
    merge_allowed,
    merge_words,
    weights_between,
)
from tests.toys import toy

UNITS = ((0,), (1, 2, 3), (4,), (5, 6))


def random_rows(n=7, heads=3, seed=2):
    return torch.softmax(torch.randn(heads, n, n, generator=torch.Generator().manual_seed(seed)).double(), -1)


def by_hand(weights):
    """The rule, a cell at a time."""
    found = np.zeros((len(UNITS), len(UNITS)))
    for row, queries in enumerate(UNITS):
        for column, keys in enumerate(UNITS):
            found[row, column] = np.mean([sum(weights[q, k] for k in keys) for q in queries])
    return found


def test_keys_are_summed_and_queries_averaged():
    weights = random_rows()
    merged = merge_words(weights, UNITS)
    for ours, theirs in zip(merged.numpy(), weights.numpy(), strict=True):
        np.testing.assert_allclose(ours, by_hand(theirs), atol=1e-12)
    torch.testing.assert_close(merged.sum(dim=-1), torch.ones(3, 4, dtype=torch.float64))


def test_words_of_one_piece_change_nothing():
    weights = random_rows()
    torch.testing.assert_close(merge_words(weights, tuple((at,) for at in range(7))), weights)


def test_a_blind_piece_does_not_thin_its_word():
    weights = random_rows()
    weights[:, 2] = 0
    weights[:, 4] = 0
    merged = merge_words(weights, UNITS)
    torch.testing.assert_close(merged.sum(dim=-1)[0], torch.tensor([1.0, 1.0, 0.0, 1.0]).double())
    torch.testing.assert_close(merged[1, 1, 0], (weights[1, 1, 0] + weights[1, 3, 0]) / 2)


def test_a_word_may_see_what_any_of_its_pieces_may():
    causal = torch.ones(7, 7).tril() > 0
    assert merge_allowed(causal, UNITS).tolist() == np.tril(np.ones((4, 4), bool)).tolist()
    last_piece_alone = torch.zeros(7, 7, dtype=torch.bool)
    last_piece_alone[3, 6] = True
    assert torch.nonzero(merge_allowed(last_piece_alone, UNITS)).tolist() == [[1, 3]]


def test_a_picture_of_other_rows_than_columns_is_merged_as_arrays():
    """Rows 0–3 of seven, their second piece blind, against columns 1–6: hidden tokens leave such pictures."""
    weights = random_rows()[0, :4, 1:].numpy().astype(np.float32)
    sees, queries, keys = np.array([True, False, True, True]), ((0,), (1, 2, 3)), ((0, 1, 2), (3,), (4, 5))
    weights[1] = 0
    expected = np.array(
        [[np.mean([weights[q, list(k)].sum() for q in rows if sees[q]]) for k in keys] for rows in queries]
    )
    before = weights.copy()
    np.testing.assert_allclose(weights_between(weights, sees, queries, keys), expected, atol=1e-7)
    np.testing.assert_array_equal(weights, before)
    weights.flags.writeable = False  # as what all sessions share is
    assert weights_between(weights, sees, queries, keys).dtype == np.float64


def test_whom_words_may_see_and_which_of_them_see_nothing_as_arrays():
    allowed = np.zeros((3, 4), bool)
    allowed[1, 2] = True
    assert allowed_between(allowed, ((0, 1), (2,)), ((0, 1), (2, 3))).tolist() == [[False, True], [False] * 2]
    assert blind_words(allowed.any(axis=1), ((0, 1), (2,))) == (1,)


def test_two_words_of_the_same_pieces_are_equal():
    run = toy().run([4, 1, 2, 9, 1, 2, 1], settings=Settings(mask=masks.Causal()))
    pieces = Pieces(
        ids=[token.id for token in run.tokens],
        special=[False] * 7,
        units=((0,), (1, 2), (3,), (4, 5), (6,)),
        n_real=7,
    )
    ((rows, _),) = readings(run.attention(0), pieces)
    assert len(set(rows.ids.tolist())) == 4
    assert rows.ids[1] == rows.ids[3]
    found = BY_KEY["equal"].per_row(rows)
    assert found.rows.tolist() == [False, False, False, True, False]
    weights = run.attention(0).weights
    torch.testing.assert_close(found.values[:, 3], weights[:, 4:6, 1:3].sum(dim=-1).mean(dim=-1))


def test_strips_never_cut_a_word(monkeypatch):
    run = toy().run([4, 1, 2, 9, 1, 2, 1])
    pieces = Pieces(ids=range(7), special=[False] * 7, units=UNITS, n_real=7)
    ((whole, even),) = readings(run.attention(1), pieces)
    monkeypatch.setattr("attention.analysis.reading.STRIP_CELLS", 2 * 6 * 7)
    strips = list(readings(run.attention(1), pieces))
    assert [rows.first_row for rows, _ in strips] == [0, 1, 2, 3]
    for name in ("weights", "value_weights"):
        joined = torch.cat([getattr(rows, name) for rows, _ in strips], dim=1)
        torch.testing.assert_close(joined, getattr(whole, name))
        evens = torch.cat([getattr(rows, name) for _, rows in strips], dim=1)
        torch.testing.assert_close(evens, getattr(even, name))
    torch.testing.assert_close(
        torch.cat([rows.update_shares for rows, _ in strips], dim=1), whole.update_shares
    )


def test_a_real_sentence_in_words(minilm):
    run = minilm.run("The lorry passed the hedgerows.")
    assert [token.text for token in run.tokens] == [
        "[CLS]", "the", "lo", "##rry", "passed", "the", "hedge", "##row", "##s", ".", "[SEP]"
    ]  # fmt: skip
    pieces = pieces_of(run, words=True)
    assert pieces.units == ((0,), (1,), (2, 3), (4,), (5,), (6, 7, 8), (9,), (10,))
    found = measured(run, words=True)
    assert found.n_keys == 8
    weights = run.attention(2).weights[7].double()
    words = merge_words(weights, pieces.units)
    on_previous = np.diagonal(words.numpy(), -1).mean()
    assert found.value(BY_KEY["previous"], 2, 7) == pytest.approx(on_previous, abs=1e-9)
    assert found.counted(BY_KEY["previous"], 2) == 7
