"""The chosen head as lines, with a few others beside it: whose, how many, and between which sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from attention.figures.lines import BLOCKS, MOST_HEADS, Block, Lines, n_left_out
from attention.figures.picture import Picture
from attention.figures.theme import Palette
from attention.ui import state
from attention.ui.components.lines import Picked
from attention.ui.components.lines import lines as component
from attention.ui.scene import Scene
from attention.ui.subjects import lines

MASSES = (50, 75, 90, 95, 99, 100)
NAMES: Mapping[Block, str] = {
    "all": "all lines",
    "aa": "first looks at first",
    "ab": "first looks at second",
    "ba": "second looks at first",
    "bb": "second looks at second",
}


def lines_view(scene: Scene, drawn: Picture, colours: Palette) -> None:
    """The choices, the lines, and how to read them."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="lines-choices"):
        _beside(scene)
        _mass(scene)
        if scene.view.pair:
            _block(scene)
    picture = lines(scene, drawn)
    component(
        picture,
        positions=(drawn.query_positions, drawn.key_positions),
        palette=colours,
        on_pick=lambda picked: _pick(picked, picture, drawn),
    )
    st.html(f'<div class="cap">{_caption(picture)}</div>')


def _beside(scene: Scene) -> None:
    others = [head for head in range(scene.site.n_heads) if head != scene.view.head]
    st.multiselect(
        "Heads beside it",
        others,
        key=state.held("lines_heads", sorted(scene.view.lines_heads - {scene.view.head})),
        format_func="H{}".format,
        placeholder="none",
        max_selections=MOST_HEADS - 1,
        help=f"Other heads of this layer in the same picture: up to {MOST_HEADS} in all, each in its colour.",
        on_change=state.take,
        args=("lines_heads", lambda heads: {"lines_heads": frozenset(heads)}),
    )


def _mass(scene: Scene) -> None:
    chosen = scene.view.lines_mass
    st.selectbox(
        "Of each row",
        sorted({*MASSES, chosen}),
        key=state.held("lines_mass", chosen),
        format_func=lambda percent: "every weight" if percent == 100 else f"largest {percent} %",
        width=150,
        help="The largest weights of a row, as few as hold this share of it, have a line. A limit on the "
        "single weight would leave rows that spread their weight without any.",
        on_change=state.take,
        args=("lines_mass", lambda percent: {"lines_mass": percent}),
    )


def _block(scene: Scene) -> None:
    st.selectbox(
        "Sentences",
        list(BLOCKS),
        key=state.held("lines_block", scene.view.lines_block),
        format_func=lambda block: BLOCKS[block].replace(" ", "\u00a0"),
        width=110,
        help="; ".join(f"{BLOCKS[block]}: {name}" for block, name in NAMES.items()),
        on_change=state.take,
        args=("lines_block", lambda block: {"lines_block": block}),
    )


def _pick(picked: Picked, picture: Lines, drawn: Picture) -> None:
    """Lock a token's lines; chosen again it lets go, and all lines are seen alike."""
    side, at = picked
    if picture.locked == (side, at):
        state.change(lines_lock="none")
        return
    positions = drawn.query_positions if side == "query" else drawn.key_positions
    fields: dict[str, Any] = {side: positions[at], "lines_lock": side}
    state.change(**fields)


def _caption(picture: Lines) -> str:
    """What the lines are, and what to notice."""
    several = len(picture.strands) > 1
    told = " Heads are named where their heaviest line ends." if several and picture.locked else ""
    how = "Hover a word to see its lines alone; choose it to keep them, again to let go."
    notice = (
        "<b>Notice</b> whether the heads go to the same words."
        if several
        else "<b>Notice</b> whether a word’s lines run together or apart."
    )
    count = n_left_out(picture)
    left = f" {count:,} light lines are left out." if count else ""
    return f"The thicker a line, the larger its weight.{told} {how} {notice}{left}"
