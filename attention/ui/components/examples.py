"""A row of texts to try: one element, since every widget is drawn anew with each answer of the page."""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from attention.figures.strips import colours
from attention.figures.theme import Palette
from attention.ui.components.assets import register
from attention.ui.components.wire import position, told

_HTML = '<div class="root" role="group" aria-label="Examples"></div>\n'
_examples = register("examples", scripts=("examples.js",), styles=("examples.css",), html=_HTML)


class Item(NamedTuple):
    """A button: what stands on it, and what a pointer that rests on it is told."""

    label: str
    title: str


def examples(
    items: Sequence[Item],
    palette: Palette,
    *,
    element_key: str = "examples",
    on_pick: Callable[[int], None] | None = None,
) -> int | None:
    """The row.

    Args:
        items: The buttons.
        palette: The theme.
        element_key: The component's key in the session.
        on_pick: Called with the place of the one that was pressed, before the page reruns.

    Returns:
        The place of the one just pressed, or None.
    """

    def read(value: object) -> int | None:
        return position(value, len(items))

    data = json.dumps({"palette": colours(palette), "items": [item._asdict() for item in items]})
    on_change = told(element_key, "picked", read, on_pick)
    return read(_examples(key=element_key, data=data, on_picked_change=on_change).picked)
