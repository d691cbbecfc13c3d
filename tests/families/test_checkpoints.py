"""Tensors by name: prefixes and old spellings are read, extras told, missing and mis-shaped ones refused."""

import pytest
import torch
from transformers import BertForMaskedLM

from attention.errors import CheckpointError
from tests.families import decoders, encoders, translators
from tests.families.table import CASES

PREFIXES = {
    "bert": "bert.",
    "roberta": "roberta.",
    "distilbert": "distilbert.",
    "gpt2": "transformer.",
    "gpt_neox": "gpt_neox.",
    "llama": "model.",
    "gemma2": "model.",
    "t5": "transformer.",
    "marian": "model.",
}
REQUIRED = {
    "bert": "encoder.layer.2.attention.self.key.bias",
    "roberta": "embeddings.position_embeddings.weight",
    "distilbert": "transformer.layer.3.ffn.lin2.weight",
    "gpt2": "transformer.h.1.attn.c_attn.weight",
    "gpt_neox": "gpt_neox.layers.3.attention.dense.bias",
    "llama": "model.layers.4.mlp.gate_proj.weight",
    "llama with biases and llama3 scaling": "model.layers.0.self_attn.q_proj.bias",
    "mistral": "model.norm.weight",
    "qwen2": "model.layers.0.self_attn.v_proj.bias",
    "qwen3": "model.layers.2.self_attn.k_norm.weight",
    "gemma2": "model.layers.2.post_feedforward_layernorm.weight",
    "gemma3": "model.layers.1.self_attn.q_norm.weight",
    "t5": "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    "t5 1.1, gated and untied": "encoder.block.1.layer.1.DenseReluDense.wi_1.weight",
    "marian": "model.decoder.layers.5.encoder_attn.out_proj.weight",
    "marian with two vocabularies": "model.decoder.embed_tokens.weight",
}
SAVED_BY_OLDER_VERSIONS = {
    "bert": ["embeddings.position_ids", "pooler.dense.weight"],
    "roberta": ["lm_head.dense.weight", "roberta.embeddings.position_ids"],
    "distilbert": ["vocab_transform.weight", "pre_classifier.bias"],
    "gpt2": ["transformer.h.0.attn.bias", "h.3.attn.masked_bias"],
    "gpt_neox": ["gpt_neox.layers.1.attention.bias", "gpt_neox.layers.1.attention.rotary_emb.inv_freq"],
    "llama": ["model.layers.0.self_attn.rotary_emb.inv_freq"],
    "gemma3": ["vision_tower.patch.weight", "multi_modal_projector.mm_soft_emb_norm.weight"],
    "t5": ["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"],
    "marian": ["model.decoder.embed_positions.weight"],
}


def tensors(case):
    return dict(case.model().state_dict())


def same(model, case):
    torch.testing.assert_close(case.run("plain", model).final, case.run("plain").final, atol=0, rtol=0)


@pytest.mark.parametrize("family", CASES)
def test_no_tensor_of_a_familys_own_is_left_over(family):
    assert CASES[family].ours().transformer.ignored == ()


@pytest.mark.parametrize("family", PREFIXES)
def test_tensors_are_found_with_their_prefix_and_without(family):
    case, prefix = CASES[family], PREFIXES[family]
    bare = {name.removeprefix(prefix): tensor for name, tensor in tensors(case).items()}
    same(case.ours(tensors=bare), case)
    same(case.ours(tensors={prefix + name: tensor for name, tensor in bare.items()}), case)


@pytest.mark.parametrize("family", REQUIRED)
def test_a_missing_tensor_is_refused_by_name(family):
    case, name = CASES[family], REQUIRED[family]
    kept = {other: tensor for other, tensor in tensors(case).items() if other != name}
    assert len(kept) == len(tensors(case)) - 1
    short = name.removeprefix(PREFIXES.get(family, "model."))
    with pytest.raises(CheckpointError, match=rf"no tensor {short}\."):
        case.ours(tensors=kept)


@pytest.mark.parametrize("family", SAVED_BY_OLDER_VERSIONS)
def test_what_older_versions_saved_is_ignored_and_not_told(family):
    case = CASES[family]
    extras = dict.fromkeys(SAVED_BY_OLDER_VERSIONS[family], torch.zeros(2))
    model = case.ours(tensors=tensors(case) | extras)
    assert model.transformer.ignored == ()
    same(model, case)


@pytest.mark.parametrize("family", CASES)
def test_an_unknown_extra_is_told_by_its_own_name(family):
    case, prefix = CASES[family], PREFIXES.get(family, "model.")
    extra = {f"{prefix}adapter.weight": torch.zeros(2)}
    assert case.ours(tensors=tensors(case) | extra).transformer.ignored == (f"{prefix}adapter.weight",)


