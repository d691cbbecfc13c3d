"""One head's weights, or a few heads', as lines from each query to the keys it looks at."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.figures import lines as figure
from attention.figures import lines_words
from attention.figures.labels import plain_label
from attention.figures.lines import Lines
from attention.figures.strips import colours
from attention.figures.theme import Palette
from attention.ui.components.assets import register
from attention.ui.components.wire import pack, position, told

_lines = register("lines", scripts=("lines.js",), styles=("lines.css",))

Picked = tuple[str, int]


def lines(
    drawn: Lines,
    *,
    positions: tuple[tuple[int, ...], tuple[int, ...]],
    palette: Palette,
    element_key: str = "lines",
    on_pick: Callable[[Picked], None] | None = None,
) -> Picked | None:
    """The picture of lines: queries on the left, keys on the right, thicker where more weight goes.

    Args:
        drawn: What to draw.
        positions: Where each query and each key stands in its sequence.
        palette: The theme.
        element_key: The component's key in the session.
        on_pick: Called with what was picked before the page reruns.

    Returns:
        ("query" or "key", row or column of the picture) if a token was just clicked, else None.
    """
    sizes = {"query": len(drawn.query_tokens), "key": len(drawn.key_tokens)}

    def read(value: object) -> Picked | None:
        return _picked(value, sizes)

    header = _words(drawn, palette) | {"positions": dict(zip(("query", "key"), positions, strict=True))}
    arrays: dict[str, NDArray[Any]] = {"lines": figure.table(drawn), "closed": _closed(drawn)}
    on_change = told(element_key, "picked", read, on_pick)
    result = _lines(key=element_key, data=pack(header, arrays), on_picked_change=on_change)
    return read(result.picked)


def _words(drawn: Lines, palette: Palette) -> dict[str, Any]:
    """Everything about the picture that is not a line."""
    rows, locked = figure.rows_of(drawn), drawn.locked
    named = enumerate(lines_words.legend(drawn, palette))
    return {
        "palette": colours(palette),
        "look": figure.constants(),
        "rows": {"pitch": rows.pitch, "size": rows.size, "height": rows.height},
        "strands": [
            {"name": name, "colour": colour, "shift": figure.shift(drawn, at)} for at, (name, colour) in named
        ],
        "tags": {
            "query": [lines_words.tags(drawn, "query", at) for at in range(len(drawn.query_tokens))],
            "key": [lines_words.tags(drawn, "key", at) for at in range(len(drawn.key_tokens))],
        },
        "query_labels": [plain_label(token) for token in drawn.query_tokens],
        "key_labels": [plain_label(token) for token in drawn.key_tokens],
        "query": drawn.query,
        "key": drawn.key,
        "locked": None if locked is None else {"side": locked[0], "index": locked[1]},
        "label": lines_words.describe(drawn),
    }


def _closed(drawn: Lines) -> NDArray[np.uint8]:
    """Which keys the query in focus may not see."""
    if drawn.query is None:
        return np.zeros(len(drawn.key_tokens), np.uint8)
    closed: NDArray[np.uint8] = (~drawn.allowed[drawn.query]).astype(np.uint8)
    return closed


def _picked(value: object, sizes: dict[str, int]) -> Picked | None:
    match value:
        case [str(side), index] if side in sizes and (at := position(index, sizes[side])) is not None:
            return side, at
    return None
