"""The steps with every number in its cell; `figures.board` makes the tables, the browser moves the marks."""

from collections.abc import Callable

from attention.ui.components.assets import register
from attention.ui.components.wire import positions, told

_board = register("board", scripts=("board.js",), styles=("board.css",))

Pair = tuple[int, int]


def board(html: str, *, n: int, element_key: str, on_pick: Callable[[Pair], None]) -> None:
    """Show a board and report which pair was picked.

    Args:
        html: What `figures.board` made.
        n: How many tokens it shows.
        element_key: The component's key in the session.
        on_pick: Called with (query, key) before the page reruns.
    """

    def read(value: object) -> Pair | None:
        checked = positions(value, n, n)
        return None if checked is None else (checked[0], checked[1])

    _board(key=element_key, data=html, on_picked_change=told(element_key, "picked", read, on_pick))
