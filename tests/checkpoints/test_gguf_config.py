"""What a GGUF file says of its model, where transformers' own loader looks away or fails."""

import re

import numpy as np
import pytest
import torch
from transformers import AutoConfig, LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from attention.checkpoints import open_checkpoint
from attention.checkpoints.gguf_config import config_of
from attention.checkpoints.gguf_header import read_header
from attention.errors import CheckpointError
from tests.checkpoints.gguf_files import finish, writer

SIZES = {
    "block_count": 2,
    "context_length": 80,
    "embedding_length": 96,
    "feed_forward_length": 160,
    "attention.head_count": 6,
    "attention.head_count_kv": 2,
    "attention.layer_norm_rms_epsilon": 1e-5,
}
TABLE = np.ones((103, 96), np.float32)


def written(path, architecture="llama", tensors=(), *, without=(), **said):
    """A file that says SIZES and more, and holds little but the embedding."""
    made = writer(path, architecture)
    facts = {key: value for key, value in SIZES.items() if key not in without}
    facts |= {key.replace("__", "."): value for key, value in said.items()}
    for key, value in facts.items():
        _add(made, key if key.startswith("tokenizer") else f"{architecture}.{key}", value)
    for name, values in {"token_embd.weight": TABLE, "a": TABLE[0], "b": TABLE[0], **dict(tensors)}.items():
        made.add_tensor(name, np.asarray(values, np.float32))
    finish(made)
    return path


def _add(made, key, value):
    kinds = {bool: made.add_bool, int: made.add_uint32, float: made.add_float32, str: made.add_string}
    kinds.get(type(value), made.add_array)(key, value)


@pytest.fixture
def said(tmp_path):
    def say(*arguments, **named):
        return config_of(read_header(written(tmp_path / "model.gguf", *arguments, **named)))

    return say


def test_what_is_left_out_is_what_llama_cpp_takes_for_granted(said):
    config = said(without=("attention.head_count_kv",))
    assert config["num_key_value_heads"] == 6
    assert config["head_dim"] == 16
    assert config["rope_theta"] == 10_000.0
    assert config["rope_scaling"] is None
    assert (config["attention_bias"], config["mlp_bias"]) == (False, False)
    assert config["tie_word_embeddings"] is True
    assert [config[f"{name}_token_id"] for name in ("bos", "eos", "pad")] == [None, None, None]


def test_the_width_of_a_head_is_read_where_it_is_given(said):
    assert said("qwen3", attention__key_length=40, attention__value_length=40)["head_dim"] == 40


def test_sizes_that_all_layers_share_may_be_listed(said):
    config = said(attention__head_count=[6, 6], feed_forward_length=[160, 160])
    assert (config["num_attention_heads"], config["intermediate_size"]) == (6, 160)


def test_biases_are_told_by_their_tensors(said):
    config = said(tensors={"blk.0.attn_q.bias": TABLE[0], "blk.0.ffn_up.bias": TABLE[0]})
    assert (config["attention_bias"], config["mlp_bias"]) == (True, True)


@pytest.mark.parametrize(
    ("architecture", "n_layers", "scalar"), [("gemma2", 46, 16), ("gemma2", 4, 40), ("gemma3", 62, 16)]
)
def test_the_scale_of_gemmas_scores(said, architecture, n_layers, scalar):
    """1/√(d_model / n_heads) in the models of 27B, 1/√d_head in all others."""
    tensors = {f"t{number}": TABLE[0] for number in range(n_layers)}
    config = said(
        architecture,
        tensors,
        block_count=n_layers,
        attention__key_length=40,
        attention__value_length=40,
        attention__sliding_window=7,
    )
    assert config["query_pre_attn_scalar"] == scalar
    assert config["head_dim"] == 40


