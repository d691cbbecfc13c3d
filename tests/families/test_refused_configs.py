"""Configs that contradict themselves or ask for what is not known: one sentence with key and value."""

import pytest

from attention.errors import ConfigError
from tests.families import decoders, encoders, translators

REFUSED = [
    (
        encoders.BERT,
        dict(num_attention_heads=4),
        r"hidden_size \(15\) must be a multiple of num_attention_heads \(4\)",
    ),
    (encoders.BERT, dict(hidden_act="mish"), "hidden_act is 'mish'; known here: gelu, gelu_fast, gelu_new"),
    (encoders.BERT, dict(model_type="bart"), "model_type is 'bart'; known here: bert, distilbert, gemma2"),
    (
        encoders.BERT,
        dict(num_hidden_layers=0),
        "num_hidden_layers must be a whole number of 1 or more, not 0",
    ),
    (encoders.BERT, dict(num_hidden_layers=None), "The config has no num_hidden_layers"),
    (encoders.BERT, dict(position_embedding_type="relative_key"), "relative positions"),
    (encoders.BERT, dict(is_decoder=True), "is_decoder is True: only the encoder"),
    (encoders.BERT, dict(layer_norm_eps="1e-12"), "layer_norm_eps must be a number, not '1e-12'"),
    (encoders.BERT, dict(layer_norm_eps=None), "layer_norm_eps must be a number, not None"),
    (encoders.BERT, dict(layer_norm_eps=-1), "layer_norm_eps must be 0 or more, not -1"),
    (decoders.LLAMA, dict(rms_norm_eps=-1e-6), "rms_norm_eps must be 0 or more, not -1e-06"),
    (encoders.BERT, dict(hidden_act=""), "hidden_act is ''; known here: gelu"),
    (encoders.BERT, dict(hidden_act=0), "hidden_act must be a name, not 0"),
    (encoders.BERT, dict(hidden_act=None), "hidden_act must be a name, not None"),
    (decoders.GPT2, dict(tie_word_embeddings=None), "tie_word_embeddings is None; it can be true or false"),
    (decoders.QWEN2, dict(layer_types=0), "a kind for each of the 5 layers, not 0"),
    (encoders.ROBERTA, dict(pad_token_id=None), "pad_token_id is None; positions are counted from it"),
    (decoders.GPT2, dict(add_cross_attention=True), "add_cross_attention is True"),
    (decoders.GPT2, dict(scale_attn_weights="yes"), "scale_attn_weights is 'yes'; it can be true or false"),
    (
        decoders.LLAMA,
        dict(rope_scaling=dict(rope_type="yarn")),
        "rope_type is 'yarn'; known here: default, linear, llama3",
    ),
    (decoders.LLAMA, dict(rope_scaling=dict(rope_type="linear")), "factor must be a number, not None"),
    (decoders.LLAMA, dict(rope_scaling=dict(rope_type="linear", factor=0)), "above 0, not 0"),
    (
        decoders.LLAMA,
        dict(rope_scaling="linear"),
        "rope_scaling must be a table of names and values, not 'linear'",
    ),
    (decoders.LLAMA, dict(rope_theta="big", rope_parameters=None), "rope_theta must be a number, not 'big'"),
    (decoders.LLAMA, dict(num_key_value_heads=4), r"n_heads \(6\) must be a multiple of n_kv_heads \(4\)"),
    (decoders.QWEN2, dict(layer_types=["full_attention"] * 4), "a kind for each of the 5 layers"),
    (
        decoders.QWEN2,
        dict(layer_types=["chunked_attention"] * 5),
        "layer_types has 'chunked_attention'; known here",
    ),
    (decoders.QWEN2, dict(sliding_window=None), "sliding_window is null, and yet a layer has a window"),
    (decoders.QWEN2, dict(sliding_window=0), "sliding_window must be a whole number of 1 or more, not 0"),
    (decoders.GEMMA2, dict(use_bidirectional_attention=True), "only the causal model"),
    (
        decoders.GEMMA3,
        dict(attn_logit_softcapping=50.0),
        "attn_logit_softcapping is 50.0: this family caps no scores",
    ),
    (decoders.GEMMA3, dict(text_config="text"), "text_config must be a table"),
    (decoders.GEMMA2, dict(query_pre_attn_scalar=0), "query_pre_attn_scalar must be above 0, not 0"),
    (
        decoders.LLAMA,
        dict(rope_theta=float("nan"), rope_parameters=None),
        "rope_theta must be a number, not nan",
    ),
    (decoders.LLAMA, dict(num_hidden_layers=10**12), r"n_layers \(1000000000000\) is more than the 10000"),
    (decoders.QWEN2, dict(max_window_layers="two", layer_types=None), "max_window_layers must be a number"),
    (translators.T5, dict(is_encoder_decoder=False), "one stack by itself"),
    (translators.MARIAN, dict(max_position_embeddings=10**9), "more than 65536 positions"),
    (encoders.BERT, dict(model_type=["bert"]), r"model_type is \['bert'\]"),
    (translators.T5, dict(feed_forward_proj="gated-mish"), "feed_forward_proj is 'mish'"),
    (
        translators.T5,
        dict(relative_attention_max_distance=1),
        "8 buckets of relative positions cannot reach distance 1",
    ),
    (
        translators.MARIAN,
        dict(decoder_attention_heads=4),
        r"d_model \(15\) must be a multiple of decoder_attention_heads \(4\)",
    ),
]


@pytest.mark.parametrize(
    ("case", "config", "message"), REFUSED, ids=lambda value: getattr(value, "name", None)
)
def test_configs_that_cannot_be_are_refused(case, config, message):
    with pytest.raises(ConfigError, match=message):
        case.ours(**config)
