"""Llama (Touvron et al. 2023) and its kin: grouped kv heads, rotation, RMS norms, a SiLU-gated MLP.

Follows transformers' ``LlamaForCausalLM``, ``MistralForCausalLM`` (a window; Jiang et al. 2023),
``Qwen2ForCausalLM`` (biases on queries, keys and values) and ``Qwen3ForCausalLM`` (norms on queries and
keys).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from attention.engine.config import ModelConfig
from attention.engine.embedding import Embedding
from attention.engine.masks import Causal, MaskRule
from attention.engine.mlp import ACTIVATIONS
from attention.engine.transformer import Transformer
from attention.families import decoder, rope, windows
from attention.families.decoder import Variant
from attention.families.parts import plain_attention, unembedding
from attention.families.source import Config, Source, Tensors


def build_llama(config: Config, tensors: Tensors) -> Transformer:
    """A Llama from a checkpoint.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, decoder.PREFIXES)
    sizes, biased = _sizes(source, "llama"), source.flag("attention_bias", False)
    variant = replace(
        _variant(source), qkv_bias=biased, o_bias=biased, mlp_bias=source.flag("mlp_bias", False)
    )
    return _build(source, sizes, variant, [Causal()] * sizes.n_layers)


def build_mistral(config: Config, tensors: Tensors) -> Transformer:
    """A Mistral from a checkpoint: every layer has the window, where there is one.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, decoder.PREFIXES)
    sizes = _sizes(source, "mistral")
    kind = windows.LOCAL if windows.has_window(source) else windows.GLOBAL
    masks = [windows.causal_mask(source, kind)] * sizes.n_layers
    return _build(source, sizes, _variant(source), masks)


def build_qwen2(config: Config, tensors: Tensors) -> Transformer:
    """A Qwen2 from a checkpoint: W_Q, W_K and W_V have biases, W_O has none.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, decoder.PREFIXES)
    sizes = _sizes(source, "qwen2")
    return _build(source, sizes, replace(_variant(source), qkv_bias=True), _masks(source, sizes.n_layers))


def build_qwen3(config: Config, tensors: Tensors) -> Transformer:
    """A Qwen3 from a checkpoint: each head's queries and keys are normed before they turn.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, decoder.PREFIXES)
    sizes, biased = _sizes(source, "qwen3", d_head=128), source.flag("attention_bias", False)
    variant = replace(_variant(source), qkv_bias=biased, o_bias=biased)
    norm_eps = source.eps("rms_norm_eps", 1e-6)
    return _build(source, sizes, variant, _masks(source, sizes.n_layers), norm_eps=norm_eps)


def _build(
    source: Source,
    sizes: ModelConfig,
    variant: Variant,
    masks: Sequence[MaskRule],
    norm_eps: float | None = None,
) -> Transformer:
    attention = replace(
        plain_attention(sizes), rotary=rope.rotary(source.config, sizes.d_head), norm_eps=norm_eps
    )
    tokens = source.tensor("embed_tokens.weight", sizes.d_vocab, sizes.d_model)
    tied = source.flag("tie_word_embeddings", False)
    return Transformer(
        config=sizes,
        embedding=Embedding(tokens=tokens),
        stack=decoder.stack(source, sizes, [replace(attention, own_mask=mask) for mask in masks], variant),
        unembedding=unembedding(source, ["lm_head.weight"], tokens, tied=tied),
        ignored=source.unused(decoder.IGNORED),
    )


def _sizes(source: Source, family: str, d_head: int | None = None) -> ModelConfig:
    d_model, n_heads = source.size("hidden_size"), source.size("num_attention_heads")
    return ModelConfig(
        family=family,
        n_layers=source.size("num_hidden_layers"),
        n_heads=n_heads,
        n_kv_heads=source.size("num_key_value_heads", default=n_heads),
        d_model=d_model,
        d_head=source.size("head_dim", default=d_head or max(1, d_model // n_heads)),
        d_mlp=source.size("intermediate_size"),
        n_positions=source.size("max_position_embeddings"),
        d_vocab=source.size("vocab_size"),
    )


def _variant(source: Source) -> Variant:
    return Variant(activation=source.one_of("hidden_act", "silu", ACTIVATIONS))


def _masks(source: Source, n_layers: int) -> list[MaskRule]:
    """Without ``layer_types``, layers from ``max_window_layers`` on have a window, if any has."""
    first = n_layers
    if source.flag("use_sliding_window", False):
        first = int(source.number("max_window_layers", 28.0))
    default = [windows.LOCAL if index >= first else windows.GLOBAL for index in range(n_layers)]
    return [windows.causal_mask(source, kind) for kind in windows.layer_types(source, n_layers, default)]
