"""Word pieces put together into words, in matrices of weights.

The rule: what a word is given is the sum over its pieces as keys; what it gives is the mean over its pieces
as queries. Rows that summed to 1 still do. A tokenizer's special tokens and padding belong to no word and
stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
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


def weights_between(
    weights: Float[np.ndarray, "query key"], sees: Bool[np.ndarray, " query"], queries: Units, keys: Units
) -> Float[np.ndarray, "word word"]:
    """A picture's weights between words, in float64. Its rows and columns need not be the same tokens.

    Args:
        weights: Weights among the pieces that are shown.
        sees: The rows that see something; the others are left out of the average.
        queries: The words that look, by the rows of their pieces.
        keys: The words that are looked at, by the columns of theirs.

    >>> shown = np.array([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]])
    >>> weights_between(shown, np.array([True, True]), ((0, 1),), ((0,), (1, 2)))
    array([[0.25, 0.75]])
    """
    wide = torch.from_numpy(np.array(weights, dtype=np.float64))
    return mean_queries(sum_keys(wide, keys), torch.from_numpy(np.array(sees)), queries).numpy()


def allowed_between(
    allowed: Bool[np.ndarray, "query key"], queries: Units, keys: Units
) -> Bool[np.ndarray, "word word"]:
    """The same of who may attend to whom: a word may if any of its pieces may attend to any of the other's.

    >>> allowed_between(np.array([[True, False], [True, True]]), ((0,), (1,)), ((0, 1),))
    array([[ True],
           [ True]])
    """
    each = np.array(allowed, dtype=np.float64)
    return weights_between(each, np.ones(len(each), dtype=np.bool_), queries, keys) > 0


def blind_words(sees: Bool[np.ndarray, " query"], queries: Units) -> tuple[int, ...]:
    """The words none of whose pieces sees anything.

    >>> blind_words(np.array([True, False, False]), ((0, 1), (2,)))
    (1,)
    """
    return tuple(at for at, unit in enumerate(queries) if not sees[list(unit)].any())


def _owners(units: Units) -> Int[Tensor, " piece"]:
    """Which word each piece belongs to."""
    return torch.repeat_interleave(torch.tensor([len(unit) for unit in units]))
