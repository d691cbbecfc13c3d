"""What shows that the numbers can be trusted: the last thing in the sidebar."""

from __future__ import annotations

import html

import streamlit as st

from attention.figures.numbers import share
from attention.sites import SITES, Site
from attention.ui import long_text
from attention.ui.scene import Scene
from attention.ui.words import KINDS


def checks(scene: Scene) -> None:
    """Row sums, the forward pass against the visible steps, dtype, and which weights these are."""
    model = scene.run.model
    blind = len(scene.sums.blind)
    several = len(scene.run.sites) > 1
    lines = ["Checks on this sentence"]
    for site in (site for site in SITES if site in scene.run.sites):
        lines += [f"<b>{KINDS[site]}</b>"] if several else []
        lines += _of(scene, site)
    lines.append(
        f"{str(model.dtype).removeprefix('torch.')} · {html.escape(model.name)} {html.escape(model.revision)}"
    )
    if blind:
        lines.append(f"{blind} of {len(scene.site.queries)} rows see nothing; they sum to 0")
    st.html(f'<div class="checks">{"<br>".join(lines)}</div>')


def _of(scene: Scene, site: Site) -> tuple[str, ...]:
    overview = long_text.overview_if_made(scene, site)
    if overview is None:
        return ("not checked until all heads are drawn",)
    return (
        f"rows sum to 1 within {share(overview.row_sum_deviation)}",
        f"forward pass and visible steps differ by {share(overview.visible_difference)} at most",
    )
