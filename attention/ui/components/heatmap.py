"""One head's weights as cells, drawn by the browser: to hover, to click, and to walk with the arrow keys."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attention.figures import frame
from attention.figures.labels import plain_label
from attention.figures.picture import Picture, beside, blind, closed, describe, heights, legend
from attention.figures.strips import colours
from attention.figures.theme import Palette, weight_scale
from attention.ui.components.assets import register
from attention.ui.components.wire import heard, pack, positions, ramp, told

_HTML = '<div class="root"><div class="stage"></div></div>\n'
_heatmap = register(
    "heatmap", scripts=("picking.js", "cells.js", "heatmap.js"), styles=("heatmap.css",), html=_HTML
)

MOST_TO_CLICK = 64
"""Cells a side of which each can be hit with a mouse."""

_MOST_APART = 24
_MOST_WITH_NUMBERS = 14

Pair = tuple[int, int]


def heatmap(
    picture: Picture,
    palette: Palette,
    *,
    element_key: str = "heatmap",
    on_pick: Callable[[Pair], None] | None = None,
    on_release: Callable[[Pair], None] | None = None,
    on_open: Callable[[Pair], None] | None = None,
) -> Pair | None:
    """Queries down, keys across; shade is weight, hatch is what the mask forbids.

    Marks move in the browser at once; the pair follows to Python.

    Args:
        picture: What to draw.
        palette: The theme.
        element_key: The component's key in the session.
        on_pick: Called with row and column of the cell that query and key were moved to.
        on_release: Called with row and column of the cell in focus, when it was chosen again.
        on_open: Called with row and column of the cell that was clicked, where cells are too small to be
            picked one by one.

    Returns:
        Row and column just moved to, or None.
    """

    def read(value: object) -> Pair | None:
        checked = positions(value, *picture.values.shape)
        return None if checked is None else (checked[0], checked[1])

    weights = np.where(picture.allowed, picture.values, np.nan).astype(np.float32)
    shades = np.rint(255 * heights(picture)).astype(np.uint8)
    header = {**_words(picture, palette), "heard": heard(element_key)}
    result = _heatmap(
        key=element_key,
        data=pack(header, {"weights": weights, "shades": shades}),
        on_picked_change=told(element_key, "picked", read, on_pick),
        on_released_change=told(element_key, "released", read, on_release),
        on_opened_change=told(element_key, "opened", read, on_open),
    )
    return read(result.picked)


def _words(picture: Picture, palette: Palette) -> dict[str, Any]:
    """Everything about the picture but its cells."""
    area, longer = frame.frame(picture), max(picture.values.shape)
    sightless = blind(picture)
    keys, queries = picture.key_tokens, picture.query_tokens
    rows, columns = beside(picture)
    return {
        "palette": colours(palette),
        "ramp": ramp(weight_scale(palette)),
        "frame": {side: getattr(area, side) for side in _SIDES},
        "ticks": {
            "query": _ticks(rows, area.height, picture.query),
            "key": _ticks(columns, area.width, picture.key),
        },
        "sizes": {"query": frame.tick_size(len(queries)), "key": frame.tick_size(len(keys))},
        "leaning": frame.leaning(len(keys)),
        "names": {
            "query": _names(queries, picture.query_positions, picture.block[0]),
            "key": _names(keys, picture.key_positions, picture.block[1]),
        },
        "legend": legend(picture),
        "notes": frame.notes(picture),
        "sightless": sightless,
        "closed": [closed(picture, sightless=not sees) for sees in (True, False)],
        "blind": sightless if frame.words_fit(picture) else (),
        "query": picture.query,
        "key": picture.key,
        "apart": longer <= _MOST_APART,
        "numbers": longer <= _MOST_WITH_NUMBERS,
        "opens": longer > MOST_TO_CLICK,
        "label": describe(picture),
    }


_SIDES = ("left", "top", "right", "bottom", "width", "height")


def _ticks(tokens: tuple[str, ...], side: int, focus: int | None) -> list[tuple[int, str]]:
    return [(at, plain_label(tokens[at], frame.LABEL_LIMIT)) for at in frame.ticks(len(tokens), side, focus)]


def _names(tokens: tuple[str, ...], places: tuple[int, ...], block: int) -> list[str]:
    """What a hover calls each token."""
    more = f" and {block - 1} more" if block > 1 else ""
    return [f"{plain_label(token)} ({at}){more}" for token, at in zip(tokens, places, strict=True)]
