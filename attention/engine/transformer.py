"""A whole model out of parts: embed, a stack of layers, unembed. No family's name appears here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from attention.engine.config import ModelConfig
from attention.engine.layer import LayerPlan
from attention.engine.masks import Keys, MaskRule
from attention.engine.norms import Norm, unchanged
from attention.engine.settings import Settings
from attention.engine.stack import Stack
from attention.errors import InputError


@dataclass(frozen=True, kw_only=True, eq=False)
class Embedding:
    """Token ids → the first residual stream: token, position and segment vectors added, then normed.

    Attributes:
        tokens: One vector a token id.
        positions: One vector a position, where positions are learned.
        segments: One vector a segment ("token type"), where the family has them.
        norm: Applied to the sum.
    """

    tokens: Float[Tensor, "d_vocab d_model"]
    positions: Float[Tensor, "n_positions d_model"] | None = None
    segments: Float[Tensor, "n_segments d_model"] | None = None
    norm: Norm = unchanged

    def embed(
        self,
        ids: Int[Tensor, " pos"],
        segments: Int[Tensor, " pos"],
        positions: Int[Tensor, " pos"] | None,
    ) -> Float[Tensor, "pos d_model"]:
        """The residual stream at the door of layer 0.

        Args:
            ids: Token ids.
            segments: 0 for the first sentence, 1 for the second.
            positions: The position number of each token; None leaves position vectors out.
        """
        x = self.tokens[ids]
        # Segment before position: the order in which BERT adds them decides the last bit in float32.
        if self.segments is not None:
            x = x + self.segments[segments]
        if self.positions is not None and positions is not None:
            x = x + self.positions[positions]
        return self.norm(x)


@dataclass(frozen=True, kw_only=True, eq=False)
class Transformer:
    """A model ready to run.

    Attributes:
        config: Its sizes.
        embedding: Ids → residual stream.
        stack: The layers.
        unembedding: Residual stream → logits; None for a model that predicts no token.
        ignored: Names of tensors in the checkpoint that this model has no use for.
    """

    config: ModelConfig
    embedding: Embedding
    stack: Stack
    unembedding: Float[Tensor, "d_model d_vocab"] | None = None
    ignored: tuple[str, ...] = ()

    def embed(
        self, ids: Sequence[int], segments: Sequence[int], settings: Settings
    ) -> Float[Tensor, "pos d_model"]:
        """The residual stream at the door of layer 0, under the settings' positions."""
        positions: Tensor | None = torch.arange(len(ids))
        if settings.positions == "none":
            positions = None
        elif settings.positions != "own":
            positions = torch.tensor(tuple(settings.positions))
        return self.embedding.embed(torch.tensor(ids), torch.tensor(segments), positions)

    def plans(self, settings: Settings, padded: range) -> tuple[LayerPlan, ...]:
        """What the settings ask of each layer; padded positions are hidden from every query."""
        own = (layer.attention.config.own_mask for layer in self.stack.layers)
        return tuple(
            LayerPlan(
                _with_padding(settings.mask_in(index, rule), padded if settings.padding else range(0)),
                settings.heads_off_in(index),
            )
            for index, rule in enumerate(own)
        )

    def unembed(self, final: Float[Tensor, "pos d_model"]) -> Float[Tensor, "pos d_vocab"]:
        """Logits over the vocabulary.

        Raises:
            InputError: The model has no output matrix.
        """
        if self.unembedding is None:
            raise InputError(f"This {self.config.family} model has no output matrix: it predicts no token.")
        return F.linear(final, self.unembedding.T)


def _with_padding(rule: MaskRule, padded: range) -> MaskRule:
    if not padded:
        return rule
    return (rule & Keys(padded)).resolve(rule)
