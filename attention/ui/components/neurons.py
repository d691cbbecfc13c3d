"""One query against every key, dimension by dimension."""

from collections.abc import Callable

from attention.figures.neurons import Neurons, neurons_table
from attention.figures.theme import Palette
from attention.ui.components.assets import register
from attention.ui.components.wire import position, told

_neurons = register("neurons", scripts=("neurons.js",), styles=("figures.css", "neurons.css"))


def neurons(
    drawn: Neurons,
    *,
    palette: Palette,
    element_key: str = "neurons",
    on_pick: Callable[[int], None] | None = None,
) -> int | None:
    """The table of products and what becomes of them.

    Args:
        drawn: What to show.
        palette: The theme.
        element_key: The component's key in the session.
        on_pick: Called with the row of a chosen key before the page reruns.

    Returns:
        The row just chosen, or None.
    """

    def read(value: object) -> int | None:
        return position(value, len(drawn.key_tokens))

    on_change = told(element_key, "picked", read, on_pick)
    result = _neurons(key=element_key, data=neurons_table(drawn, palette), on_picked_change=on_change)
    return read(result.picked)
