"""One token's way through a stack: every change to its stream in lengths and cosines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attention.analysis.block import Change, Kind, changes
from attention.errors import InputError
from attention.run import Run


@dataclass(frozen=True, kw_only=True)
class Step:
    """A change to one token's stream, in lengths (L2) and cosines; a cosine is None where a vector is zero.

    Attributes:
        layer: From 0.
        kind: What makes the change.
        before: Length of the stream before it.
        written: Length of what is added.
        after: Length of the stream after it.
        along: Cosine of what is added with the stream: 1 lengthens it, −1 undoes it, 0 turns it.
        kept: Cosine of the stream before with the stream after: how much of its direction is left.
        source: Length of the stream that a sublayer reads; None for a norm.
        read: Length of what the norm before a sublayer makes of that; None for a norm.
        made: Length of what a sublayer makes, before any norm of its output; None for a norm.
    """

    layer: int
    kind: Kind
    before: float
    written: float
    after: float
    along: float | None
    kept: float | None
    source: float | None
    read: float | None
    made: float | None


MEASURES = ("before", "written", "after", "along", "kept", "source", "read", "made")
"""What is measured of a change, as the fields of ``Step``."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Journey:
    """Every change to every token's stream.

    Attributes:
        marks: The layer and the kind of each change, in order.
        measures: What was measured, in the order of ``MEASURES``; NaN where there is nothing to measure.
    """

    marks: tuple[tuple[int, Kind], ...]
    measures: Float[Tensor, "change measure pos"]

    def of(self, position: int) -> tuple[Step, ...]:
        """The changes to one token's stream.

        Raises:
            InputError: There is no such position.
        """
        _check(position, self.measures.shape[-1])
        return tuple(
            Step(layer=layer, kind=kind, **dict(zip(MEASURES, map(_known, numbers), strict=True)))
            for (layer, kind), numbers in zip(self.marks, self.measures[..., position].tolist(), strict=True)
        )


def _known(number: float) -> Any:
    return None if math.isnan(number) else number


def _check(position: int, n: int) -> None:
    if not 0 <= position < n:
        raise InputError(f"There is no position {position}: the text has {n} tokens (0–{n - 1}).")


@dataclass(frozen=True, kw_only=True)
class Door:
    """One token's stream at a layer's door.

    Attributes:
        length: L2.
        to_start: Cosine with the stream at the first door: the embedding.
        to_last: Cosine with the stream at the door before; None at the first one.
    """

    length: float
    to_start: float | None
    to_last: float | None


def cosine(one: Float[Tensor, " width"], other: Float[Tensor, " width"]) -> float | None:
    """The cosine of the angle between two vectors; None where one of them is zero and there is no angle.

    >>> cosine(torch.tensor([1.0, 0.0]), torch.tensor([-2.0, 0.0])), cosine(torch.zeros(2), torch.ones(2))
    (-1.0, None)
    """
    lengths = float(one.norm()) * float(other.norm())
    # Rounding may pass 1 by a digit, which no angle has.
    return max(-1.0, min(1.0, float(one @ other) / lengths)) if lengths else None


def journey(run: Run) -> Journey:
    """Every change to every token's stream, from the first layer to the last."""
    marks, measures = [], []
    for layer in range(run.n_layers):  # one at a time: all their changes would be the run many times over
        chain = changes(run, layer)
        marks += [(layer, change.kind) for change in chain]
        measures += [_measures(change) for change in chain]
    return Journey(marks=tuple(marks), measures=torch.stack(measures))


def _measures(change: Change) -> Float[Tensor, "measure pos"]:
    """In the order of ``MEASURES``; NaN where there is nothing to measure."""
    before, written, after = change.before, change.written, change.after
    nothing = torch.full((len(before),), math.nan, dtype=torch.float64)
    lengths = [_lengths(of) for of in (before, written, after)]
    cosines = [_cosines(written, before), _cosines(before, after)]
    read = [nothing if of is None else _lengths(of) for of in (change.source, change.read, change.made)]
    return torch.stack([*lengths, *cosines, *read])


def _lengths(of: Float[Tensor, "pos d_model"]) -> Float[Tensor, " pos"]:
    lengths: Tensor = torch.linalg.vector_norm(of.double(), dim=-1)
    return lengths


def _cosines(one: Float[Tensor, "pos d_model"], other: Float[Tensor, "pos d_model"]) -> Float[Tensor, " pos"]:
    """NaN where a vector is zero: there is no angle. Rounding may pass 1 by a digit, which no angle has."""
    dots = (one.double() * other.double()).sum(dim=-1)
    return torch.clamp(dots / (_lengths(one) * _lengths(other)), -1.0, 1.0)


def doors(run: Run, position: int) -> tuple[Door, ...]:
    """One token's stream at each layer's door, and after the last layer.

    Raises:
        InputError: There is no such position.
    """
    _check(position, len(run.tokens))
    states = [resid[position].double() for resid in (*run.resid_pre, run.stack_run.post)]
    last = [None, *(cosine(*pair) for pair in pairwise(states))]
    return tuple(
        Door(length=float(state.norm()), to_start=cosine(state, states[0]), to_last=to_last)
        for state, to_last in zip(states, last, strict=True)
    )
