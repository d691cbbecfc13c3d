"""Word pieces put together into words, in matrices of weights.

The rule: what a word is given is the sum over its pieces as keys; what it gives is the mean over its pieces
as queries. Rows that summed to 1 still do. A tokenizer's special tokens and padding belong to no word and
stay as they are.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Units = tuple[tuple[int, ...], ...]
"""The positions of each word's pieces, side by side and in order (`attention.analysis.words.groups`)."""


def sum_keys(weights: Float[Tensor, "... query key"], units: Units) -> Float[Tensor, "... query word"]:
    """What each query gives to each word.

    >>> sum_keys(torch.tensor([[0.5, 0.25, 0.25]]), ((0,), (1, 2)))
    tensor([[0.5000, 0.5000]])
    """
    return torch.stack([weights[..., unit[0] : unit[-1] + 1].sum(dim=-1) for unit in units], dim=-1)


def mean_queries(
    weights: Float[Tensor, "... query key"], counted: Bool[Tensor, " query"], units: Units
) -> Float[Tensor, "... word key"]:
    """What each word gives: the mean of its pieces' rows. Rows that are not counted are left out.

    Args:
        weights: Rows of weights.
        counted: Rows that see something; a word without one has a row of zeros.
        units: The words.

    >>> rows = torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.0, 0.0]])
    >>> mean_queries(rows, torch.tensor([True, True, False]), ((0, 1), (2,)))
    tensor([[0.7500, 0.2500],
            [0.0000, 0.0000]])
    """
    kept = weights * counted[:, None]
    sums = [kept[..., unit[0] : unit[-1] + 1, :].sum(dim=-2) for unit in units]
    counts = [max(1, int(counted[unit[0] : unit[-1] + 1].sum())) for unit in units]
    return torch.stack([total / count for total, count in zip(sums, counts, strict=True)], dim=-2)


def merge_words(weights: Float[Tensor, "... query key"], units: Units) -> Float[Tensor, "... word word"]:
    """Weights between words: summed over the keys of a word, averaged over its queries.

    Rows that see nothing are left out of the average.

    Args:
        weights: Weights among the pieces of one sequence.
        units: The words.

    >>> pieces = torch.tensor([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.0, 0.5]])
    >>> merge_words(pieces, ((0,), (1, 2)))
    tensor([[0.5000, 0.5000],
            [0.3750, 0.6250]])
    """
    sees = (weights.reshape(-1, *weights.shape[-2:]).sum(dim=-1) > 0).any(dim=0)
    return mean_queries(sum_keys(weights, units), sees, units)


def merge_allowed(allowed: Bool[Tensor, "query key"], units: Units) -> Bool[Tensor, "word word"]:
    """A word may attend to a word if any of its pieces may attend to any of the other's."""
    return merge_words(allowed.double(), units) > 0
