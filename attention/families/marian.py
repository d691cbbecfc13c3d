"""Marian (Junczys-Dowmunt et al. 2018) as transformers has it: the encoder–decoder of Vaswani et al. 2017.

Follows ``MarianMTModel``: post-norm blocks, a sinusoidal table that is computed and not stored, embeddings
that may be scaled by √d_model, and a bias on the logits. The decoder attends to itself; Marian's own
recurrent decoders (SSRU) are another kind.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from attention.engine.config import AttentionConfig, ModelConfig
from attention.engine.embedding import Embedding, Unembedding
from attention.engine.layer import AttentionSublayer, Layer, MLPSublayer
from attention.engine.masks import Causal
from attention.engine.mlp import ACTIVATIONS
from attention.engine.norms import LayerNorm, Norms
from attention.engine.positions import sinusoidal
from attention.engine.stack import Stack
from attention.engine.transformer import Transformer
from attention.errors import ConfigError
from attention.families.parts import (
    Projections,
    attention_params,
    layer_norm,
    mlp_params,
    output_matrix,
    plain_attention,
    share,
)
from attention.families.source import Config, Source, Tensors

MOST_POSITIONS = 65_536

IGNORED = ("*.embed_positions.weight", "shared.weight", "*.embed_tokens.weight")
"""The sinusoidal table where it was saved, and copies of the embedding."""

PROJECTIONS = Projections(q="q_proj", k="k_proj", v="v_proj", o="out_proj")


def build(config: Config, tensors: Tensors) -> Transformer:
    """A Marian from a checkpoint.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, prefixes=("model.",))
    encoder = _half(source, "encoder")
    decoder = _half(source, "decoder")
    return replace(
        decoder,
        unembedding=_unembedding(source, decoder.embedding),
        encoder=encoder,
        ignored=source.unused(IGNORED),
    )


def _half(source: Source, name: str) -> Transformer:
    """The encoder or the decoder, without output matrix."""
    sizes = _sizes(source, name)
    layers = (_layer(source, f"{name}.layers.{index}", sizes) for index in range(sizes.n_layers))
    return Transformer(
        config=sizes, embedding=_embedding(source, name, sizes), stack=Stack(layers=tuple(layers))
    )


def _sizes(source: Source, half: str) -> ModelConfig:
    n_heads = source.size(f"{half}_attention_heads")
    d_vocab = source.size("vocab_size")
    return ModelConfig(
        family="marian",
        n_layers=source.size(f"{half}_layers"),
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_model=source.size("d_model"),
        d_head=share(source, "d_model", f"{half}_attention_heads"),
        d_mlp=source.size(f"{half}_ffn_dim"),
        n_positions=source.size("max_position_embeddings"),
        d_vocab=d_vocab if half == "encoder" else source.size("decoder_vocab_size", default=d_vocab),
    )


def _embedding(source: Source, half: str, sizes: ModelConfig) -> Embedding:
    names = [f"{half}.embed_tokens.weight"]
    if source.flag("share_encoder_decoder_embeddings", True):
        names = ["shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"]
    tokens = source.first(names, sizes.d_vocab, sizes.d_model)
    return Embedding(
        tokens=tokens,
        scale=sizes.d_model**0.5 if source.flag("scale_embedding", False) else 1.0,
        positions=_positions(sizes, tokens.dtype),
    )


def _positions(sizes: ModelConfig, dtype: torch.dtype) -> Tensor:
    """The table that no checkpoint holds; its size is the config's word alone, so it is checked."""
    if sizes.n_positions > MOST_POSITIONS:
        raise ConfigError(
            f"max_position_embeddings ({sizes.n_positions}) asks for more than {MOST_POSITIONS} positions."
        )
    return sinusoidal(sizes.n_positions, sizes.d_model, dtype)


def _layer(source: Source, name: str, sizes: ModelConfig) -> Layer:
    plain = plain_attention(sizes)
    decodes = name.startswith("decoder")
    config = replace(plain, own_mask=Causal()) if decodes else plain
    return Layer(
        attention=_attention(source, f"{name}.self_attn", config),
        cross=_attention(source, f"{name}.encoder_attn", plain) if decodes else None,
        mlp=MLPSublayer(
            params=mlp_params(source, sizes, up=f"{name}.fc1", down=f"{name}.fc2"),
            activation=source.one_of("activation_function", "gelu", ACTIVATIONS),
            norms=Norms(after_add=_norm(source, f"{name}.final_layer_norm", sizes.d_model)),
        ),
    )


def _attention(source: Source, name: str, config: AttentionConfig) -> AttentionSublayer:
    return AttentionSublayer(
        config=config,
        params=attention_params(source, PROJECTIONS.of(name), config),
        norms=Norms(after_add=_norm(source, f"{name}_layer_norm", config.d_model)),
    )


def _unembedding(source: Source, embedding: Embedding) -> Unembedding | None:
    tokens = embedding.tokens
    w = output_matrix(source, ["lm_head.weight"], tokens, tied=source.flag("tie_word_embeddings", True))
    bias = source.optional("final_logits_bias", 1, len(tokens))
    return None if w is None else Unembedding(w=w.T, b=None if bias is None else bias[0])


def _norm(source: Source, name: str, d_model: int) -> LayerNorm:
    # torch's default: MarianMTModel reads no eps from its config.
    return layer_norm(source, name, d_model, 1e-5)
