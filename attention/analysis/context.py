"""One word in two places: how its vector parts, layer by layer, and what it gathered from.

The vectors are the residual stream's: what goes into each layer, and what the last one leaves. A cosine says
how alike two directions are, and no more: it need not fall from layer to layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention.analysis.words import words
from attention.run import Run

ROUNDING = 1e-9


@dataclass(frozen=True)
class Occurrence:
    """One place where a word stands.

    Attributes:
        name: The word, in small letters.
        positions: Of its pieces.
    """

    name: str
    positions: tuple[int, ...]


def occurrences(run: Run, text: str) -> tuple[Occurrence, ...]:
    """The words of a run, in order, as they are written in its text. Punctuation is none."""
    found = []
    for group in words(run.tokens):
        first, last = run.tokens[group[0]], run.tokens[group[-1]]
        found.append(Occurrence(text[first.start : last.end].strip().casefold(), group))
    return tuple(found)


def shared(first: Sequence[Occurrence], second: Sequence[Occurrence]) -> tuple[str, ...]:
    """The words that stand in both, in the order of the first, each once."""
    there = {one.name for one in second}
    return tuple(dict.fromkeys(one.name for one in first if one.name in there))


def repeated(found: Sequence[Occurrence]) -> tuple[str, ...]:
    """The words that stand more than once, in order.

    >>> repeated([Occurrence("the", (0,)), Occurrence("dog", (1,)), Occurrence("the", (2,))])
    ('the',)
    """
    names = [one.name for one in found]
    return tuple(dict.fromkeys(name for name in names if names.count(name) > 1))


def vectors(run: Run, positions: Sequence[int]) -> Float[Tensor, "state d_model"]:
    """A word's vector at each layer's door and after the last layer: the mean of its pieces, in float64."""
    return torch.stack([resid[list(positions)].double().mean(dim=0) for resid in _states(run)])


def cosines(
    first: Float[Tensor, "state d_model"], second: Float[Tensor, "state d_model"]
) -> Float[Tensor, " state"]:
    """How alike two words' directions are, at each door."""
    return torch.cosine_similarity(first, second, dim=-1)


def to_the_others(
    vector: Float[Tensor, "state d_model"], run: Run, found: Sequence[Occurrence], name: str
) -> Float[Tensor, " state"] | None:
    """The mean cosine of a word with the other words of a text; None where there are no others.

    What the cosine of the same word in two texts has to be compared with.
    """
    others = [one for one in found if one.name != name]
    if not others:
        return None
    return torch.stack([cosines(vector, vectors(run, one.positions)) for one in others]).mean(dim=0)


def parting(alike: Float[Tensor, " state"]) -> int | None:
    """The layer through which the cosine falls most; None where no layer makes it fall.

    >>> parting(torch.tensor([0.9, 0.8, 0.85, 0.5])), parting(torch.tensor([0.5, 0.6]))
    (2, None)
    """
    steps = alike.diff()
    return int(steps.argmin()) if bool((steps < -ROUNDING).any()) else None


def gathered(run: Run, layer: int, positions: Sequence[int]) -> Float[Tensor, " key"]:
    """What a word mixed in a layer: its rows of weights, the mean over its pieces and over all heads.

    Raises:
        InputError: There is no such layer.
    """
    rows = run.attention(layer).weights[:, list(positions)]
    return rows.double().mean(dim=(0, 1))


def _states(run: Run) -> tuple[Float[Tensor, "pos d_model"], ...]:
    return (*run.resid_pre, run.stack_run.post)
