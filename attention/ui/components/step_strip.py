"""One head's steps in a row, drawn by the browser; what they hold comes from `figures.step_strip`."""

from collections.abc import Callable

from attention.figures.step_strip import StepStrip
from attention.ui.components.assets import register
from attention.ui.components.wire import heard, pack, positions, told

_steps = register(
    "step_strip",
    scripts=("picking.js", "cells.js", "step_layout.js", "step_paint.js", "step_strip.js"),
    styles=("step_strip.css",),
)

Pair = tuple[int, int]


def step_strip(
    strip: StepStrip, *, element_key: str = "steps", on_pick: Callable[[Pair], None] | None = None
) -> Pair | None:
    """The strip of steps.

    Args:
        strip: What to draw.
        element_key: The component's key in the session.
        on_pick: Called with (query, key) before the page reruns.

    Returns:
        The query and key just picked, or None.
    """

    def read(value: object) -> Pair | None:
        checked = positions(value, strip.header["n_queries"], strip.header["n_keys"])
        return None if checked is None else (checked[0], checked[1])

    header = {**strip.header, "heard": heard(element_key)}
    on_change = told(element_key, "picked", read, on_pick)
    result = _steps(key=element_key, data=pack(header, strip.arrays), on_picked_change=on_change)
    return read(result.picked)
