"""One vector in several states, one under the other, on one scale."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from attention.figures.projection import Side
from attention.figures.strips import Floats, short, themed, vector_strip
from attention.figures.theme import Palette, role_scale

MOST_CELLS = 64


def vector_states(states: Sequence[tuple[str, Floats]], *, side: Side, palette: Palette) -> str:
    """A row of cells a state, with its name before and its length behind.

    Args:
        states: (name, vector) in order; vectors longer than 64 show the strongest entry of each group.
        side: Whose vector it is.
        palette: The theme.
    """
    limit = max(float(np.abs(vector).max()) for _, vector in states) or 1.0
    scale = role_scale(palette, side)
    rows = []
    for name, vector in states:
        length = short(float(np.linalg.norm(vector)))
        label = f"{name}, length {length}"
        strip = vector_strip(
            vector, limit=limit, scale=scale, most=MOST_CELLS, height=16, name=side[0], label=label
        )
        rows.append(
            f'<tr><td class="name">{html.escape(name)}</td><td class="vector">{strip}</td>'
            f'<td class="number">length {length}</td></tr>'
        )
    return themed(palette, f'<table class="mix"><tbody>{"".join(rows)}</tbody></table>')
