"""DistilBERT (Sanh et al. 2019): BERT with fewer layers and without token types.

Follows ``DistilBertModel`` of transformers; heads on top of the encoder are left aside.
"""

from __future__ import annotations

from attention.engine.config import ModelConfig
from attention.engine.embedding import Embedding
from attention.engine.stack import Stack
from attention.engine.transformer import Transformer
from attention.families.parts import Projections, layer_norm, share
from attention.families.post_norm import BlockNames, block
from attention.families.source import Config, Source, Tensors

IGNORED = ("vocab_*", "pre_classifier.*", "classifier.*", "qa_outputs.*", "embeddings.position_ids")
"""Tensors that do not belong to the encoder."""

NAMES = BlockNames(
    projections=Projections(q="q_lin", k="k_lin", v="v_lin", o="out_lin").of("attention"),
    attention_norm="sa_layer_norm",
    up="ffn.lin1",
    down="ffn.lin2",
    mlp_norm="output_layer_norm",
    activation="activation",
)

_EPS = 1e-12
"""Fixed: DistilBertModel reads none from its config."""


def build(config: Config, tensors: Tensors) -> Transformer:
    """A DistilBERT encoder from a checkpoint.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, prefixes=("distilbert.",))
    sizes = _sizes(source)
    words, positions = (f"embeddings.{what}_embeddings.weight" for what in ("word", "position"))
    return Transformer(
        config=sizes,
        embedding=Embedding(
            tokens=source.tensor(words, sizes.d_vocab, sizes.d_model),
            positions=source.tensor(positions, sizes.n_positions, sizes.d_model),
            norm=layer_norm(source, "embeddings.LayerNorm", sizes.d_model, _EPS),
        ),
        stack=Stack(
            layers=tuple(
                block(source, f"transformer.layer.{index}", NAMES, sizes, eps=_EPS)
                for index in range(sizes.n_layers)
            )
        ),
        ignored=source.unused(IGNORED),
    )


def _sizes(source: Source) -> ModelConfig:
    return ModelConfig(
        family="distilbert",
        n_layers=source.size("n_layers"),
        n_heads=source.size("n_heads"),
        n_kv_heads=source.size("n_heads"),
        d_model=source.size("dim"),
        d_head=share(source, "dim", "n_heads"),
        d_mlp=source.size("hidden_dim"),
        n_positions=source.size("max_position_embeddings"),
        d_vocab=source.size("vocab_size"),
    )
