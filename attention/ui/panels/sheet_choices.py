"""How a sheet of heads is drawn: what its last shade is, and which weight of a block stands for it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Literal

import streamlit as st

from attention.figures.thumbnails import Pool, Shade
from attention.sites import SiteRun
from attention.ui import sheets
from attention.ui.choosing import choose_among
from attention.ui.overview import Drawn
from attention.ui.view import ViewState

SHADES: Mapping[Shade, str] = {"shared": "One scale", "head": "Own scales"}
POOLS: Mapping[Pool, str] = {"max": "Largest", "mean": "Mean"}
SHADE_HELP = (
    "What the last shade is. One scale ends at a weight of 1 and keeps all pictures comparable. Own scales "
    "end at the largest weight of each and show the pattern of heads that spread their weight thinly."
)
POOL_HELP = "A cell stands for a block of weights: for the largest of them, or for their mean."


def sheet_choices(view: ViewState, of: SiteRun) -> None:
    """Both choices, in the line of the sheet's title; often there is but one."""
    both = sheets.in_blocks(of, words=view.words)
    with st.container(horizontal=True, gap="small", width="content") if both else nullcontext():
        block_choice(view, of, seen=False)
        _either("sheet_shade", "Scale of the sheet", (SHADES, SHADE_HELP), view.sheet_shade, seen=False)


def block_choice(view: ViewState, of: SiteRun, *, seen: bool) -> None:
    """Which weight of a block stands for it; nothing where a square has a cell for every weight.

    Args:
        view: What is chosen.
        of: The attention that is drawn.
        seen: Whether the label is.
    """
    if sheets.in_blocks(of, words=view.words):
        _either("sheet_pool", "Of a block", (POOLS, POOL_HELP), view.sheet_pool, seen=seen)


def _either(
    field: str, label: str, options: tuple[Mapping[Any, str], str], chosen: str, *, seen: bool
) -> None:
    names, told = options
    visible: Literal["visible", "collapsed"] = "visible" if seen else "collapsed"
    choose_among(field, label, names, chosen, label_visibility=visible, width="content", help=told)


def drawn_caption(how: Drawn, of: SiteRun) -> str:
    """Which of them it is, as the caption says it."""
    end = "a weight of 1 in every square" if how.shade == "shared" else "the largest of each square"
    block = {"max": "the largest weight", "mean": "the mean weight"}[how.pool]
    pooled = f" A cell is {block} of a block." if sheets.in_blocks(of, words=how.words) else ""
    return f"The last shade is {end}.{pooled}"
