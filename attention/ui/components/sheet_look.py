"""How a sheet of heads may look other than as small pictures of weights, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.figures.theme import Scale

Head = tuple[int, int]
HEIGHT = 600
"""Pixels of a sheet: thirty layers must not push what belongs beside them off the screen."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SheetLook:
    """Colours, words and order of a sheet.

    Attributes:
        scale: Colours of the shades; None is the scale of weights.
        texts: What is written in each square where there is room, [layer][head]; for squares of one shade.
        hatched: Heads of which there is nothing to show.
        order: All heads in the order of reading, as many in a row as a layer has; empty is layer by layer.
        marked: Layers that have a ring beside their name; what it means is for the caption to say.
        height: The most pixels the rows share.
    """

    scale: Scale | None = None
    texts: Sequence[Sequence[str]] = ()
    hatched: Sequence[Head] = ()
    order: Sequence[Head] = ()
    marked: Sequence[int] = ()
    height: int = HEIGHT

    def place(self, head: Head, n_heads: int) -> Head:
        """Row and column of a head on the sheet."""
        return divmod(self.order.index(head), n_heads) if self.order else head

    def at(self, place: Head, n_heads: int) -> Head:
        """The head in a row and column of the sheet."""
        return self.order[place[0] * n_heads + place[1]] if self.order else place

    def arranged(self, shades: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The heads' pictures in the order of the sheet."""
        if not self.order:
            return shades
        layers, heads = zip(*self.order, strict=True)
        return shades[list(layers), list(heads)].reshape(shades.shape)

    def words(self, n_layers: int, n_heads: int, notes: Sequence[Sequence[str]]) -> dict[str, Any]:
        """What the script needs besides the pictures: names, notes and texts in the order of the sheet."""
        places = [[self.at((row, at), n_heads) for at in range(n_heads)] for row in range(n_layers)]
        first = [1 + row * n_heads for row in range(n_layers)]
        return {
            "names": [[f"L{layer} H{head}" for layer, head in row] for row in places],
            "rows": [f"{at}." for at in first] if self.order else [f"L{at}" for at in range(n_layers)],
            "columns": [] if self.order else [f"H{at}" for at in range(n_heads)],
            "notes": [[notes[layer][head] for layer, head in row] for row in places],
            "texts": [[self.texts[layer][head] for layer, head in row] for row in places]
            if self.texts
            else [],
            "hatched": sorted(self.place(head, n_heads) for head in self.hatched),
            "marks": [] if self.order else sorted(self.marked),
            "height": self.height,
        }


PLAIN = SheetLook()
"""Thumbnails of weights, layer by layer."""
