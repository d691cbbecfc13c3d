"""All heads of one kind of attention at a glance, and the checks on them, layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.analysis import checks
from attention.analysis.glance import Glance, glance
from attention.analysis.strips import Strongest
from attention.analysis.whole_words import Units
from attention.analysis.words import groups
from attention.checkpoints.tokens import Token
from attention.figures.thumbnails import Pool, Shade, shades
from attention.sites import SiteRun
from attention.ui.arrays import fixed
from attention.ui.components.head_sheet import side_for

OnLayer = Callable[[int, int], None]


@dataclass(frozen=True)
class Drawn:
    """How the sheet of heads is drawn.

    Attributes:
        words: Whether the pieces of a word are put together.
        pool: Which weight of a block stands for it where a square has fewer cells than the head.
        shade: Whether the last shade is a weight of 1 in every square, or the largest of each.
    """

    words: bool = False
    pool: Pool = "max"
    shade: Shade = "shared"


PLAIN = Drawn()


@dataclass(frozen=True, eq=False, kw_only=True)
class Sheet:
    """All heads of one kind of attention of a run.

    Attributes:
        shades: All heads' weights, [layer head row column], pooled and small enough to send.
        entropies: Mean entropy of each head's rows, in nats, without those of padding.
        strongest: Each head's largest weight, [layer][head], by row and column; of words where they are put
            together.
    """

    shades: NDArray[np.uint8]
    entropies: NDArray[np.floating[Any]]
    strongest: tuple[tuple[Strongest, ...], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Overview(Sheet):
    """The sheet between tokens, and what was checked on the way.

    Attributes:
        row_sum_deviation: How far any row of weights is from summing to 1.
        visible_difference: The largest difference between the forward pass and the visible steps.
    """

    row_sum_deviation: float
    visible_difference: float


def units_of(tokens: tuple[Token, ...], words: bool) -> Units:
    """The positions of each word's pieces; one each where pieces are not put together."""
    return groups(tokens) if words else tuple((at,) for at in range(len(tokens)))


def make_overview(of: SiteRun, on_layer: OnLayer | None = None) -> Overview:
    """Go through all layers; at no time is there more of a matrix than a strip.

    Args:
        of: One kind of attention of a run.
        on_layer: Called with (layers done, layers in all) before each; an exception from it ends the work.
    """
    seen, checked = [], []
    for layer, found in _glances(of, PLAIN, on_layer):
        seen.append(found)
        sums = checks.row_sum_deviation_in(of.trace(layer))
        checked.append((sums, checks.visible_difference_in(of, layer)))
    deviations, differences = zip(*checked, strict=True)
    return Overview(
        **_together(seen, PLAIN.shade),
        row_sum_deviation=checks.largest(deviations),
        visible_difference=checks.largest(differences),
    )


def make_sheet(of: SiteRun, drawn: Drawn, on_layer: OnLayer | None = None) -> Sheet:
    """The same without the checks, drawn as the reader wants it."""
    return Sheet(**_together([found for _, found in _glances(of, drawn, on_layer)], drawn.shade))


def _glances(of: SiteRun, drawn: Drawn, on_layer: OnLayer | None) -> Iterator[tuple[int, Glance]]:
    side = side_for(of.n_layers * of.n_heads)
    queries, keys = (units_of(tokens, drawn.words) for tokens in (of.queries, of.keys))
    for layer in range(of.n_layers):
        if on_layer is not None:
            on_layer(layer, of.n_layers)
        trace, n_real = of.trace(layer), of.stack.n_real
        yield layer, glance(trace, queries, keys, side=side, how=drawn.pool, n_real=n_real)


def _together(layers: list[Glance], shade: Shade) -> dict[str, Any]:
    """The fields of a sheet."""
    return {
        "shades": fixed(np.stack([shades(layer.blocks, shade) for layer in layers])),
        "entropies": fixed(np.stack([layer.entropies.numpy() for layer in layers])),
        "strongest": tuple(layer.strongest for layer in layers),
    }
