"""Everything the page draws, for one view and one set of choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.analysis.measure import Measure
from attention.analysis.measured import Measured
from attention.analysis.whole_words import Units, merge_allowed, merge_words
from attention.run import Run
from attention.sites import Site, SiteRun
from attention.ui import cache
from attention.ui import scene as explore
from attention.ui.facts import of_model
from attention.ui.heads.choices import HeadsChoices
from attention.ui.heads.found import Source
from attention.ui.overview import Sheet
from attention.ui.view import ViewState
from attention.ui.whole_words import unit_labels

Head = tuple[int, int]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadsScene:
    """One view of all heads, worked out.

    Attributes:
        explored: The view as Explore would show it, without what the model or the sentence does not have.
        choices: The page's own choices.
        source: Which attention is measured.
        run: Its run.
        units: Which positions make a row and a column of what is shown.
        labels: Their names.
        found: Every head, measured.
        sheet: Every head's weights as a small picture, and its strongest pair.
    """

    explored: explore.Scene
    choices: HeadsChoices
    source: Source
    run: Run
    units: Units
    labels: tuple[str, ...]
    found: Measured
    sheet: Sheet

    @property
    def view(self) -> ViewState:
        """What all pages share."""
        return self.explored.view

    @property
    def changes(self) -> str:
        """What the reader changed about the model, in words."""
        return self.explored.changes

    @property
    def measure(self) -> Measure:
        """What the heads are compared by."""
        return self.choices.measured_by

    @property
    def chosen(self) -> Head:
        """The chosen head."""
        return self.view.layer, self.view.head

    @property
    def heads(self) -> tuple[Head, ...]:
        """All heads, layer by layer."""
        return tuple((layer, head) for layer in range(self.run.n_layers) for head in range(self.run.n_heads))

    @property
    def by_words(self) -> bool:
        """Whether pieces are put together and there are any to put together."""
        return len(self.units) < len(self.run.tokens)

    @property
    def unit(self) -> str:
        """What one row is called."""
        return "word" if self.view.words else "token"

    @property
    def site(self) -> SiteRun:
        """The attention that is measured."""
        return SiteRun(cache.run(self.source.asked), self.source.site)

    def value(self, head: Head, measure: Measure | None = None) -> float | None:
        """A head's measure; the one they are compared by when none is named."""
        return self.found.value(measure or self.measure, *head)

    def values(self) -> Floats:
        """The measure of every head, [layer head]; NaN where there is none."""
        numbers = [np.nan if (value := self.value(head)) is None else value for head in self.heads]
        return np.array(numbers).reshape(self.run.n_layers, self.run.n_heads)

    def ranked(self) -> tuple[Head, ...]:
        """All heads from the highest value down; those that cannot be measured last."""
        return tuple(sorted(self.heads, key=self._rank))

    def _rank(self, head: Head) -> tuple[float, Head]:
        value = self.value(head)
        return (float("inf") if value is None else -value), head


def worked_out(
    shown: explore.Scene, choices: HeadsChoices, source: Source, of_heads: tuple[Measured, Sheet]
) -> HeadsScene:
    """The page for a view that Explore would show.

    Args:
        shown: The view, its run and what was changed.
        choices: The page's own choices.
        source: What was measured.
        of_heads: Every head, measured and drawn.
    """
    units = source.pieces.units
    return HeadsScene(
        explored=shown,
        choices=choices,
        source=source,
        run=source.run,
        units=units,
        labels=unit_labels(source.run.tokens, units),
        found=of_heads[0],
        sheet=of_heads[1],
    )


def site_of(view: ViewState) -> Site:
    """The attention that is measured: cross-attention has no row for the token it is looked from."""
    return "encoder" if view.site == "encoder" else "self"


def weights_of(scene: HeadsScene) -> tuple[Floats, NDArray[np.bool_]]:
    """The chosen head's weights as they are to be drawn, and which of them the mask leaves open."""
    one = scene.run.attention(scene.view.layer).head(scene.view.head)
    return merge_words(one.weights[0], scene.units).numpy(), merge_allowed(one.mask, scene.units).numpy()


def facts(scene: HeadsScene) -> Mapping[str, str]:
    """What a file must say to be understood."""
    view = scene.view
    said = of_model(
        scene.run.model, text=view.text, pair=view.pair, site=site_of(view), changes=scene.changes
    )
    return said | {
        "rows and columns": "words, pieces put together" if scene.view.words else "tokens",
        "sample": "one text is one sample",
    }
