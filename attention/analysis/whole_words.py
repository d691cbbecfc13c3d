"""Word pieces put together into words, in matrices of weights.

The rule: what a word is given is the sum over its pieces as keys; what it gives is the mean over its pieces
as queries. Rows that summed to 1 still do. A tokenizer's special tokens and padding belong to no word and
stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

Units = tuple[tuple[int, ...], ...]
"""The positions of each word's pieces, side by side and in order (`attention.analysis.words.groups`)."""


def in_strips(units: Units, most: int) -> Iterator[Units]:
    """Consecutive words, as many as hold so many pieces at most and never less than one word.

    >>> list(in_strips(((0,), (1, 2), (3,)), 2))
    [((0,),), ((1, 2),), ((3,),)]
    """
    start = 0
    for at in range(1, len(units) + 1):
        if at == len(units) or units[at][-1] - units[start][0] >= most:
            yield units[start:at]
            start = at


def sum_keys(weights: Float[Tensor, "... query key"], units: Units) -> Float[Tensor, "... query word"]:
    """What each query gives to each word.

    >>> sum_keys(torch.tensor([[0.5, 0.25, 0.25]]), ((0,), (1, 2)))
    tensor([[0.5000, 0.5000]])
    """
    return weights.new_zeros(*weights.shape[:-1], len(units)).index_add_(-1, _owners(units), weights)


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
    owners, keys = _owners(units), weights.shape[-1]
    sums = weights.new_zeros(*weights.shape[:-2], len(units), keys)
    sums.index_add_(-2, owners, weights * counted[:, None])
    counts = torch.zeros(len(units), dtype=weights.dtype).index_add_(0, owners, counted.to(weights.dtype))
    return sums / counts.clamp(min=1)[:, None]


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
    if len(units) == weights.shape[-1]:
        return weights
    sees = (weights.reshape(-1, *weights.shape[-2:]).sum(dim=-1) > 0).any(dim=0)
    return mean_queries(sum_keys(weights, units), sees, units)


def merge_allowed(allowed: Bool[Tensor, "query key"], units: Units) -> Bool[Tensor, "word word"]:
    """A word may attend to a word if any of its pieces may attend to any of the other's."""
    return allowed if len(units) == len(allowed) else merge_words(allowed.double(), units) > 0


def _owners(units: Units) -> Int[Tensor, " piece"]:
    """Which word each piece belongs to."""
    return torch.repeat_interleave(torch.tensor([len(unit) for unit in units]))
