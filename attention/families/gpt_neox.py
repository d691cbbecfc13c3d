"""GPT-NeoX and Pythia (Black et al. 2022): parallel residual, and a part of each head rotated.

Follows ``GPTNeoXForCausalLM`` of transformers. One matrix holds W_Q, W_K and W_V head by head: q₀ k₀ v₀ q₁
k₁ v₁ …
"""

from __future__ import annotations

from dataclasses import replace

from attention.engine.config import AttentionConfig, ModelConfig
from attention.engine.embedding import Embedding
from attention.engine.layer import AttentionSublayer, Layer, MLPSublayer
from attention.engine.masks import Causal
from attention.engine.mlp import ACTIVATIONS
from attention.engine.norms import LayerNorm, Norms
from attention.engine.params import AttentionParams
from attention.engine.positions import Rotary
from attention.engine.stack import Stack
from attention.engine.transformer import Transformer
from attention.families import rope
from attention.families.parts import layer_norm, mlp_params, plain_attention, share, unembedding
from attention.families.source import Config, Source, Tensors, as_number

IGNORED = ("*.attention.bias", "*.attention.masked_bias", "*.rotary_emb.inv_freq", "score.*", "classifier.*")
"""Masks and frequencies that older versions saved, and heads other than the language model's."""


def build(config: Config, tensors: Tensors) -> Transformer:
    """A GPT-NeoX from a checkpoint.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, prefixes=("gpt_neox.",))
    sizes = _sizes(source)
    tokens = source.tensor("embed_in.weight", sizes.d_vocab, sizes.d_model)
    return Transformer(
        config=sizes,
        embedding=Embedding(tokens=tokens),
        stack=Stack(
            layers=tuple(_layer(source, f"layers.{index}", sizes) for index in range(sizes.n_layers)),
            final_norm=_norm(source, "final_layer_norm", sizes),
        ),
        unembedding=unembedding(
            source,
            ["lm_head.weight", "embed_out.weight"],
            tokens,
            tied=source.flag("tie_word_embeddings", False),
        ),
        ignored=source.unused(IGNORED),
    )


def _sizes(source: Source) -> ModelConfig:
    n_heads = source.size("num_attention_heads")
    return ModelConfig(
        family="gpt_neox",
        n_layers=source.size("num_hidden_layers"),
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_model=source.size("hidden_size"),
        d_head=share(source, "hidden_size", "num_attention_heads"),
        d_mlp=source.size("intermediate_size"),
        n_positions=source.size("max_position_embeddings"),
        d_vocab=source.size("vocab_size"),
    )


def _layer(source: Source, name: str, sizes: ModelConfig) -> Layer:
    config = replace(plain_attention(sizes), own_mask=Causal(), rotary=_rotary(source, sizes.d_head))
    return Layer(
        attention=AttentionSublayer(
            config=config,
            params=_attention(source, f"{name}.attention", config),
            norms=Norms(before=_norm(source, f"{name}.input_layernorm", sizes)),
        ),
        mlp=MLPSublayer(
            params=mlp_params(
                source, sizes, up=f"{name}.mlp.dense_h_to_4h", down=f"{name}.mlp.dense_4h_to_h"
            ),
            activation=source.one_of("hidden_act", "gelu", ACTIVATIONS),
            norms=Norms(before=_norm(source, f"{name}.post_attention_layernorm", sizes)),
        ),
        parallel=source.flag("use_parallel_residual", True),
    )


def _rotary(source: Source, d_head: int) -> Rotary:
    """This family's older spelling has names of its own: ``rotary_emb_base`` and ``rotary_pct``."""
    config = source.config
    given = rope.as_parameters("rope_parameters", config.get("rope_scaling") or config.get("rope_parameters"))
    part = as_number("rotary_pct", given.get("partial_rotary_factor"), source.number("rotary_pct", 0.25))
    return rope.from_parameters(
        given, config, d_head, base=source.number("rotary_emb_base", 10000.0), part=part
    )


def _attention(source: Source, name: str, config: AttentionConfig) -> AttentionParams:
    d_model, heads, d_head = config.d_model, config.n_heads, config.d_head
    biased = source.flag("attention_bias", True)
    joined = source.tensor(f"{name}.query_key_value.weight", 3 * d_model, d_model)
    # Taken apart once and for all: as views they would be copied at every projection.
    w_q, w_k, w_v = (w.contiguous().transpose(1, 2) for w in joined.view(heads, 3, d_head, d_model).unbind(1))
    b_q = b_k = b_v = b_o = None
    if biased:
        biases = source.tensor(f"{name}.query_key_value.bias", 3 * d_model).view(heads, 3, d_head)
        b_q, b_k, b_v = biases.unbind(1)
        b_o = source.tensor(f"{name}.dense.bias", d_model)
    return AttentionParams(
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        w_o=source.heads_in(f"{name}.dense.weight", heads, d_head, d_model),
        b_q=b_q,
        b_k=b_k,
        b_v=b_v,
        b_o=b_o,
    )


def _norm(source: Source, name: str, sizes: ModelConfig) -> LayerNorm:
    return layer_norm(source, name, sizes.d_model, source.eps("layer_norm_eps", 1e-5))