def test_gemmas_windows_and_caps(said):
    tensors = {f"t{number}": TABLE[0] for number in range(7)}
    gemma2 = said("gemma2", tensors, block_count=3, attn_logit_softcapping=20.0)
    assert gemma2["sliding_window"] == 4096
    assert gemma2["layer_types"] == ["sliding_attention", "full_attention", "sliding_attention"]
    assert (gemma2["attn_logit_softcapping"], gemma2["final_logit_softcapping"]) == (20.0, 30.0)
    gemma3 = said("gemma3", tensors, block_count=7, attention__sliding_window=512)
    assert gemma3["layer_types"] == ["sliding_attention"] * 5 + ["full_attention", "sliding_attention"]
    assert gemma3["rope_local_base_freq"] == 10_000.0
    assert gemma3["attn_logit_softcapping"] is gemma3["final_logit_softcapping"] is None
    with pytest.raises(CheckpointError, match=r"it does not give gemma3\.attention\.sliding_window"):
        said("gemma3", tensors)


LLAMA3 = {
    "rope_type": "llama3",
    "factor": 32.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def llama3_config(**changes):
    parameters = LLAMA3 | {"rope_theta": 500_000.0} | changes
    return LlamaConfig(head_dim=64, max_position_embeddings=131_072, rope_parameters=parameters)


def frequencies(config):
    return ROPE_INIT_FUNCTIONS[config.rope_parameters["rope_type"]](config, "cpu")[0]


@pytest.mark.parametrize("factor", [8.0, 32.0])
def test_llama_3s_stretched_positions_are_read_back_from_what_they_make(said, factor):
    theirs = llama3_config(factor=factor)
    plain = 500_000.0 ** -(torch.arange(0, 64, 2) / 64)
    divisors = {"rope_freqs.weight": (plain / frequencies(theirs)).numpy()}
    config = said(
        tensors=divisors, rope__freq_base=500_000.0, attention__key_length=64, attention__value_length=64
    )
    assert config["rope_scaling"] == LLAMA3 | {"factor": pytest.approx(factor, rel=1e-6)}
    ours = AutoConfig.for_model(config.pop("model_type"), **config)
    torch.testing.assert_close(frequencies(ours), frequencies(theirs))


@pytest.mark.parametrize("divisors", [np.linspace(1, 8, 8), np.ones(7), np.zeros(8), np.full(8, np.nan)])
def test_divisors_that_are_not_llama_3s(said, divisors):
    with pytest.raises(
        CheckpointError, match=r"rope_freqs.weight has \d divisors up to .*, not those of a Llama 3"
    ):
        said(tensors={"rope_freqs.weight": divisors})


def test_divisors_are_no_tensor_of_the_model(tmp_path):
    path = written(tmp_path / "model.gguf", tensors={"rope_freqs.weight": np.ones(8)})
    assert set(open_checkpoint(path).tensors) == {"model.embed_tokens.weight", "a", "b"}


def test_linear_and_yarn(said):
    linear = said(rope__scaling__type="linear", rope__scaling__factor=4.0)
    assert linear["rope_scaling"] == {"rope_type": "linear", "factor": 4.0}
    assert said(rope__scale_linear=2.0)["rope_scaling"] == {"rope_type": "linear", "factor": 2.0}
    assert said(rope__scaling__type="none")["rope_scaling"] is None
    yarn = said(
        rope__scaling__type="yarn", rope__scaling__factor=4.0, rope__scaling__original_context_length=77
    )
    assert yarn["rope_scaling"] == {
        "rope_type": "yarn",
        "factor": 4.0,
        "original_max_position_embeddings": 77,
    }


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (dict(without=("block_count",)), "it does not give llama.block_count"),
        (dict(block_count=0), "its llama.block_count is 0; a size is a positive whole number"),
        (dict(block_count=9), "its llama.block_count is 9; there are 3 tensors in all"),
        (dict(block_count="two"), "its llama.block_count is two; a size"),
        (dict(block_count=True), "its llama.block_count is True; a size"),
        (dict(feed_forward_length=[160, 161]), "its llama.feed_forward_length is a list of 2; a size"),
        (dict(context_length=1 << 31), "its llama.context_length is 2147483648; a size"),
        (dict(attention__layer_norm_rms_epsilon=0.0), "epsilon is 0.0; it must be a positive number"),
        (dict(attention__layer_norm_rms_epsilon=float("nan")), "epsilon is nan; it must be a positive"),
        (dict(rope__freq_base=float("inf")), "its llama.rope.freq_base is inf; it must be a positive number"),
        (dict(attention__value_length=17), "value_length is 17; only 16, the width of a key, is known here"),
        (dict(rope__dimension_count=8), "rope.dimension_count is 8; only 16, the width of a key"),
        (dict(rope__scaling__type="longrope"), "scaling.type is longrope; known here: none, linear, yarn"),
        (dict(rope__scaling__type="linear"), "it does not give llama.rope.scaling.factor"),
        (dict(rope__scaling__type=7), "its llama.rope.scaling.type is 7; it must be text"),
        (dict(tensors={"rope_factors_long.weight": np.ones(8)}), "has rope_factors_long.weight: this way of"),
        (dict(expert_count=8), "its llama.expert_count is 8; it is not known here"),
        (dict(attention__sliding_window=4096), "its llama.attention.sliding_window is 4096; it is not known"),
        (dict(architecture="qwen2", attn_logit_softcapping=50.0), "softcapping is 50.0; it is not known"),
        (dict(tensors={"token_embd.weight": TABLE[0]}), "has no table token_embd.weight of two axes"),
        (dict(tokenizer__ggml__eos_token_id=103), "tokenizer.ggml.eos_token_id is 103; there are 103"),
    ],
    ids=lambda said: said[:50] if isinstance(said, str) else "file",
)  # fmt: skip
def test_a_fact_that_cannot_be(said, changes, sentence):
    with pytest.raises(CheckpointError, match=re.escape(sentence)):
        said(**changes)


