"""BERT (Devlin et al. 2019): a bidirectional encoder with post-norm blocks.

Follows ``BertModel`` of transformers. Heads on top of the encoder (masked words, sentence pairs,
classifiers) are left aside; their checkpoints prefix the encoder's tensors with ``bert.``.
"""

from __future__ import annotations

from attention.engine.config import ModelConfig
from attention.engine.embedding import Embedding
from attention.engine.stack import Stack
from attention.engine.transformer import Transformer
from attention.errors import ConfigError
from attention.families.parts import Projections, layer_norm, share
from attention.families.post_norm import BlockNames, block
from attention.families.source import Config, Source, Tensors

IGNORED = ("pooler.*", "cls.*", "classifier.*", "qa_outputs.*", "embeddings.position_ids")
"""Tensors that do not belong to the encoder."""

NAMES = BlockNames(
    projections=Projections(q="self.query", k="self.key", v="self.value", o="output.dense").of("attention"),
    attention_norm="attention.output.LayerNorm",
    up="intermediate.dense",
    down="output.dense",
    mlp_norm="output.LayerNorm",
    activation="hidden_act",
)


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
        norm=layer_norm(source, "embeddings.LayerNorm", sizes.d_model, _eps(source)),
    )


def encoder(source: Source, sizes: ModelConfig) -> Stack:
    """The blocks of an encoder whose tensors are called as BERT's are.

    Raises:
        ConfigError: The activation is not known.
        CheckpointError: A tensor is missing or mis-shaped.
    """
    eps, names = _eps(source), (f"encoder.layer.{index}" for index in range(sizes.n_layers))
    return Stack(layers=tuple(block(source, name, NAMES, sizes, eps=eps) for name in names))


def _eps(source: Source) -> float:
    return source.eps("layer_norm_eps", 1e-12)
