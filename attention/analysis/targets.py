"""How far a head looks, and on what. Every function reads rows and gives a value for each.

A share is taken over the rows that may see at least one of the keys in question: a row that may not says
nothing about the head.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool
from torch import Tensor

from attention.analysis.reading import PerRow, Reading


def distance(reading: Reading) -> PerRow:
    """How far away each row looks on average: Σ a |i − j|, in tokens."""
    return reading.over_rows((reading.weights * reading.ahead.abs()).sum(dim=-1))


def signed_distance(reading: Reading) -> PerRow:
    """How far ahead each row looks on average: Σ a (j − i); negative looks back."""
    return reading.over_rows((reading.weights * reading.ahead).sum(dim=-1))


def on_itself(reading: Reading) -> PerRow:
    """Each row's weight on its own token: a[i, i]."""
    return reading.on_cells(reading.ahead == 0)


def on_previous(reading: Reading) -> PerRow:
    """Each row's weight on the token before: a[i, i − 1]. Row 0 has none before it."""
    return reading.on_cells(reading.ahead == -1)


def on_next(reading: Reading) -> PerRow:
    """Each row's weight on the token after: a[i, i + 1], where the mask lets it be seen."""
    return reading.on_cells(reading.ahead == 1)


def on_first(reading: Reading) -> PerRow:
    """Each later row's weight on the first token: a[i, 0]. Row 0 of a causal head has nothing else to see."""
    later = reading.positions > 0
    return reading.on_cells((torch.arange(len(reading.ids)) == 0) & later[:, None])


def on_special(reading: Reading) -> PerRow:
    """Each row's weight on the tokens that the tokenizer added, such as [CLS] and [SEP]."""
    return reading.on_cells(reading.special[None, :].expand_as(reading.allowed))


def on_equal(reading: Reading) -> PerRow:
    """Each row's weight on earlier tokens that are the same as its own; itself is not among them."""
    return reading.on_cells(_earlier_copies(reading))


def after_equal(reading: Reading) -> PerRow:
    """Each row's weight on the tokens that followed an earlier copy of its own.

    Row i counts S_i = {p + 1 : p < i, token p = token i, p + 1 < i}. In causal models this is what induction
    does; Olsson et al. 2022 measure it on random tokens repeated, and one repeated word is one sample.
    Special tokens ask for nothing here.
    """
    copies = _earlier_copies(reading)
    followed = torch.zeros_like(copies)
    followed[:, 1:] = copies[:, :-1]
    own_special = reading.special[reading.positions]
    return reading.on_cells(followed & (reading.ahead < 0) & ~own_special[:, None])


def value_length(reading: Reading) -> PerRow:
    """How much each row is given, as the summed lengths of its parts: Σ_j ‖α f(x_j)‖.

    f(x) = (x W_V + b_V) W_O (Kobayashi et al. 2020, section 3). A weight on a short vector moves little.
    """
    if reading.value_weights is None:
        return _unknown(reading)
    return reading.over_rows(reading.value_weights.sum(dim=-1))


def value_on_special(reading: Reading) -> PerRow:
    """The special tokens' part of Σ_j ‖α f(x_j)‖: what is left of their weight once values are seen."""
    if reading.value_weights is None:
        return _unknown(reading)
    all_of_it = reading.value_weights.sum(dim=-1)
    theirs = (reading.value_weights * reading.special).sum(dim=-1)
    sees = (reading.special[None, :] & reading.allowed).any(dim=-1) & (all_of_it > 0).all(dim=0)
    return reading.over_rows(theirs / all_of_it, sees)


def of_update(reading: Reading) -> PerRow:
    """The head's share of what its layer adds at each row: c·o / o·o, c its part of the output o.

    All heads and b_o make 1. Negative where a head works against the others. A row to which the layer adds
    nothing has no shares and is not counted; one whose values are no finite numbers is, and has none either.
    """
    shares, values = reading.update_shares, reading.value_weights
    if shares is None:
        return _unknown(reading)
    broken = torch.zeros_like(reading.counted) if values is None else ~values.isfinite().all(dim=(0, 2))
    return reading.over_rows(shares, ~shares.isnan().all(dim=0) | broken)


def _earlier_copies(reading: Reading) -> Bool[Tensor, "query key"]:
    own = reading.ids[reading.positions]
    return (own[:, None] == reading.ids[None, :]) & (reading.ahead < 0)


def _unknown(reading: Reading) -> PerRow:
    return reading.over_rows(torch.zeros_like(reading.weights[..., 0]), torch.zeros_like(reading.counted))
