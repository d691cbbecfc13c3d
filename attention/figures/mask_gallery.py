"""Masks as small pictures side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from attention.errors import InputError
from attention.figures.numbers import percent


@dataclass(frozen=True, eq=False)
class MaskTile:
    """One mask of the gallery.

    Attributes:
        name: What the page calls it.
        title: What stands under the picture.
        note: What it does, in a sentence.
        allowed: Who may attend to whom.
    """

    name: str
    title: str
    note: str
    allowed: Bool[np.ndarray, "query key"]

    @property
    def share(self) -> float:
        """Open cells as a share of all."""
        return float(self.allowed.mean())


@dataclass(frozen=True, eq=False)
class MaskGallery:
    """Masks in their order, and the name of the one that is looked at."""

    tiles: tuple[MaskTile, ...]
    chosen: str

    def __post_init__(self) -> None:
        """Refuse a gallery of nothing, and a mask over no token."""
        if not self.tiles or any(not tile.allowed.size for tile in self.tiles):
            raise InputError(f"nothing to draw: {len(self.tiles)} masks, of which one has no cell")


def describe(gallery: MaskGallery) -> str:
    """The gallery in words.

    >>> one = MaskTile("full", "Full", "All may attend to all.", np.ones((2, 2), dtype=bool))
    >>> describe(MaskGallery((one,), "full"))
    'One picture a mask, open cells filled. Full, 2 tokens: 100 % of the cells are open. Full is chosen.'
    """
    said = [_said(tile) for tile in gallery.tiles]
    return " ".join(
        ["One picture a mask, open cells filled.", *said, *_chosen(gallery.tiles, gallery.chosen)]
    )


def _said(tile: MaskTile) -> str:
    return f"{tile.title}, {len(tile.allowed)} tokens: {percent(tile.share)} of the cells are open."


def _chosen(tiles: Sequence[MaskTile], chosen: str) -> list[str]:
    return [f"{tile.title} is chosen." for tile in tiles if tile.name == chosen]
