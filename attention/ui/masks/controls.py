"""The numbers of the chosen mask, the cell to flip, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import streamlit as st

from attention.figures.labels import plain_label
from attention.ui.choosing import choose_head, choose_layer
from attention.ui.mask_text import MOST_NUMBER
from attention.ui.masks.choices import MOST, MOST_BY_HAND, MOST_PADDING, PAGE
from attention.ui.masks.scene import MaskScene


class Number(NamedTuple):
    """One number of a mask, as it is asked for."""

    label: str
    least: int
    most: int
    help: str


BEFORE = Number("Tokens before", 0, MOST, "Itself besides: a config's sliding_window counts one more.")
IN_PATTERN: Mapping[tuple[str, str], Number] = {
    ("sliding-causal", "reach"): BEFORE,
    ("sink", "reach"): BEFORE,
    ("strided", "size"): Number("Stride", 1, MOST, "So many tokens near by, and every so many before."),
}
"""Numbers that one mask takes in a sense of its own."""

NUMBERS: Mapping[str, Number] = {
    "reach": Number("Neighbours a side", 0, MOST, "How many keys it sees beside itself on a side."),
    "step": Number("Step", 1, MOST, "From one neighbour to the next; 1 leaves no gap."),
    "links": Number(
        "Random links a row", 0, MOST, "Keys drawn for a query outside window and global tokens."
    ),
    "seed": Number("Seed of the lot", 0, MOST_NUMBER, "Another seed draws other links."),
    "size": Number("Tokens of a block", 1, MOST, "The last block may be shorter."),
    "prefix": Number("Tokens of the prefix", 0, MOST, "Open to every token."),
    "pad": Number("Padding tokens", 1, MOST_PADDING, "Added at the end of the sentence."),
}


def sidebar(scene: MaskScene) -> None:
    """Layer and head, and the numbers of the mask."""
    layer, head = st.columns(2, gap="small")
    with layer:
        choose_layer(scene.view.layer, scene.run.n_layers)
    with head:
        choose_head(scene.view.head, scene.run.n_heads)
    numbers(scene)


def numbers(scene: MaskScene) -> None:
    """The numbers that the chosen mask has."""
    choices = scene.choices
    for name in choices.chosen.numbers:
        if name == "tokens":
            _tokens(scene)
        else:
            _number(name, IN_PATTERN.get((choices.pattern, name), NUMBERS[name]), getattr(choices, name))
    if not choices.chosen.causal:
        st.toggle(
            "Causal too",
            key=PAGE.held("causal", choices.causal),
            help="Blocks what comes later as well.",
            on_change=PAGE.take,
            args=("causal",),
        )


def by_hand(scene: MaskScene) -> None:
    """For the keyboard: the cell to flip, by name; a whole row; and everything back."""
    n = len(scene.names)
    if n > MOST_BY_HAND:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="masks-by-hand"):
        query = st.selectbox("Query", range(n), scene.query or 0, format_func=_name(scene), width=130,
                             key=f"masks.row.{scene.query}")  # fmt: skip
        key = st.selectbox("Key", range(n), format_func=_name(scene), width=130, key="masks.column")
        st.button("Flip this cell", on_click=flip, args=(query, key))
        sees = bool(scene.allowed[query].any())
        blind = None if sees else "This row sees nothing already: there is nothing to block."
        st.button("Block this row", disabled=not sees, help=blind, on_click=_block_row, args=(scene, query))
        # Always there, so that nothing below it moves with the first click.
        none = not scene.choices.flipped
        st.button(
            "Put the cells back", icon=":material/undo:", type="tertiary", disabled=none, on_click=_undo
        )


def flip(query: int, key: int) -> None:
    """Open a blocked cell, or block an open one."""
    PAGE.change(flipped=PAGE.current().flipped ^ {(query, key)}, query=query)


def _block_row(scene: MaskScene, query: int) -> None:
    """Block what is open in a row."""
    cells = {(query, int(key)) for key in scene.allowed[query].nonzero()[0]}
    PAGE.change(flipped=scene.choices.flipped ^ cells, query=query)


def _undo() -> None:
    PAGE.change(flipped=frozenset())


def use(pattern: str) -> None:
    """Choose a mask of the gallery, without what was changed by hand in the one before."""
    PAGE.change(pattern=pattern, flipped=frozenset(), query=None)


def _name(scene: MaskScene) -> Callable[[int], str]:
    return lambda at: f"{at} {plain_label(scene.names[at])}"


def _number(name: str, asked: Number, value: int) -> None:
    st.number_input(
        asked.label,
        value=None,
        min_value=asked.least,
        max_value=asked.most,
        step=1,
        key=PAGE.held(name, value),
        help=asked.help,
        on_change=PAGE.take_number,
        args=(name,),
    )


def _tokens(scene: MaskScene) -> None:
    st.multiselect(
        "Global tokens",
        range(scene.untouched.n_real),
        key=PAGE.held("tokens", sorted(scene.choices.tokens)),
        format_func=_name(scene),
        placeholder="none",
        on_change=PAGE.take,
        args=("tokens", frozenset),
    )
