"""What the page says of sparse patterns, from the numbers it shows."""

from __future__ import annotations

from collections.abc import Mapping

from attention.analysis.cost_patterns import Kept
from attention.figures.numbers import percent
from attention.ui.cost.patterns import PATTERNS

NOTHING_SEEN = "No token may see anything in this head: there is no weight that a pattern could keep."


def patterns_caption(every: Mapping[str, Kept]) -> str:
    """Which pattern keeps most weight for its cells."""
    sparse = {name: one for name, one in every.items() if one.cells < 1}
    if not sparse:
        return "At this reach no pattern leaves out a cell that the head’s own mask leaves open."
    best = max(sparse, key=lambda name: sparse[name].weight - sparse[name].chance)
    one = sparse[best]
    return (
        f"Shares are of what the head’s own mask leaves open. On this head {PATTERNS[best].short} does best "
        f"against an even spread: <b>{percent(one.cells, 1)}</b> of the cells hold "
        f"<b>{percent(one.weight, 1)}</b> of the weight, where even rows would put {percent(one.chance, 1)}. "
        f"<b>Notice</b> that another head may want another pattern: change it in the sidebar. One sentence "
        f"is one sample."
    )


def cut_caption(found: Kept) -> str:
    """What the chosen pattern does to the head."""
    return (
        f"{found.n_cells:,} cells are left, <b>{percent(found.cells, 1)}</b>; they hold "
        f"<b>{percent(found.weight, 1)}</b> of the weight ({percent(found.least, 1)} in the row that loses "
        f"most). {_moved(found.moved)}"
    )


def _moved(part: float | None) -> str:
    if part is None:
        return "The head’s output is 0 as it is: how far it moves is not measurable."
    return (
        f"With the rest masked and the rows shared out anew, the head’s output moves "
        f"by <b>{percent(part, 1)}</b> of its length."
    )
