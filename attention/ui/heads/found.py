"""What the page has worked out of a run, shared by all sessions in stores bounded by bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from torch import Tensor

from attention.analysis import across
from attention.analysis.likeness import Likeness, nearest
from attention.analysis.measured import Measured, measured
from attention.analysis.reading import Pieces, pieces_of
from attention.analysis.whole_words import Units, merge_allowed, merge_words
from attention.checkpoints.fetch import Progress
from attention.engine.stack import OnLayer
from attention.run import Run
from attention.sites import Site, SiteRun
from attention.ui import cache
from attention.ui.arrays import fixed
from attention.ui.asked import Asked
from attention.ui.heads.choices import Summary
from attention.ui.loading import Loading, Loadings
from attention.ui.stores import Store
from attention.ui.turns import TURNS
from attention.ui.waiting import LAYERS, in_layers

MEASURED_BYTES, SUMMARY_BYTES = 16 * 2**20, 64 * 2**20
MOST_ALIKE, ALIKE_KEPT = 6, 4096

MOST_COMPARED = 2048
"""Rows of the largest matrix that is held whole: at 8,192 each would be 0.5 GB, and a chart takes three."""

MOST_DRAWN = 512
"""Rows and columns of a matrix that is drawn cell by cell."""

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Source:
    """Which attention is measured, and in what units.

    Attributes:
        asked: The run.
        site: Which kind of its attention: "self" or "encoder".
        words: Whether word pieces are put together.
    """

    asked: Asked
    site: Site
    words: bool

    @property
    def run(self) -> Run:
        """The run whose tokens look at one another."""
        return SiteRun(cache.run(self.asked), self.site).stack

    @property
    def pieces(self) -> Pieces:
        """What is known of its tokens."""
        return pieces_of(self.run, words=self.words)


OneOf: TypeAlias = tuple[Source, int, int]
"""Which attention, a layer and a head."""


class _Stores:
    def __init__(self) -> None:
        self.measured = Store[Source, Measured](
            MEASURED_BYTES, _measured_bytes, model=lambda source: source.asked.model
        )
        self.summaries = Store[tuple[Source, Summary], Floats](
            SUMMARY_BYTES, _array_bytes, model=lambda key: key[0].asked.model
        )
        self.alike = Store[OneOf, tuple[Likeness, ...]](
            ALIKE_KEPT, lambda _: 1, model=lambda key: key[0].asked.model
        )
        self.measuring = Loadings[Measured]()
        self.comparing = Loadings[tuple[Likeness, ...]]()

    def measure(self, source: Source, run: Run, on_layer: OnLayer | None) -> Measured:
        """Every head measured, once."""

        def make() -> Measured:
            with TURNS.turn(len(run.tokens)):
                return measured(run, words=source.words, on_layer=on_layer)

        return self.measured.once(source, make)

    def compare(self, key: OneOf, run: Run, pieces: Pieces, on_layer: OnLayer | None) -> tuple[Likeness, ...]:
        """One head compared with all others, once."""

        def make() -> tuple[Likeness, ...]:
            with TURNS.turn(len(run.tokens)):
                return nearest(run, key[1], key[2], pieces, MOST_ALIKE, on_layer=on_layer)

        return self.alike.once(key, make)


@st.cache_resource(show_spinner=False)
def _stores() -> _Stores:
    return _Stores()


def heads_measured(source: Source, on_layer: OnLayer | None = None) -> Measured:
    """Every head measured.

    Args:
        source: What is measured.
        on_layer: Called with (layers done, layers in all) when it is not yet known.
    """
    return _stores().measure(source, source.run, on_layer)


def found_measured(source: Source) -> Measured | None:
    """Measurements that are kept; None where they would have to be taken."""
    return _stores().measured.find(source)


def begin_measured(source: Source) -> Loading[Measured]:
    """Measurements on their way, in a thread of their own; whoever asks meanwhile watches the same ones."""
    stores, run = _stores(), source.run

    def make(report: Progress) -> Measured:  # in a thread without a session: no Streamlit in here
        with in_layers(report, run.n_layers) as on_layer:
            return stores.measure(source, run, on_layer)

    return stores.measuring.join(source, LAYERS, make)


def summed_up(source: Source, summary: Summary) -> Floats:
    """All heads of all layers as one matrix; "received" is the mean's columns and has the mean's."""
    run, units = source.run, source.pieces.units

    def make() -> Floats:
        with TURNS.turn(len(run.tokens)):
            return fixed(_SUMMARIES[summary](run, units).numpy())

    return _stores().summaries.once((source, summary), make)


def heads_alike(source: Source, layer: int, head: int) -> tuple[Likeness, ...]:
    """The heads whose weights are most like one head's on this text, nearest first."""
    return _stores().compare((source, layer, head), source.run, source.pieces, None)


def found_alike(source: Source, layer: int, head: int) -> tuple[Likeness, ...] | None:
    """The same where it is kept; None where they would have to be compared."""
    return _stores().alike.find((source, layer, head))


def begin_alike(source: Source, layer: int, head: int) -> Loading[tuple[Likeness, ...]]:
    """The same on its way, in a thread of its own."""
    stores, run, pieces = _stores(), source.run, source.pieces

    def make(report: Progress) -> tuple[Likeness, ...]:  # as above
        with in_layers(report, run.n_layers) as on_layer:
            return stores.compare((source, layer, head), run, pieces, on_layer)

    return stores.comparing.join((source, layer, head), LAYERS, make)


def allowed_anywhere(source: Source) -> NDArray[np.bool_]:
    """Which keys a query may see in at least one layer."""
    run = source.run
    masks = [run.attention(layer).mask for layer in range(run.n_layers)]
    seen = masks[0].clone()
    for mask in masks[1:]:
        seen |= mask
    return fixed(merge_allowed(seen, source.pieces.units).numpy())


def _mean(run: Run, units: Units) -> Tensor:
    return merge_words(across.mean_over_heads(across.layers_of(run)), units)


def _largest(run: Run, units: Units) -> Tensor:
    # Words first: largest weights on the pieces of a word may come from different heads, and add up to more.
    return across.largest_over_heads(merge_words(weights, units) for weights in across.layers_of(run))


def _rollout(run: Run, units: Units) -> Tensor:
    return merge_words(across.rollout(across.layers_of(run)), units)


def _even_rollout(run: Run, units: Units) -> Tensor:
    return merge_words(across.rollout(across.even_layers_of(run)), units)


_SUMMARIES: dict[Summary, Callable[[Run, Units], Tensor]] = {
    "mean": _mean,
    "max": _largest,
    "rollout": _rollout,
    "even": _even_rollout,
    "received": _mean,
}


def _array_bytes(kept: NDArray[Any]) -> int:
    return kept.nbytes


def _measured_bytes(kept: Measured) -> int:
    return kept.values.nbytes + kept.evens.nbytes + kept.rows.nbytes
