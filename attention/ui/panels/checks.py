"""What shows that the numbers can be trusted: the last thing in the sidebar."""

from __future__ import annotations

import streamlit as st

from attention.analysis.checks import blind_queries
from attention.figures.numbers import share
from attention.ui import cache
from attention.ui.scene import Scene


def checks(scene: Scene) -> None:
    """Row sums, the forward pass against the visible steps, dtype, and which weights these are."""
    model = scene.run.model
    overview = cache.overview(scene.asked)
    blind = len(blind_queries(scene.trace))
    lines = [
        "Checks on this sentence",
        f"rows sum to 1 within {share(overview.row_sum_deviation)}",
        f"forward pass and visible steps differ by {share(overview.visible_difference)} at most",
        f"{str(model.dtype).removeprefix('torch.')} · {model.name} {model.revision}",
    ]
    if blind:
        lines.append(f"{blind} of {len(scene.run.tokens)} rows see nothing; they sum to 0")
    st.html(f'<div class="checks">{"<br>".join(lines)}</div>')
