"""What the Positions page finds in an open model."""

import pytest
import torch

from attention.engine.positions import Rotary
from attention.ui.positions import opened, turning
from attention.ui.positions.choices import PositionsChoices
from tests.families import decoders, encoders, translators
from tests.toys import toy


def test_bert_s_table_is_its_own():
    model = encoders.BERT.ours()
    table = model.checkpoint.tensors["embeddings.position_embeddings.weight"]
    assert torch.equal(opened.learned_table(model), table)
    assert opened.rotary(model) is None
    assert opened.biases(model) == ()


def test_roberta_s_table_begins_at_the_row_of_the_first_position():
    model = encoders.ROBERTA.ours()
    table = model.checkpoint.tensors["embeddings.position_embeddings.weight"]
    uncounted = model.transformer.embedding.uncounted
    assert torch.equal(opened.learned_table(model), table[uncounted + 1 :])
    assert len(opened.learned_table(model)) == model.config.n_positions


@pytest.mark.parametrize(
    "model", [translators.MARIAN, translators.T5, decoders.LLAMA], ids=lambda case: case.name
)
def test_a_table_that_nobody_learned_is_none(model):
    assert opened.learned_table(model.ours()) is None


def test_a_llama_turns():
    model = decoders.LLAMA.ours()
    assert opened.rotary(model) == model.transformer.stack.layers[0].attention.config.rotary
    assert isinstance(opened.rotary(model), Rotary)


def test_both_tables_of_a_t5():
    model = translators.T5.ours()
    encoder, decoder = opened.biases(model)
    assert (encoder.stack, decoder.stack) == ("encoder", "decoder")
    assert (encoder.relative.rule.both_ways, decoder.relative.rule.both_ways) == (True, False)
    for bias in (encoder, decoder):
        name = f"{bias.stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        assert torch.equal(bias.relative.table, model.checkpoint.tensors[name].T)


def test_the_way_of_a_model_in_words():
    assert opened.way(encoders.BERT.ours()).startswith("learned vectors for")
    assert "RoPE" in opened.way(decoders.LLAMA.ours())


def test_what_does_not_fit_is_taken_out_and_said():
    run = toy(rotary_base=1e3, d_rotary=4).run([1, 2, 3])
    asked = PositionsChoices(layer=3, head=6, query=2, key=3)
    choices, told = turning.fitted(asked, run)
    assert choices == PositionsChoices(query=2)
    assert told == (
        "There is no layer 3: the model has 3 (0–2).",
        "There is no head 6: the model has 6 (0–5).",
        "There is no key 3: the sentence has 3 (0–2).",
    )
    assert turning.fitted(choices, run) == (choices, ())
