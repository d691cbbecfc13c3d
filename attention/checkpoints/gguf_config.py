"""A GGUF file's metadata as a config of transformers, one function an architecture.

What llama.cpp knows by heart and files leave out (Gemma's pattern of windows, its local RoPE base, the scale
of its 27B models) is filled in from its `llama-model.cpp`.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from attention.checkpoints.gguf_facts import Facts
from attention.checkpoints.gguf_header import Header
from attention.checkpoints.gguf_rope import rope_scaling
from attention.errors import CheckpointError

EMBEDDING, OUTPUT = "token_embd.weight", "output.weight"

Config = dict[str, Any]

# Layers by which llama.cpp tells the models whose scale is not that of their head's width.
_GEMMA_27B = {"gemma2": 46, "gemma3": 62}

# What would change a model's arithmetic, where its architecture is not known to have it.
_CHANGES_THE_MATHS = (
    "expert_count",
    "attention.scale",
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attention.sliding_window",
    "attn_logit_softcapping",
    "final_logit_softcapping",
    "embedding_scale",
    "residual_scale",
    "logit_scale",
)
_HAS = {
    "gemma2": ("attention.sliding_window", "attn_logit_softcapping", "final_logit_softcapping"),
    "gemma3": ("attention.sliding_window", "final_logit_softcapping"),
}


def architecture_of(header: Header) -> str:
    """Its name, as the file gives it.

    Raises:
        CheckpointError: There is none, or it is not known here; the message lists those that are.
    """
    found = Facts(header, "general").text("architecture", "")
    if found not in ARCHITECTURES:
        raise CheckpointError(
            f"{header.path} is of the architecture “{found[:40]}”; known here: {', '.join(ARCHITECTURES)}."
        )
    return found


def config_of(header: Header) -> Config:
    """What `config.json` would say of this model.

    Raises:
        CheckpointError: A fact is missing, impossible, or one that is not known here.
    """
    architecture = architecture_of(header)
    facts = Facts(header, architecture)
    _check_whole(header)
    _check_maths(facts)
    return {
        **ARCHITECTURES[architecture](facts),
        "vocab_size": _embedding(header)[0],
        "tie_word_embeddings": OUTPUT not in header.tensors,
        **_ids(header),
    }


def _check_whole(header: Header) -> None:
    """Large models are published in parts, each a GGUF file of its own."""
    parts = Facts(header, "split")
    if parts.size("count", 1) > 1:
        raise CheckpointError(
            f"{header.path} is one of {parts.size('count')} parts: join them with `llama-gguf-split --merge`."
        )


def _check_maths(facts: Facts) -> None:
    for key in _CHANGES_THE_MATHS:
        found = facts.header.metadata.get(f"{facts.architecture}.{key}", 0)
        if key not in _HAS.get(facts.architecture, ()) and np.any(found):
            facts.refuse(key, found, "it is not known here")


def _embedding(header: Header) -> tuple[int, int]:
    if EMBEDDING not in header.tensors or len(header.tensors[EMBEDDING].shape) != 2:
        raise CheckpointError(f"{header.path} has no table {EMBEDDING} of two axes.")
    n_rows, width = header.tensors[EMBEDDING].shape
    return n_rows, width


def _n_layers(facts: Facts) -> int:
    n_layers, n_tensors = facts.size("block_count"), len(facts.header.tensors)
    if n_layers > n_tensors:
        facts.refuse("block_count", n_layers, f"there are {n_tensors} tensors in all")
    return n_layers


def _rotary(facts: Facts) -> Config:
    """What all decoders with rotary positions share."""
    d_model, n_heads = facts.size("embedding_length"), facts.size("attention.head_count")
    d_head = facts.size("attention.key_length", max(1, d_model // n_heads))
    for key in ("attention.value_length", "rope.dimension_count"):
        if facts.size(key, d_head) != d_head:
            facts.refuse(key, facts.size(key), f"only {d_head}, the width of a key, is known here")
    base = facts.number("rope.freq_base", 10_000.0)
    return {
        "hidden_size": d_model,
        "intermediate_size": facts.size("feed_forward_length"),
        "num_hidden_layers": _n_layers(facts),
        "num_attention_heads": n_heads,
        "num_key_value_heads": facts.size("attention.head_count_kv", n_heads),
        "head_dim": d_head,
        "max_position_embeddings": facts.size("context_length"),
        "rms_norm_eps": facts.number("attention.layer_norm_rms_epsilon"),
        "rope_theta": base,
        "rope_scaling": rope_scaling(facts, base, d_head),
    }


def _llama(facts: Facts) -> Config:
    return {
        "model_type": "llama",
        **_rotary(facts),
        "hidden_act": "silu",
        "attention_bias": "blk.0.attn_q.bias" in facts.header.tensors,
        "mlp_bias": "blk.0.ffn_up.bias" in facts.header.tensors,
    }


def _qwen(facts: Facts) -> Config:
    return {
        "model_type": facts.architecture,
        **_rotary(facts),
        "hidden_act": "silu",
        "use_sliding_window": False,
        "attention_bias": False,  # of Qwen 3; Qwen 2 has biases on Q, K and V always
    }


def _gemma(facts: Facts) -> Config:
    shared = _rotary(facts)
    n_layers, d_head = shared["num_hidden_layers"], shared["head_dim"]
    large = n_layers == _GEMMA_27B[facts.architecture]
    return {
        **shared,
        "hidden_activation": "gelu_pytorch_tanh",
        "attention_bias": False,
        "query_pre_attn_scalar": shared["hidden_size"] // shared["num_attention_heads"] if large else d_head,
    }


def _gemma2(facts: Facts) -> Config:
    shared = _gemma(facts)
    return {
        "model_type": "gemma2",
        **shared,
        "sliding_window": facts.size("attention.sliding_window", 4096),
        "layer_types": _layer_types(shared["num_hidden_layers"], every=2),
        "attn_logit_softcapping": facts.number("attn_logit_softcapping", 50.0),
        "final_logit_softcapping": facts.number("final_logit_softcapping", 30.0),
    }


def _gemma3(facts: Facts) -> Config:
    shared = _gemma(facts)
    every = facts.size("attention.sliding_window_pattern", 6)
    cap = "final_logit_softcapping"
    return {
        "model_type": "gemma3_text",
        **shared,
        "rope_local_base_freq": facts.number("rope.freq_base_swa", 10_000.0),
        "sliding_window": facts.size("attention.sliding_window"),
        "layer_types": _layer_types(shared["num_hidden_layers"], every),
        "attn_logit_softcapping": None,
        "final_logit_softcapping": facts.number(cap) if facts.has(cap) else None,
    }


def _layer_types(n_layers: int, every: int) -> list[str]:
    """Each `every`-th layer sees everything, those before it a window.

    >>> _layer_types(3, every=2)
    ['sliding_attention', 'full_attention', 'sliding_attention']
    """
    return ["sliding_attention" if (layer + 1) % every else "full_attention" for layer in range(n_layers)]


def _gpt2(facts: Facts) -> Config:
    return {
        "model_type": "gpt2",
        "n_embd": facts.size("embedding_length"),
        "n_inner": facts.size("feed_forward_length"),
        "n_layer": _n_layers(facts),
        "n_head": facts.size("attention.head_count"),
        "n_positions": facts.size("context_length"),
        "layer_norm_epsilon": facts.number("attention.layer_norm_epsilon"),
        "activation_function": "gelu_new",
    }


def _ids(header: Header) -> Config:
    """The ids that begin, end and fill up a text, where they are given."""
    tokenizer = Facts(header, "tokenizer.ggml")
    n_rows = _embedding(header)[0]
    ids = {"bos_token_id": "bos_token_id", "eos_token_id": "eos_token_id", "pad_token_id": "padding_token_id"}
    return {ours: tokenizer.index(theirs, n_rows) for ours, theirs in ids.items()}


ARCHITECTURES: Mapping[str, Callable[[Facts], Config]] = MappingProxyType(
    {"llama": _llama, "qwen2": _qwen, "qwen3": _qwen, "gemma2": _gemma2, "gemma3": _gemma3, "gpt2": _gpt2}
)
