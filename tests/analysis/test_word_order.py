"""The same words in another order, against transformers' own arithmetic in float64 and against the law."""

import numpy as np
import pytest
import torch

from attention import Settings, masks
from attention.analysis.word_order import (
    NOTHING_LEFT,
    TAKEN_AWAY,
    WITH_POSITIONS,
    order_of_tokens,
    two_orders,
    wide_finals,
)
from attention.analysis.words import groups, words
from attention.checkpoints.tokens import Token
from attention.engine.precision import widened
from attention.errors import InputError
from attention.model import from_checkpoint
from tests.families import decoders, encoders
from tests.toys import toy

IDS = [3, 11, 5, 9, 9, 2, 4]
ORDER = (4, 0, 6, 2, 1, 3, 5)


def piece(text, word, special=False):
    return Token(text, 5, 0, 0, special, word, 0)


SENTENCE = [
    piece("[CLS]", None, True),
    piece("lo", 0),
    piece("##rry", 0),
    piece("ran", 1),
    piece(",", 2),
    piece("far", 3),
    piece("!", 4),
    piece("[SEP]", None, True),
]


def test_words_are_pieces_together_and_punctuation_is_none():
    assert groups(SENTENCE) == ((0,), (1, 2), (3,), (4,), (5,), (6,), (7,))
    assert words(SENTENCE) == ((1, 2), (3,), (5,))


def test_equal_word_numbers_of_two_sentences_are_two_words():
    pair = [piece("a", 0), Token("b", 5, 0, 0, False, 0, 1)]
    assert groups(pair) == ((0,), (1,))


def test_words_move_whole_and_the_rest_stays_where_it_is():
    assert order_of_tokens(SENTENCE, (2, 0, 1)) == (0, 5, 1, 2, 4, 3, 6, 7)


@pytest.mark.parametrize("order", [(0, 1), (0, 1, 1), (1, 2, 3), (0, 1, 2, 3)])
def test_what_is_no_order_of_the_words_is_refused(order):
    with pytest.raises(InputError, match="an order of 3 names each of 0–2 once"):
        order_of_tokens(SENTENCE, order)


def test_two_orders_refuse_an_order_of_another_length():
    with pytest.raises(InputError, match="an order of 7"):
        two_orders(toy().run(IDS), (1, 0), [Settings()])


@pytest.mark.parametrize("model", [encoders.BERT, decoders.LLAMA, decoders.GPT2], ids=lambda case: case.name)
def test_in_float64_the_finals_are_those_of_a_model_that_is_float64_all_through(model):
    wide = model.ours(dtype=torch.float64)
    narrow = model.ours(dtype=torch.float32)
    for settings in (WITH_POSITIONS, TAKEN_AWAY, Settings(mask=masks.Prefix(2), mask_layers={2})):
        (ours,) = wide_finals(narrow.run(IDS), [(ORDER, settings)])
        expected = wide.run([IDS[at] for at in ORDER], settings=settings).final
        assert ours.dtype == torch.float64
        # What goes in was added up in float32, and tiny models with shaken gains make that ten times larger.
        torch.testing.assert_close(ours, expected, atol=2e-5, rtol=2e-5)


def test_widening_changes_the_precision_and_no_number():
    layer = decoders.LLAMA.ours(dtype=torch.float32).transformer.stack.layers[1]
    wide = widened(layer)
    assert wide.attention.params.w_q.dtype == wide.mlp.params.w_gate.dtype == torch.float64
    assert torch.equal(wide.attention.params.w_q.float(), layer.attention.params.w_q)
    assert wide.attention.norms.before.gain.dtype == torch.float64
    assert wide.attention.config == layer.attention.config
    assert layer.attention.params.w_q.dtype == torch.float32


@pytest.mark.parametrize("case", [encoders.BERT, decoders.LLAMA, decoders.GPT2], ids=lambda case: case.name)
def test_with_nothing_to_tell_the_order_by_the_outputs_are_reordered_and_no_more(case):
    told, reordered = two_orders(
        case.ours(dtype=torch.float32).run(IDS), ORDER, [WITH_POSITIONS, NOTHING_LEFT]
    )
    assert reordered.difference <= 1e-10
    assert reordered.distances.abs().max() <= 1e-12
    assert told.difference > 1e-2
    assert told.distances.max() > 1e-4


def test_a_causal_mask_tells_the_order_by_itself():
    (without,) = two_orders(decoders.LLAMA.ours(dtype=torch.float32).run(IDS), ORDER, [TAKEN_AWAY])
    assert without.difference > 1e-2


def test_each_distance_is_the_tokens_own():
    run = toy(dtype=torch.float64).run(IDS)
    (compared,) = two_orders(run, ORDER, [WITH_POSITIONS])
    first = run.final.numpy()
    second = run.model.run([IDS[at] for at in ORDER]).final.numpy()
    largest = 0.0
    for place, at in enumerate(ORDER):
        a, b = first[at], second[place]
        largest = max(largest, float(np.abs(a - b).max()))
        cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
        assert float(compared.distances[at]) == pytest.approx(1 - cosine, abs=1e-9)
    assert compared.difference == pytest.approx(largest, abs=1e-12)
    assert compared.largest == pytest.approx(np.abs(first).max(), abs=1e-12)


def test_minilm_cannot_tell_who_chased_whom_without_positions(minilm):
    run = minilm.run("dog chased cat")
    order = order_of_tokens(run.tokens, (2, 1, 0))
    assert [run.tokens[at].text for at in order] == ["[CLS]", "cat", "chased", "dog", "[SEP]"]
    told, blind = two_orders(run, order, [WITH_POSITIONS, TAKEN_AWAY])
    assert blind.difference <= 1e-10
    wide = from_checkpoint(minilm.checkpoint, dtype=torch.float64)
    theirs = wide.run("cat chased dog").final[list(order)]
    assert told.difference == pytest.approx(
        float((theirs - wide.run("dog chased cat").final).abs().max()), abs=1e-5
    )
    assert told.difference > 0.1
