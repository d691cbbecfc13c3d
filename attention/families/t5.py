"""T5 (Raffel et al. 2020): an encoder–decoder whose positions are a learned bias on the scores.

Follows ``T5ForConditionalGeneration`` of transformers. Scores are not scaled (the initial weights were made
smaller instead), norms are RMS norms before each sublayer, and there is no bias but that of relative
positions: one table in layer 0 of each stack, used by all its layers.
"""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from attention.engine.config import AttentionConfig, ModelConfig
from attention.engine.embedding import Embedding, Unembedding
from attention.engine.layer import AttentionSublayer, Layer, MLPSublayer
from attention.engine.masks import Causal, Full
from attention.engine.mlp import ACTIVATIONS, Activation
from attention.engine.norms import Norms, RMSNorm
from attention.engine.positions import Buckets
from attention.engine.stack import Stack
from attention.engine.transformer import Transformer
from attention.errors import ConfigError
from attention.families.parts import Projections, attention_params, mlp_params, output_matrix
from attention.families.source import Config, Source, Tensors, pick

EMBEDDINGS = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
"""One table under three names, of which a checkpoint may hold any."""

IGNORED = (*EMBEDDINGS, "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
           "classification_head.*", "classifier.*", "qa_outputs.*")  # fmt: skip
"""Copies of the embedding, a bias that old checkpoints hold and nobody used, and heads of other kinds."""

PROJECTIONS = Projections(q="q", k="k", v="v", o="o")


def build(config: Config, tensors: Tensors) -> Transformer:
    """A T5 from a checkpoint.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, prefixes=("transformer.",))
    n_encoder = source.size("num_layers")
    n_decoder = source.size("num_decoder_layers", default=n_encoder)
    sizes = _sizes(source, n_decoder)
    tokens = source.first(EMBEDDINGS, sizes.d_vocab, sizes.d_model)
    encoder = _half(source, "encoder", replace(sizes, n_layers=n_encoder), tokens)
    decoder = _half(source, "decoder", sizes, tokens)
    return replace(
        decoder,
        unembedding=_unembedding(source, tokens, sizes.d_model),
        encoder=encoder,
        ignored=source.unused(IGNORED),
    )


def _sizes(source: Source, n_layers: int) -> ModelConfig:
    """Positions are relative and have no end; the length a model was trained on stands for one."""
    if not source.flag("is_encoder_decoder", True):
        raise ConfigError("This T5 is one stack by itself; only the encoder–decoder is known here.")
    n_heads = source.size("num_heads")
    return ModelConfig(
        family="t5",
        n_layers=n_layers,
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_model=source.size("d_model"),
        d_head=source.size("d_kv"),
        d_mlp=source.size("d_ff"),
        n_positions=source.size("n_positions", default=512),
        d_vocab=source.size("vocab_size"),
    )


def _half(source: Source, name: str, sizes: ModelConfig, tokens: Tensor) -> Transformer:
    """The encoder or the decoder, without output matrix."""
    n_buckets = source.size("relative_attention_num_buckets", default=32)
    first = f"{name}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    table = source.tensor(first, n_buckets, sizes.n_heads).T
    layers = (_layer(source, f"{name}.block.{index}", sizes, table) for index in range(sizes.n_layers))
    return Transformer(
        config=sizes,
        embedding=Embedding(tokens=tokens),
        stack=Stack(layers=tuple(layers), final_norm=_norm(source, f"{name}.final_layer_norm", sizes)),
    )


def _layer(source: Source, name: str, sizes: ModelConfig, table: Tensor) -> Layer:
    decodes = name.startswith("decoder")
    attention = _attention(source, f"{name}.layer.0", "SelfAttention", sizes, _self(source, sizes, decodes))
    return Layer(
        attention=replace(attention, params=replace(attention.params, bias=table)),
        cross=_attention(source, f"{name}.layer.1", "EncDecAttention", sizes, _plain(sizes))
        if decodes
        else None,
        mlp=_mlp(source, f"{name}.layer.{2 if decodes else 1}", sizes),
    )


def _attention(
    source: Source, name: str, which: str, sizes: ModelConfig, config: AttentionConfig
) -> AttentionSublayer:
    names = PROJECTIONS.of(f"{name}.{which}")
    return AttentionSublayer(
        config=config,
        params=attention_params(source, names, config, qkv_bias=False, o_bias=False),
        norms=Norms(before=_norm(source, f"{name}.layer_norm", sizes)),
    )


def _plain(sizes: ModelConfig) -> AttentionConfig:
    return AttentionConfig(
        d_model=sizes.d_model,
        n_heads=sizes.n_heads,
        n_kv_heads=sizes.n_kv_heads,
        d_head=sizes.d_head,
        d_value=sizes.d_head,
        scale=1.0,
    )


def _self(source: Source, sizes: ModelConfig, decodes: bool) -> AttentionConfig:
    buckets = Buckets(
        n_buckets=source.size("relative_attention_num_buckets", default=32),
        max_distance=source.size("relative_attention_max_distance", default=128),
        both_ways=not decodes,
    )
    return replace(_plain(sizes), own_mask=Causal() if decodes else Full(), bias=buckets)


def _mlp(source: Source, name: str, sizes: ModelConfig) -> MLPSublayer:
    gated, activation = _feed_forward(source)
    inner = f"{name}.DenseReluDense"
    up, gate = (f"{inner}.wi_1", f"{inner}.wi_0") if gated else (f"{inner}.wi", None)
    return MLPSublayer(
        params=mlp_params(source, sizes, up=up, down=f"{inner}.wo", gate=gate, bias=False),
        activation=activation,
        norms=Norms(before=_norm(source, f"{name}.layer_norm", sizes)),
    )


def _feed_forward(source: Source) -> tuple[bool, Activation]:
    """Whether the MLP is gated, and its activation; ``gated-gelu`` has always meant the tanh form."""
    key = "feed_forward_proj"
    given = source.choice(key, "relu")
    name = "gelu_new" if given == "gated-gelu" else given.removeprefix("gated-")
    return given.startswith("gated-"), pick(key, name, ACTIVATIONS)


def _unembedding(source: Source, tokens: Tensor, d_model: int) -> Unembedding:
    """Scaled by d_model^−½, except from version 1.1 on, whose configs say that they tie nothing."""
    scaled = source.flag("scale_decoder_outputs", source.flag("tie_word_embeddings", True))
    w = output_matrix(source, ["lm_head.weight"], tokens, tied=True)
    return Unembedding(w=(tokens if w is None else w).T, scale=d_model**-0.5 if scaled else 1.0)


def _norm(source: Source, name: str, sizes: ModelConfig) -> RMSNorm:
    gain = source.tensor(f"{name}.weight", sizes.d_model)
    return RMSNorm(gain=gain, eps=source.eps("layer_norm_epsilon", 1e-6))
