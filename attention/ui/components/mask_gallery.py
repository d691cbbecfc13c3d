"""Masks as small pictures in a row, to choose one from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention.figures.strips import colours
from attention.figures.theme import Palette
from attention.ui.components.assets import register
from attention.ui.components.wire import pack, position, told

_gallery = register("mask_gallery", scripts=("mask_gallery.js",), styles=("mask_gallery.css",))


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One mask of the gallery."""

    name: str  # what the page calls it
    title: str  # what stands under the picture
    note: str  # shown on hover
    allowed: NDArray[np.bool_]  # [query key]


def mask_gallery(
    tiles: Sequence[Tile],
    *,
    chosen: str,
    palette: Palette,
    element_key: str = "mask-gallery",
    on_pick: Callable[[str], None] | None = None,
) -> None:
    """The gallery.

    Args:
        tiles: The masks, in order.
        chosen: Name of the one that is looked at; none is marked when it is not among them.
        palette: The theme.
        element_key: The component's key in the session.
        on_pick: Called with the name of a clicked mask before the page reruns.
    """

    def read(value: object) -> str | None:
        at = position(value, len(tiles))
        return None if at is None else tiles[at].name

    header = {
        "palette": colours(palette),
        "tiles": [{"name": tile.name, "title": tile.title, "note": tile.note} for tile in tiles],
        "chosen": chosen,
        "label": "Masks; choose one",
    }
    arrays = {tile.name: tile.allowed.astype(np.uint8) for tile in tiles}
    _gallery(
        key=element_key,
        data=pack(header, arrays),
        on_picked_change=told(element_key, "picked", read, on_pick),
    )
