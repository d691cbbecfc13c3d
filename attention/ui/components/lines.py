"""One head's weights as lines from each query to the keys it looks at."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.figures.labels import plain_label
from attention.figures.strips import colours
from attention.figures.theme import Palette
from attention.ui.components.assets import register
from attention.ui.components.wire import pack, position, told

_lines = register("lines", scripts=("lines.js",), styles=("lines.css",))

Picked = tuple[str, int]


def lines(
    weights: NDArray[np.floating[Any]],
    *,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    query: int | None,
    key: int | None,
    allowed: NDArray[np.bool_],
    palette: Palette,
    element_key: str = "lines",
    on_pick: Callable[[Picked], None] | None = None,
) -> Picked | None:
    """The picture of lines: queries on the left, keys on the right, thicker where more weight goes.

    Args:
        weights: [query key].
        query_labels: Raw tokens of the queries.
        key_labels: Raw tokens of the keys.
        query: The query in focus, whose lines stand out; None where it is not shown.
        key: The key in focus, likewise.
        allowed: [query key]
        palette: The theme.
        element_key: The component's key in the session.
        on_pick: Called with what was picked before the page reruns.

    Returns:
        ("query" or "key", position) if a token was just clicked, else None.
    """
    sizes = {"query": len(query_labels), "key": len(key_labels)}

    def read(value: object) -> Picked | None:
        return _picked(value, sizes)

    header = {
        "palette": colours(palette),
        "query_labels": [plain_label(token) for token in query_labels],
        "key_labels": [plain_label(token) for token in key_labels],
        "query": query,
        "key": key,
        "label": f"Lines from {len(query_labels)} queries to the {len(key_labels)} keys they look at",
    }
    arrays: dict[str, NDArray[Any]] = {
        "weights": weights.astype(np.float32),
        "allowed": allowed.astype(np.uint8),
    }
    on_change = told(element_key, "picked", read, on_pick)
    result = _lines(key=element_key, data=pack(header, arrays), on_picked_change=on_change)
    return read(result.picked)


def _picked(value: object, sizes: dict[str, int]) -> Picked | None:
    match value:
        case [str(side), index] if side in sizes and (at := position(index, sizes[side])) is not None:
            return side, at
    return None
