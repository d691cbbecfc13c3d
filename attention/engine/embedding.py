"""The two ends of a model: token ids → the first residual stream, the last one → scores of the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from attention.engine.norms import Norm, unchanged
from attention.engine.steps import cap


@dataclass(frozen=True, kw_only=True, eq=False)
class Embedding:
    """Token ids → the first residual stream: token, position and segment vectors added, then normed.

    Attributes:
        tokens: One vector a token id.
        scale: What token vectors are multiplied by before anything is added.
        positions: One vector a position, where positions are learned or come from a table.
        uncounted: A token id that takes no position number of its own: it stands at the row of that number,
            and the other tokens are counted from the row after it (padding in fairseq). None: all count,
            from 0.
        segments: One vector a segment ("token type"), where the family has them.
        norm: Applied to the sum.
    """

    tokens: Float[Tensor, "d_vocab d_model"]
    scale: float = 1.0
    positions: Float[Tensor, "n_positions d_model"] | None = None
    uncounted: int | None = None
    segments: Float[Tensor, "n_segments d_model"] | None = None
    norm: Norm = unchanged

    def embed(
        self,
        ids: Int[Tensor, " pos"],
        segments: Int[Tensor, " pos"],
        places: Int[Tensor, " pos"] | None,
    ) -> Float[Tensor, "pos d_model"]:
        """The residual stream at the door of layer 0.

        Args:
            ids: Token ids.
            segments: 0 for the first sentence, 1 for the second.
            places: Whose position number each token is given, in order from 0; None leaves position vectors
                out.
        """
        x = self.tokens[ids] * self.scale
        # Segment before position: the order in which they were added in training decides the last bit in
        # float32.
        if self.segments is not None:
            # A family with a single segment numbers both sentences 0.
            x = x + self.segments[segments.clamp(max=len(self.segments) - 1)]
        if self.positions is not None and places is not None:
            x = x + self.positions[self._numbers(ids)[places]]
        return self.norm(x)

    def _numbers(self, ids: Int[Tensor, " pos"]) -> Int[Tensor, " pos"]:
        """The row of the position table that each token stands at."""
        if self.uncounted is None:
            return torch.arange(len(ids))
        counted = (ids != self.uncounted).long()
        return counted.cumsum(0) * counted + self.uncounted


@dataclass(frozen=True, kw_only=True, eq=False)
class Unembedding:
    """The last residual stream → a score of each token of the vocabulary ("logits").

    Attributes:
        w: The output matrix; often the embedding's own, turned round.
        b: Added to the scores.
        scale: What the residual stream is multiplied by first.
        softcap: Scores are bent to stay below this; None where they are not.
    """

    w: Float[Tensor, "d_model d_vocab"]
    b: Float[Tensor, " d_vocab"] | None = None
    scale: float = 1.0
    softcap: float | None = None

    def logits(self, final: Float[Tensor, "pos d_model"]) -> Float[Tensor, "pos d_vocab"]:
        """Scores of the vocabulary at each position."""
        scores = F.linear(final * self.scale, self.w.T, self.b)
        return scores if self.softcap is None else cap(scores[None], self.softcap)[0]
