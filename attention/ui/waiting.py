"""Who has to wait for other long work is told so: beside the bar of what is being made, or on the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from attention.checkpoints.fetch import Progress
from attention.engine.stack import OnLayer
from attention.figures.theme import Palette
from attention.ui.style import page_palette
from attention.ui.turns import Ahead, while_waiting

LAYERS = "Layers"
"""What the bar says of work that goes layer by layer."""

IN_LINE = "Waiting for other long work to end"
SAME = "The same is being made already: waiting for it"
"""What is said where there is nothing to count; it may be another reader's, or one's own just called off."""


@contextmanager
def in_layers(report: Progress, n_layers: int) -> Iterator[OnLayer]:
    """Tell a bar of the layers done, and of the wait before them; for threads without a session.

    Args:
        report: Moves the bar; what it raises ends the work, and the waiting.
        n_layers: Layers in all.
    """
    in_all = 0

    def waited(before: Ahead) -> None:
        nonlocal in_all
        if before == "the same":
            report(SAME, 0, 0)
            return
        in_all = max(in_all, before)
        report(IN_LINE, in_all - before, in_all) if before else report(LAYERS, 0, n_layers)

    report(LAYERS, 0, n_layers)
    with while_waiting(waited):
        yield lambda done, total: report(LAYERS, done, total)


@contextmanager
def on_page() -> Iterator[None]:
    """Tell the reader whose page waits, over the foot of the page, so that nothing on it moves."""
    room = st.empty()

    def waited(before: Ahead) -> None:
        room.html(_note(before, page_palette())) if before else room.empty()

    with while_waiting(waited):
        yield


def _note(before: Ahead, p: Palette) -> str:
    look = (
        "position:fixed;left:50%;bottom:1.2rem;transform:translateX(-50%);z-index:100;padding:.5rem .9rem;"
        f"border-radius:4px;background:{p.panel};color:{p.ink};box-shadow:0 0 0 1px {p.line};font-size:.9rem"
    )
    said = SAME if before == "the same" else f"{IN_LINE}: {before} before this page"
    return f'<div role="status" class="waiting" style="{look}">{said}</div><style>{_OUT_OF_THE_WAY}</style>'


# In the column of the page even what is fixed elsewhere would have its gap.
_OUT_OF_THE_WAY = '[data-testid="stElementContainer"]:has(.waiting){position:absolute}'
