"""BERT equals transformers at every step, in float64."""

import pytest
import torch
from transformers import BertForMaskedLM

from attention.errors import CheckpointError, ConfigError
from tests.families import bert_cases
from tests.families.parity import assert_parity, close


@pytest.mark.parametrize("case", bert_cases.CASES)
def test_every_step_of_every_layer_equals_transformers(case):
    asked, expected = bert_cases.CASES[case]
    assert_parity(bert_cases.run_case(bert_cases.ours(), asked), bert_cases.theirs(**expected))


def test_transformers_own_2d_padding_mask_means_the_same():
    model, n = bert_cases.reference_model(), bert_cases.N_PADDED
    real = len(bert_cases.IDS)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        out = model(
            input_ids=torch.tensor([bert_cases.IDS + [0] * (n - real)]),
            attention_mask=torch.tensor([[1] * real + [0] * (n - real)]),
        )
    run = bert_cases.ours().run(bert_cases.IDS, pad_to=n)
    close(run.final, out.last_hidden_state[0], 1e-10, "final")


def test_heads_off_equals_a_reference_with_those_columns_of_w_o_zeroed():
    model = bert_cases.reference_model()
    expected = bert_cases.theirs()
    projections = [model.encoder.layer[layer].attention.output.dense.weight for layer in (1, 3)]
    kept = [projection.detach().clone() for projection in projections]
    with torch.no_grad():
        projections[0][:, 10:15] = 0
        projections[1][:, 0:5] = 0
        without = bert_cases.theirs()
        for projection, weights in zip(projections, kept, strict=True):
            projection.copy_(weights)
    run = bert_cases.ours().run(bert_cases.IDS, settings=bert_cases.Settings(heads_off={(1, 2), (3, 0)}))
    for layer in range(4):
        close(run.attention(layer).output, without.layers[layer]["output"], 1e-10, f"output of layer {layer}")
        close(run.attention(layer).weights, without.layers[layer]["weights"], 1e-10, "weights")
    close(run.final, without.hidden[-1], 1e-10, "final")
    assert (without.hidden[-1] - expected.hidden[-1]).abs().max() > 1e-3


def test_checkpoints_with_a_head_open_by_their_prefix():
    with_head = BertForMaskedLM(bert_cases.reference_model().config).double()
    with_head.bert.load_state_dict(bert_cases.reference_model().state_dict(), strict=False)
    tensors = dict(with_head.state_dict())
    assert any(name.startswith("bert.") for name in tensors)
    model = bert_cases.ours(tensors=tensors)
    expected = bert_cases.theirs()
    close(model.run(bert_cases.IDS).final, expected.hidden[-1], 1e-10, "final")
    assert model.transformer.ignored == ()


def test_an_unknown_extra_is_told_by_its_own_name():
    tensors = dict(bert_cases.reference_model().state_dict()) | {"adapter.weight": torch.zeros(2)}
    assert bert_cases.ours(tensors=tensors).transformer.ignored == ("adapter.weight",)


def test_a_missing_tensor_is_refused_by_name():
    tensors = dict(bert_cases.reference_model().state_dict())
    del tensors["encoder.layer.2.attention.self.key.bias"]
    with pytest.raises(CheckpointError, match=r"no tensor encoder\.layer\.2\.attention\.self\.key\.bias"):
        bert_cases.ours(tensors=tensors)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(num_attention_heads=4), r"hidden_size \(15\) must be a multiple of num_attention_heads \(4\)"),
        (dict(hidden_act="swish"), "hidden_act is 'swish'; known here: gelu, relu"),
        (dict(model_type="bart"), "model_type is 'bart'; known here: bert, toy"),
        (dict(num_hidden_layers=0), "num_hidden_layers must be a whole number of 1 or more, not 0"),
        (dict(position_embedding_type="relative_key"), "relative positions"),
        (dict(is_decoder=True), "decoder"),
    ],
)
def test_configs_that_cannot_be_are_refused(change, message):
    with pytest.raises(ConfigError, match=message):
        bert_cases.ours(**change)


def test_a_misshaped_tensor_is_refused_with_both_shapes():
    with pytest.raises(CheckpointError, match=r"has the shape \[31, 15\]; the config asks for \[32, 15\]"):
        bert_cases.ours(vocab_size=32)
