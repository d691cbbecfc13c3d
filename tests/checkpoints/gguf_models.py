"""Tiny random models of transformers, and the GGUF files that llama.cpp's converter would make of them.

Names come from `gguf`'s own map; what the converter rearranges is done here as it does it. No two sizes are
equal, every parameter is random, and heads share keys and values three by three where they can.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Type
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    Gemma3TextConfig,
    GPT2Config,
    LlamaConfig,
    PretrainedConfig,
    Qwen2Config,
    Qwen3Config,
)

from tests.checkpoints.gguf_files import add_tensor, add_vocabulary, finish, writer

N_VOCAB = 103
_IDS = dict(bos_token_id=2, eos_token_id=N_VOCAB - 1, pad_token_id=3)
_SIZES: dict[str, Any] = dict(
    vocab_size=N_VOCAB,
    hidden_size=96,
    intermediate_size=160,
    num_hidden_layers=2,
    num_attention_heads=6,
    num_key_value_heads=2,
    max_position_embeddings=80,
    **_IDS,
)


@dataclass(frozen=True)
class Case:
    """An architecture, as GGUF names it, and a config of transformers."""

    architecture: str
    config: PretrainedConfig
    kind: Type = Type.F32


def _config(made: type[PretrainedConfig], **changes: Any) -> PretrainedConfig:
    return made(**(_SIZES | changes))


# transformers' own loader does not read three of the things that files say, so that these have its defaults:
# Qwen 3's and Gemma's width of a head and the scale that goes with it, and GPT-2's positions and MLP.
CASES = {
    "llama": Case("llama", _config(LlamaConfig, rope_theta=31_000.0, tie_word_embeddings=False)),
    "llama, tied": Case("llama", _config(LlamaConfig, rms_norm_eps=1e-5, tie_word_embeddings=True)),
    "llama, one group": Case("llama", _config(LlamaConfig, num_key_value_heads=6)),
    "llama, quantised": Case("llama", _config(LlamaConfig), Type.Q8_0),
    "llama, four bits": Case("llama", _config(LlamaConfig), Type.Q4_1),
    "qwen2": Case("qwen2", _config(Qwen2Config, rope_theta=1e6, num_hidden_layers=3)),
    "qwen2, five bits": Case("qwen2", _config(Qwen2Config), Type.Q5_0),
    "qwen3": Case("qwen3", _config(Qwen3Config, head_dim=128, tie_word_embeddings=True)),
    "qwen3, half precision": Case("qwen3", _config(Qwen3Config, head_dim=128), Type.F16),
    "gemma2": Case("gemma2", _config(Gemma2Config, head_dim=256, sliding_window=48, num_hidden_layers=5)),
    "gemma3": Case("gemma3", _config(Gemma3TextConfig, head_dim=256, sliding_window=16, num_hidden_layers=7)),
    "gemma3, quantised": Case("gemma3", _config(Gemma3TextConfig, head_dim=256), Type.Q8_0),
    "gpt2": Case("gpt2", GPT2Config(vocab_size=N_VOCAB, n_embd=96, n_layer=2, n_head=6, **_IDS)),
}


def shaken(config: PretrainedConfig) -> torch.nn.Module:
    """A random model, its biases and gains included."""
    torch.manual_seed(7)
    model = AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.1, 0.3)
    return model


def write(case: Case, model: torch.nn.Module, path: Path) -> None:
    """What `convert_hf_to_gguf.py` would write."""
    made = writer(path, case.architecture)
    (_describe_gpt2 if case.architecture == "gpt2" else _describe)(made, case.config)
    add_vocabulary(made, N_VOCAB)
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight" and case.config.tie_word_embeddings:
            continue
        add_tensor(made, gguf_name(case, name), _rearranged(case, name, tensor.numpy()), case.kind)
    finish(made)


def gguf_name(case: Case, name: str) -> str:
    architecture = next(key for key, value in gguf.MODEL_ARCH_NAMES.items() if value == case.architecture)
    names = gguf.get_tensor_name_map(architecture, case.config.num_hidden_layers)
    stem, _, part = name.rpartition(".")
    return f"{names.get_name(stem)}.{part}"


def _rearranged(case: Case, name: str, values: np.ndarray) -> np.ndarray:
    config = case.config
    if case.architecture == "llama" and "q_proj" in name:
        return _permuted(values, config.num_attention_heads)
    if case.architecture == "llama" and "k_proj" in name:
        return _permuted(values, config.num_key_value_heads)
    if case.architecture.startswith("gemma") and name.endswith("norm.weight"):
        return values + 1
    if case.architecture == "gpt2" and name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")):
        return values.T
    return values


def _permuted(values: np.ndarray, n_heads: int) -> np.ndarray:
    """`LlamaModel.permute` of the converter."""
    halves = values.reshape(n_heads, 2, len(values) // n_heads // 2, *values.shape[1:])
    return halves.swapaxes(1, 2).reshape(values.shape)


def _describe(made: gguf.GGUFWriter, config: PretrainedConfig) -> None:
    made.add_context_length(config.max_position_embeddings)
    made.add_embedding_length(config.hidden_size)
    made.add_block_count(config.num_hidden_layers)
    made.add_feed_forward_length(config.intermediate_size)
    made.add_head_count(config.num_attention_heads)
    made.add_head_count_kv(config.num_key_value_heads)
    made.add_layer_norm_rms_eps(config.rms_norm_eps)
    made.add_vocab_size(config.vocab_size)
    parameters = config.rope_parameters
    made.add_rope_freq_base(parameters.get("full_attention", parameters)["rope_theta"])
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    made.add_key_length(head)
    made.add_value_length(head)
    if config.model_type == "llama":
        made.add_rope_dimension_count(head)
    if config.model_type.startswith("gemma"):
        made.add_sliding_window(config.sliding_window)
    if config.model_type == "gemma2":
        made.add_attn_logit_softcapping(config.attn_logit_softcapping)
        made.add_final_logit_softcapping(config.final_logit_softcapping)


def _describe_gpt2(made: gguf.GGUFWriter, config: PretrainedConfig) -> None:
    made.add_context_length(config.n_positions)
    made.add_embedding_length(config.n_embd)
    made.add_block_count(config.n_layer)
    made.add_feed_forward_length(4 * config.n_embd)
    made.add_head_count(config.n_head)
    made.add_layer_norm_eps(config.layer_norm_epsilon)
