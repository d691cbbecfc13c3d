"""Masks as small pictures in a row, to choose one from."""

from collections.abc import Callable

import numpy as np

from attention.figures.mask_gallery import MaskGallery
from attention.figures.strips import colours
from attention.figures.theme import Palette
from attention.ui.components.assets import register
from attention.ui.components.wire import pack, position, told

_gallery = register("mask_gallery", scripts=("mask_gallery.js",), styles=("mask_gallery.css",))


def mask_gallery(
    gallery: MaskGallery,
    *,
    palette: Palette,
    element_key: str = "mask-gallery",
    on_pick: Callable[[str], None] | None = None,
) -> None:
    """The gallery, to choose from.

    Args:
        gallery: The masks; none is marked when the chosen one is not among them.
        palette: The theme.
        element_key: The component's key in the session.
        on_pick: Called with the name of a clicked mask before the page reruns.
    """

    def read(value: object) -> str | None:
        at = position(value, len(gallery.tiles))
        return None if at is None else gallery.tiles[at].name

    header = {
        "palette": colours(palette),
        "tiles": [{"name": tile.name, "title": tile.title, "note": tile.note} for tile in gallery.tiles],
        "chosen": gallery.chosen,
        "label": "Masks; choose one",
    }
    arrays = {tile.name: tile.allowed.astype(np.uint8) for tile in gallery.tiles}
    _gallery(
        key=element_key,
        data=pack(header, arrays),
        on_picked_change=told(element_key, "picked", read, on_pick),
    )
