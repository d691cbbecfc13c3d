"""Every head of a run measured, layer by layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention.analysis.measure import Measure
from attention.analysis.measures import MEASURES
from attention.analysis.reading import PerRow, Reading, pieces_of, readings
from attention.run import Run


@dataclass(frozen=True, eq=False, kw_only=True)
class Measured:
    """What was measured of every head. Read it by `value` and `even`: NaN inside is "not measurable".

    Attributes:
        values: The mean of each measure over the rows that have it.
        evens: The same for a head that gives every key it may see the same weight, in the same layer.
        rows: How many rows were counted.
        n_keys: How many tokens (or words) there were to look at.
    """

    values: Float[Tensor, "measure layer head"]
    evens: Float[Tensor, "measure layer head"]
    rows: Int[Tensor, "measure layer"]
    n_keys: int

    def value(self, measure: Measure, layer: int, head: int) -> float | None:
        """One head's; None where it cannot be measured on this text."""
        return _or_none(self.values[MEASURES.index(measure), layer, head])

    def even(self, measure: Measure, layer: int, head: int) -> float | None:
        """What a head without preferences would have there; None where that is not known."""
        return _or_none(self.evens[MEASURES.index(measure), layer, head])

    def counted(self, measure: Measure, layer: int) -> int:
        """How many rows of each head of a layer were counted."""
        return int(self.rows[MEASURES.index(measure), layer])


def measured(
    run: Run, *, words: bool = False, on_layer: Callable[[int, int], None] | None = None
) -> Measured:
    """Measure every head of a run. One text is one sample.

    No more than one layer's rows exist at a time, and of long texts no more than a strip of them.

    Args:
        run: What the model did.
        words: Whether word pieces are put together first.
        on_layer: Called with (layers done, layers in all).
    """
    pieces = pieces_of(run, words=words)
    layers = []
    for layer in range(run.n_layers):
        layers.append(over_strips(readings(run.attention(layer), pieces), run.n_heads))
        if on_layer is not None:
            on_layer(layer + 1, run.n_layers)
    values, evens, rows = (torch.stack(parts, dim=1) for parts in zip(*layers, strict=True))
    return Measured(values=values, evens=evens, rows=rows, n_keys=len(pieces.units))


def over_strips(
    strips: Iterable[tuple[Reading, Reading]], n_heads: int, measures: Sequence[Measure] = MEASURES
) -> tuple[Float[Tensor, "measure head"], Float[Tensor, "measure head"], Int[Tensor, " measure"]]:
    """The mean of each measure over all rows of one layer: as they are, if even, and how many there were."""
    totals = torch.zeros(2, len(measures), n_heads, dtype=torch.float64)
    counts = torch.zeros(2, len(measures), dtype=torch.long)
    for strip in strips:
        for of, one in enumerate(strip):
            for at, measure in enumerate(measures):
                row_values = measure.per_row(one)
                totals[of, at] += _sum(row_values)
                counts[of, at] += int(row_values.rows.sum())
    means = totals / torch.where(counts > 0, counts.double(), math.nan)[..., None]
    return means[0], means[1], counts[0]


def _sum(values: PerRow) -> Float[Tensor, " head"]:
    return values.values[:, values.rows].double().sum(dim=-1)


def _or_none(number: Tensor) -> float | None:
    return None if math.isnan(float(number)) else float(number)
