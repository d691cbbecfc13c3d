"""One head by tiles, step by step, beside the same head by whole matrices; in float64."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention.engine import steps
from attention.engine.tiled import Tile, TiledAttention, of_trace
from attention.engine.trace import AttentionTrace
from attention.errors import InputError

MOST_TILES = 1024
"""Tiles one can still step through."""


@dataclass(frozen=True, eq=False)
class Walk:
    """Every tile of one head, in order.

    Attributes:
        tiles: The states, along the keys first.
        expected: The head's output by whole matrices, from the same queries, keys and values.
    """

    tiles: tuple[Tile, ...]
    expected: Float[Tensor, "query d_value"]

    @property
    def n_across(self) -> int:
        """Tiles in one row of tiles."""
        return sum(tile.queries == self.tiles[0].queries for tile in self.tiles)

    @property
    def n_passed_over(self) -> int:
        """Tiles without an allowed cell, which cost nothing."""
        return sum(tile.passed_over for tile in self.tiles)

    @property
    def largest(self) -> tuple[int, int]:
        """Rows and columns of the largest matrix of scores that was ever held."""
        tile = max(self.tiles, key=lambda tile: tile.masked.shape.numel())
        return tile.masked.shape[1], tile.masked.shape[2]

    @property
    def difference(self) -> float:
        """The largest difference between the two outputs."""
        ends = [tile.output[0] for tile in self.tiles[self.n_across - 1 :: self.n_across]]
        return float((torch.cat(ends) - self.expected).abs().max())

    @property
    def farthest(self) -> float:
        """The entry of any output, finished or not, that is farthest from zero."""
        return max(float(tile.output.abs().max()) for tile in self.tiles)

    @property
    def first_correction(self) -> int:
        """The first step at which a query meets a larger score than before; the last where none does."""
        for step, tile in enumerate(self.tiles):
            if ((tile.corrections > 0) & (tile.corrections < 1)).any():
                return step
        return len(self.tiles) - 1

    def met(self, step: int) -> Float[Tensor, "query key"]:
        """The scores of all tiles up to a step; NaN where no tile has been."""
        last = self.tiles[-1]
        met = self.expected.new_full((last.queries.stop, last.keys.stop), math.nan)
        for tile in self.tiles[: step + 1]:
            met[_slice(tile.queries), _slice(tile.keys)] = tile.masked[0]
        return met

    def outputs(self, step: int) -> Float[Tensor, "query d_value"]:
        """What each query has gathered up to a step, divided by its sum; NaN for those not begun."""
        outputs = torch.full_like(self.expected, math.nan)
        for tile in self.tiles[: step + 1]:
            outputs[_slice(tile.queries)] = tile.output[0]
        return outputs


def n_tiles(trace: AttentionTrace, n_rows: int, n_columns: int) -> int:
    """How many tiles of one size cover a head's scores."""
    return math.ceil(trace.n_queries / n_rows) * math.ceil(trace.n_keys / n_columns)


def walk(trace: AttentionTrace, head: int, n_rows: int, n_columns: int) -> Walk:
    """One head of a trace by tiles.

    Args:
        trace: The sublayer.
        head: Which head.
        n_rows: Queries a tile.
        n_columns: Keys a tile.

    Raises:
        InputError: There is no such head, a tile is of nothing or of more than there is, or there are more
            tiles than one can step through.
    """
    attention = of_trace(trace.head(head), n_rows, n_columns).widened()
    many = n_tiles(trace, n_rows, n_columns)
    if many > MOST_TILES:
        raise InputError(
            f"Tiles of {n_rows} × {n_columns} would be {many:,}, more than the {MOST_TILES:,} one can "
            "step through: take larger ones."
        )
    return Walk(tiles=tuple(attention.tiles()), expected=_whole(attention, trace))


def _whole(attention: TiledAttention, trace: AttentionTrace) -> Float[Tensor, "query d_value"]:
    """The same head in one piece: score, scale, cap, bias, mask, softmax, mix."""
    scaled = steps.scale(steps.score(attention.queries, attention.keys), attention.scale)
    capped = scaled if attention.softcap is None else steps.cap(scaled, attention.softcap)
    everything = range(trace.n_queries), range(trace.n_keys)
    biased = capped if attention.bias is None else steps.add_bias(capped, attention.bias(*everything))
    return steps.mix(steps.softmax(steps.mask(biased, trace.mask)), attention.values)[0]


def _slice(places: range) -> slice:
    return slice(places.start, places.stop)
