"""BERT (Devlin et al. 2019): a bidirectional encoder with post-norm blocks.

Follows ``BertModel`` of transformers. Heads on top of the encoder (masked words, sentence pairs,
classifiers) are left aside; their checkpoints prefix the encoder's tensors with ``bert.``.
"""

from __future__ import annotations

from attention.engine.config import AttentionConfig, ModelConfig
from attention.engine.layer import AttentionSublayer, Layer, MLPSublayer
from attention.engine.mlp import ACTIVATIONS
from attention.engine.norms import LayerNorm, Norms
from attention.engine.params import AttentionParams, MLPParams
from attention.engine.stack import Stack
from attention.engine.transformer import Embedding, Transformer
from attention.errors import ConfigError
from attention.families.source import Config, Source, Tensors

HEADS_ON_TOP = ("pooler.", "cls.", "classifier.", "qa_outputs.", "embeddings.position_ids")
"""Tensors that do not belong to the encoder, by the start of their names."""


def build(config: Config, tensors: Tensors) -> Transformer:
    """A BERT encoder from a checkpoint.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    sizes = _sizes(config)
    source = Source(config, tensors, prefix="bert.")
    embedding = Embedding(
        tokens=source.tensor("embeddings.word_embeddings.weight", sizes.d_vocab, sizes.d_model),
        positions=source.tensor("embeddings.position_embeddings.weight", sizes.n_positions, sizes.d_model),
        segments=source.tensor(
            "embeddings.token_type_embeddings.weight", source.size("type_vocab_size"), sizes.d_model
        ),
        norm=_norm(source, "embeddings.LayerNorm", sizes),
    )
    layers = tuple(_layer(source, f"encoder.layer.{index}", sizes) for index in range(sizes.n_layers))
    return Transformer(
        config=sizes,
        embedding=embedding,
        stack=Stack(layers=layers),
        ignored=source.unused(HEADS_ON_TOP),
    )


def _sizes(config: Config) -> ModelConfig:
    source = Source(config, {})
    d_model, n_heads = source.size("hidden_size"), source.size("num_attention_heads")
    if d_model % n_heads:
        raise ConfigError(f"hidden_size ({d_model}) must be a multiple of num_attention_heads ({n_heads}).")
    if source.choice("position_embedding_type", "absolute") != "absolute":
        raise ConfigError("This BERT uses relative positions; only absolute ones are known here.")
    if config.get("is_decoder", False):
        raise ConfigError("This BERT is set up as a decoder; only the encoder is known here.")
    return ModelConfig(
        family="bert",
        n_layers=source.size("num_hidden_layers"),
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_model=d_model,
        d_head=d_model // n_heads,
        d_mlp=source.size("intermediate_size"),
        n_positions=source.size("max_position_embeddings"),
        d_vocab=source.size("vocab_size"),
    )


def _layer(source: Source, name: str, sizes: ModelConfig) -> Layer:
    return Layer(
        attention=AttentionSublayer(
            config=AttentionConfig(
                d_model=sizes.d_model,
                n_heads=sizes.n_heads,
                n_kv_heads=sizes.n_kv_heads,
                d_head=sizes.d_head,
                d_value=sizes.d_head,
                scale=sizes.d_head**-0.5,
            ),
            params=_attention(source, f"{name}.attention", sizes),
            norms=Norms(after_add=_norm(source, f"{name}.attention.output.LayerNorm", sizes)),
        ),
        mlp=MLPSublayer(
            params=_mlp(source, name, sizes),
            activation=source.one_of("hidden_act", "gelu", ACTIVATIONS),
            norms=Norms(after_add=_norm(source, f"{name}.output.LayerNorm", sizes)),
        ),
    )


def _attention(source: Source, name: str, sizes: ModelConfig) -> AttentionParams:
    heads, d_head = sizes.n_heads, sizes.d_head
    return AttentionParams(
        w_q=source.heads_out(f"{name}.self.query.weight", heads, d_head, sizes.d_model),
        w_k=source.heads_out(f"{name}.self.key.weight", heads, d_head, sizes.d_model),
        w_v=source.heads_out(f"{name}.self.value.weight", heads, d_head, sizes.d_model),
        w_o=source.heads_in(f"{name}.output.dense.weight", heads, d_head, sizes.d_model),
        b_q=source.head_bias(f"{name}.self.query.bias", heads, d_head),
        b_k=source.head_bias(f"{name}.self.key.bias", heads, d_head),
        b_v=source.head_bias(f"{name}.self.value.bias", heads, d_head),
        b_o=source.tensor(f"{name}.output.dense.bias", sizes.d_model),
    )


def _mlp(source: Source, name: str, sizes: ModelConfig) -> MLPParams:
    return MLPParams(
        w_in=source.tensor(f"{name}.intermediate.dense.weight", sizes.d_mlp, sizes.d_model).T,
        w_out=source.tensor(f"{name}.output.dense.weight", sizes.d_model, sizes.d_mlp).T,
        b_in=source.tensor(f"{name}.intermediate.dense.bias", sizes.d_mlp),
        b_out=source.tensor(f"{name}.output.dense.bias", sizes.d_model),
    )


def _norm(source: Source, name: str, sizes: ModelConfig) -> LayerNorm:
    return LayerNorm(
        gain=source.tensor(f"{name}.weight", sizes.d_model),
        bias=source.tensor(f"{name}.bias", sizes.d_model),
        eps=float(source.config.get("layer_norm_eps", 1e-12)),
    )