@pytest.mark.parametrize(
    ("case", "config", "message"),
    [
        (encoders.BERT, dict(vocab_size=32), r"has the shape \[31, 15\]; the config asks for \[32, 15\]"),
        (decoders.LLAMA, dict(head_dim=8), r"q_proj.* the shape \[60, 24\]; the config asks for \[48, 24\]"),
        (decoders.GPT2, dict(n_inner=23), r"c_fc.* the shape \[15, 22\]; the config asks for \[15, 23\]"),
        (translators.T5, dict(relative_attention_num_buckets=16), r"\[8, 3\]; the config asks for \[16, 3\]"),
    ],
)
def test_a_misshaped_tensor_is_refused_with_both_shapes(case, config, message):
    with pytest.raises(CheckpointError, match=message):
        case.ours(**config)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_tensor_that_is_not_finite_is_refused_by_name(number):
    name = "encoder.layer.2.output.dense.weight"
    broken = tensors(encoders.BERT)[name].clone()
    broken[3, 4] = number
    with pytest.raises(CheckpointError, match=rf"{name} holds numbers that are not finite"):
        encoders.BERT.ours(tensors=tensors(encoders.BERT) | {name: broken})


def test_a_number_beyond_float32_is_refused_there_and_not_in_float64():
    name = "encoder.layer.2.output.dense.bias"
    wide = tensors(encoders.BERT) | {name: torch.full((15,), 1e300, dtype=torch.float64)}
    encoders.BERT.ours(tensors=wide)
    with pytest.raises(CheckpointError, match=f"{name} holds"):
        encoders.BERT.ours(tensors=wide, dtype=torch.float32)


def test_a_tensor_that_nobody_needs_may_hold_infinities():
    extras = {"h.0.attn.masked_bias": torch.tensor(-float("inf"))}
    same(decoders.GPT2.ours(tensors=tensors(decoders.GPT2) | extras), decoders.GPT2)


def test_a_biased_config_wants_its_biases_and_an_unbiased_one_tells_of_them():
    with pytest.raises(CheckpointError, match=r"no tensor layers\.0\.self_attn\.q_proj\.bias"):
        decoders.LLAMA.ours(attention_bias=True)
    told = decoders.LLAMA3.ours(attention_bias=False).transformer.ignored
    assert len(told) == 5 * 4
    assert "model.layers.0.self_attn.q_proj.bias" in told


def test_a_bert_with_a_head_opens_by_its_prefix():
    case = encoders.BERT
    with_head = BertForMaskedLM(case.model().config).double()
    with_head.bert.load_state_dict(case.model().state_dict(), strict=False)
    model = case.ours(tensors=dict(with_head.state_dict()))
    same(model, case)
    assert model.transformer.ignored == ()


def test_norms_as_tensorflow_named_them():
    old = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor
        for name, tensor in tensors(encoders.BERT).items()
    }
    assert "embeddings.LayerNorm.gamma" in old
    same(encoders.BERT.ours(tensors=old), encoders.BERT)


@pytest.mark.parametrize("case", [decoders.GPT2, decoders.GEMMA2, decoders.LLAMA3, translators.MARIAN])
def test_a_tied_output_matrix_may_be_missing(case):
    assert case.model().config.tie_word_embeddings
    kept = {name: tensor for name, tensor in tensors(case).items() if name != "lm_head.weight"}
    logits = case.run("plain", case.ours(tensors=kept)).logits
    torch.testing.assert_close(logits, case.run("plain").logits, atol=0, rtol=0)


def test_the_base_of_an_untied_model_predicts_no_token():
    kept = {name: tensor for name, tensor in tensors(decoders.LLAMA).items() if name != "lm_head.weight"}
    assert decoders.LLAMA.ours(tensors=kept).transformer.unembedding is None


def test_an_output_matrix_of_its_own_goes_before_what_the_config_says():
    case = decoders.GPT2
    other = tensors(case) | {"lm_head.weight": torch.ones(31, 15, dtype=torch.float64)}
    logits = case.run("plain", case.ours(tensors=other)).logits
    torch.testing.assert_close(logits, logits[:, :1].expand(-1, 31), atol=1e-12, rtol=0)


@pytest.mark.parametrize(
    "name", ["shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"]
)
def test_one_embedding_under_any_of_its_names(name):
    for case, prefix in ((translators.T5, ""), (translators.MARIAN, "model.")):
        names = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
        others = {f"{prefix}{other}" for other in names} - {prefix + name}
        kept = {other: tensor for other, tensor in tensors(case).items() if other not in others}
        same(case.ours(tensors=kept), case)


def test_gpt_neox_with_the_older_name_of_its_output_matrix():
    case = decoders.GPT_NEOX
    old = {name.replace("lm_head", "embed_out"): tensor for name, tensor in tensors(case).items()}
    logits = case.run("plain", case.ours(tensors=old)).logits
    torch.testing.assert_close(logits, case.run("plain").logits, atol=0, rtol=0)


def test_a_marian_without_bias_on_its_logits():
    case = translators.MARIAN
    kept = {name: tensor for name, tensor in tensors(case).items() if name != "final_logits_bias"}
    run = case.run("plain", case.ours(tensors=kept))
    bias = case.model().final_logits_bias[0]
    torch.testing.assert_close(run.logits + bias, case.run("plain").logits, atol=1e-12, rtol=0)