def test_more_experts_in_one_layer_than_in_another(said):
    with pytest.raises(CheckpointError, match=r"llama.expert_count is a list of 2; it is not known here"):
        said(expert_count=[0, 8])


def test_one_part_of_several(tmp_path):
    made = writer(tmp_path / "model-00001-of-00003.gguf", "llama")
    made.add_uint16("split.count", 3)
    made.add_tensor("token_embd.weight", TABLE)
    finish(made)
    with pytest.raises(
        CheckpointError, match=r"is one of 3 parts: join them with `llama-gguf-split --merge`[.]"
    ):
        open_checkpoint(tmp_path / "model-00001-of-00003.gguf")


def test_what_a_file_has_and_does_not_use_is_no_reason_to_refuse(said):
    assert said(expert_count=0, attention__scale=0.0)["num_hidden_layers"] == 2


def test_a_tensor_that_is_there_twice(tmp_path):
    tensors = {"blk.0.attn_q.weight": TABLE, "blk.00.attn_q.weight": TABLE}
    path = written(tmp_path / "model.gguf", tensors=tensors)
    with pytest.raises(
        CheckpointError, match=r"has model.layers.0.self_attn.q_proj.weight twice, once as blk.00"
    ):
        open_checkpoint(path)


def test_a_vocabulary_smaller_than_the_embedding(tmp_path):
    """Its last ids have no piece, and the model may write them all the same."""
    said = dict(tokenizer__ggml__model="gpt2", tokenizer__ggml__tokens=["a", "b", "ab"])
    path = written(tmp_path / "model.gguf", tokenizer__ggml__merges=["a b"], **said)
    tokenizer = open_checkpoint(path).tokenizer
    assert tokenizer.n_vocab == 103
    assert [token.text for token in tokenizer.decode_ids([2, 102])] == ["ab", "[102]"]


def test_a_tensor_whose_name_is_not_known_keeps_it(tmp_path):
    path = written(tmp_path / "model.gguf", tensors={"blk.1.attn_sinks.weight": TABLE[0], "v.patch": TABLE})
    assert {"blk.1.attn_sinks.weight", "v.patch"} < set(open_checkpoint(path).tensors)
