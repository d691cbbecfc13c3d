"""BERT (Devlin et al. 2019): a bidirectional encoder with post-norm blocks.

Follows ``BertModel`` of transformers. Heads on top of the encoder (masked words, sentence pairs,
classifiers) are left aside; their checkpoints prefix the encoder's tensors with ``bert.``.
"""

from __future__ import annotations

from attention.engine.config import ModelConfig
from attention.engine.embedding import Embedding
from attention.engine.layer import AttentionSublayer, Layer, MLPSublayer
from attention.engine.mlp import ACTIVATIONS
from attention.engine.norms import LayerNorm, Norms
from attention.engine.stack import Stack
from attention.engine.transformer import Transformer
from attention.errors import ConfigError
from attention.families.parts import (
    Projections,
    attention_params,
    layer_norm,
    mlp_params,
    plain_attention,
    share,
)
from attention.families.source import Config, Source, Tensors

IGNORED = ("pooler.*", "cls.*", "classifier.*", "qa_outputs.*", "embeddings.position_ids")
"""Tensors that do not belong to the encoder."""

PROJECTIONS = Projections(q="self.query", k="self.key", v="self.value", o="output.dense")


def build(config: Config, tensors: Tensors) -> Transformer:
    """A BERT encoder from a checkpoint.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, prefixes=("bert.",))
    sizes = encoder_sizes(source, "bert", n_positions=source.size("max_position_embeddings"))
    return Transformer(
        config=sizes,
        embedding=embedding(source, sizes, n_rows=sizes.n_positions),
        stack=encoder(source, sizes),
        ignored=source.unused(IGNORED),
    )


def encoder_sizes(source: Source, family: str, n_positions: int) -> ModelConfig:
    """Sizes of an encoder that is configured in BERT's words.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
    """
    if source.choice("position_embedding_type", "absolute") != "absolute":
        raise ConfigError("This model uses relative positions; only absolute ones are known here.")
    source.refuse("is_decoder", "only the encoder is known here, not the decoder")
    return ModelConfig(
        family=family,
        n_layers=source.size("num_hidden_layers"),
        n_heads=source.size("num_attention_heads"),
        n_kv_heads=source.size("num_attention_heads"),
        d_model=source.size("hidden_size"),
        d_head=share(source, "hidden_size", "num_attention_heads"),
        d_mlp=source.size("intermediate_size"),
        n_positions=n_positions,
        d_vocab=source.size("vocab_size"),
    )


def embedding(source: Source, sizes: ModelConfig, n_rows: int, uncounted: int | None = None) -> Embedding:
    """Words, positions and segments, normed.

    Raises:
        CheckpointError: A tensor is missing or mis-shaped.
    """
    n_segments = source.size("type_vocab_size")
    return Embedding(
        tokens=source.tensor("embeddings.word_embeddings.weight", sizes.d_vocab, sizes.d_model),
        positions=source.tensor("embeddings.position_embeddings.weight", n_rows, sizes.d_model),
        uncounted=uncounted,
        segments=source.tensor("embeddings.token_type_embeddings.weight", n_segments, sizes.d_model),
        norm=_norm(source, "embeddings.LayerNorm", sizes),
    )


def encoder(source: Source, sizes: ModelConfig) -> Stack:
    """The blocks of an encoder whose tensors are called as BERT's are.

    Raises:
        ConfigError: The activation is not known.
        CheckpointError: A tensor is missing or mis-shaped.
    """
    layers = (_layer(source, f"encoder.layer.{index}", sizes) for index in range(sizes.n_layers))
    return Stack(layers=tuple(layers))


def _layer(source: Source, name: str, sizes: ModelConfig) -> Layer:
    config = plain_attention(sizes)
    return Layer(
        attention=AttentionSublayer(
            config=config,
            params=attention_params(source, PROJECTIONS.of(f"{name}.attention"), config),
            norms=Norms(after_add=_norm(source, f"{name}.attention.output.LayerNorm", sizes)),
        ),
        mlp=MLPSublayer(
            params=mlp_params(source, sizes, up=f"{name}.intermediate.dense", down=f"{name}.output.dense"),
            activation=source.one_of("hidden_act", "gelu", ACTIVATIONS),
            norms=Norms(after_add=_norm(source, f"{name}.output.LayerNorm", sizes)),
        ),
    )


def _norm(source: Source, name: str, sizes: ModelConfig) -> LayerNorm:
    return layer_norm(source, name, sizes.d_model, source.eps("layer_norm_eps", 1e-12))
