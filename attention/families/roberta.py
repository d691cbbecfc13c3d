"""RoBERTa (Liu et al. 2019): BERT's encoder, its positions counted as fairseq counts them.

Follows ``RobertaModel`` of transformers. Padding stands at the row of its own id and the first word at the
row after it, so that with padding id 1 positions begin at 2 and a table of 514 rows holds 512 positions.
"""

from __future__ import annotations

from attention.engine.transformer import Transformer
from attention.errors import ConfigError
from attention.families import bert
from attention.families.source import Config, Source, Tensors

IGNORED = ("pooler.*", "lm_head.*", "classifier.*", "qa_outputs.*", "embeddings.position_ids")
"""Tensors that do not belong to the encoder."""


def build(config: Config, tensors: Tensors) -> Transformer:
    """A RoBERTa encoder from a checkpoint.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, prefixes=("roberta.",))
    n_rows, padding = source.size("max_position_embeddings"), _padding(source)
    sizes = bert.encoder_sizes(source, "roberta", n_positions=n_rows - padding - 1)
    return Transformer(
        config=sizes,
        embedding=bert.embedding(source, sizes, n_rows=n_rows, uncounted=padding),
        stack=bert.encoder(source, sizes),
        ignored=source.unused(IGNORED),
    )


def _padding(source: Source) -> int:
    padding = source.config.get("pad_token_id", 1)
    if isinstance(padding, bool) or not isinstance(padding, int) or padding < 0:
        raise ConfigError(f"pad_token_id is {padding!r}; positions are counted from it, so it must be an id.")
    return padding
