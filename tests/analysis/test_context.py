"""One word in two places, recomputed in NumPy from the residual stream and the checkpoint's tensors."""

import numpy as np
import pytest
import torch

from attention.analysis import context
from attention.analysis.context import Occurrence
from attention.errors import InputError

LOAN, RIVER = "The bank approved the loan.", "We sat beside the river bank."


@pytest.fixture(scope="module")
def loan(minilm):
    return minilm.run(LOAN)


@pytest.fixture(scope="module")
def river(minilm):
    return minilm.run(RIVER)


def test_words_in_small_letters_with_the_positions_of_their_pieces(minilm):
    text = "Banks, said O'Neill the hedgerower: banks!"
    found = context.occurrences(minilm.run(text), text)
    assert [one.name for one in found] == ["banks", "said", "o", "neill", "the", "hedgerower", "banks"]
    tokens = minilm.run(text).tokens
    (pieces,) = [one.positions for one in found if one.name == "hedgerower"]
    assert [tokens[at].text for at in pieces] == ["hedge", "##row", "##er"]


def test_shared_and_repeated_words(loan, river):
    first, second = context.occurrences(loan, LOAN), context.occurrences(river, RIVER)
    assert context.shared(first, second) == ("the", "bank")
    assert context.repeated(first) == ("the",)
    assert context.repeated(second) == ()


def test_the_bank_of_a_loan_and_of_a_river(loan, river):
    alike = context.cosines(context.vectors(loan, [2]), context.vectors(river, [6]))
    # issue and science.md: they need not fall steadily
    assert alike.numpy() == pytest.approx([0.964, 0.837, 0.822, 0.811, 0.831, 0.867, 0.785], abs=5e-4)
    assert context.parting(alike) == 0


def test_a_word_of_several_pieces_is_their_mean(minilm):
    run = minilm.run("The hedgerower slept.")
    expected = [resid.numpy()[2:5].astype(float).mean(axis=0) for resid in run.resid_pre]
    ours = context.vectors(run, (2, 3, 4))
    np.testing.assert_allclose(ours[:6].numpy(), expected, atol=1e-12)
    np.testing.assert_allclose(ours[6].numpy(), run.final.numpy()[2:5].mean(axis=0), atol=1e-6)


def test_the_mean_cosine_with_the_other_words(loan, river):
    bank = context.vectors(loan, [2])
    found = context.occurrences(river, RIVER)
    ours = context.to_the_others(bank, river, found, "bank")
    states, other = (*loan.resid_pre, loan.final), (*river.resid_pre, river.final)
    for at in range(7):
        a, b = states[at].numpy()[2].astype(float), other[at].numpy()[1:6].astype(float)
        expected = (b @ a / np.linalg.norm(a) / np.linalg.norm(b, axis=1)).mean()
        assert float(ours[at]) == pytest.approx(expected, abs=1e-6)
    assert context.to_the_others(bank, river, [Occurrence("bank", (6,))], "bank") is None


def test_what_a_word_gathered_is_the_mean_of_its_rows(minilm, loan):
    tensors, x = minilm.checkpoint.tensors, loan.resid_pre[0].numpy().astype(float)

    def heads(which):
        name = f"encoder.layer.0.attention.self.{which}"
        y = x @ tensors[f"{name}.weight"].numpy().astype(float).T + tensors[f"{name}.bias"].numpy()
        return y.reshape(len(x), 12, 32).transpose(1, 0, 2)

    scaled = heads("query") @ heads("key").transpose(0, 2, 1) / np.sqrt(32)
    e = np.exp(scaled - scaled.max(axis=2, keepdims=True))
    weights = e / e.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(context.gathered(loan, 0, [2]).numpy(), weights[:, 2].mean(axis=0), atol=2e-6)
    both = context.gathered(loan, 0, [2, 3]).numpy()
    np.testing.assert_allclose(both, weights[:, 2:4].mean(axis=(0, 1)), atol=2e-6)
    assert both.sum() == pytest.approx(1, abs=1e-6)


def test_no_layer_beyond_the_last(loan):
    with pytest.raises(InputError, match="There is no layer 6"):
        context.gathered(loan, 6, [2])


def test_a_word_parts_from_itself_nowhere(loan):
    bank = context.vectors(loan, [2])
    alike = context.cosines(bank, bank)
    torch.testing.assert_close(alike, torch.ones(7, dtype=torch.float64), atol=1e-12, rtol=0)
    assert context.parting(alike) is None
    assert context.parting(alike - torch.arange(7) * 1e-15) is None
