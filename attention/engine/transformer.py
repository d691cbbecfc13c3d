"""A whole model out of parts: embed, one or two stacks of layers, unembed. No family's name appears here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention.engine.config import ModelConfig
from attention.engine.embedding import Embedding, Unembedding
from attention.engine.layer import Layer, LayerPlan, SublayerPlan
from attention.engine.masks import Full, Keys, MaskRule
from attention.engine.positions import numbers
from attention.engine.settings import Settings
from attention.engine.stack import Stack
from attention.errors import InputError


@dataclass(frozen=True, kw_only=True, eq=False)
class Transformer:
    """A model ready to run.

    Attributes:
        config: Its sizes; the decoder's, where there is an encoder.
        embedding: Ids → residual stream.
        stack: The layers.
        unembedding: Residual stream → logits; None for a model that predicts no token.
        encoder: What makes the memory that cross-attention attends to; None for a model of one stack.
        ignored: Names of tensors in the checkpoint that this model has no use for.
    """

    config: ModelConfig
    embedding: Embedding
    stack: Stack
    unembedding: Unembedding | None = None
    encoder: Transformer | None = None
    ignored: tuple[str, ...] = ()

    def embed(
        self, ids: Sequence[int], segments: Sequence[int], settings: Settings
    ) -> Float[Tensor, "pos d_model"]:
        """The residual stream at the door of layer 0, under the settings' positions."""
        places = numbers(settings.position_numbers, len(ids))
        return self.embedding.embed(torch.tensor(ids), torch.tensor(segments), places)

    def plans(
        self, settings: Settings, padded: range = range(0), padded_memory: range = range(0)
    ) -> tuple[LayerPlan, ...]:
        """What the settings ask of each layer.

        Args:
            settings: What the reader changed.
            padded: Positions of the sequence that are padding, hidden from every query.
            padded_memory: Positions of the encoder's memory that are.
        """
        return tuple(
            _plan(layer, index, settings, padded, padded_memory)
            for index, layer in enumerate(self.stack.layers)
        )

    def unembed(self, final: Float[Tensor, "pos d_model"]) -> Float[Tensor, "pos d_vocab"]:
        """Logits over the vocabulary.

        Raises:
            InputError: The model has no output matrix.
        """
        if self.unembedding is None:
            raise InputError(f"This {self.config.family} model has no output matrix: it predicts no token.")
        return self.unembedding.logits(final)


def _plan(layer: Layer, index: int, settings: Settings, padded: range, padded_memory: range) -> LayerPlan:
    cross = settings.cross or Settings()
    own = layer.attention.config.own_mask
    return LayerPlan(
        mask_rule=_mask(settings, index, own, padded),
        heads_off=settings.heads_off_in(index),
        positions=settings.position_numbers,
        cross=SublayerPlan(_mask(cross, index, Full(), padded_memory), cross.heads_off_in(index)),
    )


def _mask(settings: Settings, index: int, own: MaskRule, padded: range) -> MaskRule:
    rule = settings.mask_in(index, own)
    return _with_padding(rule, padded if settings.padding else range(0))


def _with_padding(rule: MaskRule, padded: range) -> MaskRule:
    if not padded:
        return rule
    return (rule & Keys(padded)).resolve(rule)
