"""Lists of heads with a number and a bar each; a click on a name goes there."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from attention.analysis.likeness import Likeness
from attention.figures.theme import Palette
from attention.ui import long_text
from attention.ui.heads import numbers, words
from attention.ui.heads.found import MOST_COMPARED, begin_alike, found_alike, heads_alike
from attention.ui.heads.scene import Head, HeadsScene
from attention.ui.heads.sheet import choose
from attention.ui.titles import title

MOST_RANKED = 10
COMPARING = long_text.Work("Comparing this head with", 3, "Compare")


@dataclass(frozen=True)
class Ranked:
    """One line of a list.

    Attributes:
        head: The head.
        chosen: Whether it is the one the page shows.
        number: What is said of it.
        share: How long its bar is, 0 to 1.
        below_zero: Whether the number is negative.
    """

    head: Head
    chosen: bool
    number: str
    share: float
    below_zero: bool = False


def top_ten(scene: HeadsScene, colours: Palette) -> None:
    """The ten heads with the highest values; nothing where no head has one."""
    measured = [head for head in scene.ranked() if scene.value(head) is not None]
    said = f"{MOST_RANKED} of {len(scene.heads)} heads" if len(measured) > MOST_RANKED else "every head"
    if not measured:
        return
    st.html(title("Highest", html.escape(said), kind="line"))
    named = html.escape(scene.measure.name)
    st.html(f'<div class="cap">{named}, from the highest down. A line shows its head.</div>')
    _list("top", _ranked(scene, measured[:MOST_RANKED]), _bar_colour(scene, colours), colours)


def alike(scene: HeadsScene, colours: Palette) -> None:
    """The heads whose weights are most like the chosen one's."""
    st.html(title(f"Heads like {words.name(scene.chosen)}", "nearest first", kind="line"))
    found = _compared(scene)
    if found is None:
        return
    if not found:
        st.html('<div class="cap">There is no other head to compare with on this text.</div>')
        return
    st.html(f'<div class="cap">{words.alike_caption(scene)}</div>')
    rows = [Ranked((one.layer, one.head), False, f"{one.distance:.2f}", one.distance) for one in found]
    _list("alike", rows, colours.text2, colours)


def _compared(scene: HeadsScene) -> tuple[Likeness, ...] | None:
    """The heads most alike; None where the text is too long, or the reader has to be asked first."""
    if len(scene.units) > MOST_COMPARED:
        st.html(f'<div class="cap">{words.too_many_to_compare(scene, MOST_COMPARED)}</div>')
        return None
    if len(scene.run.tokens) <= long_text.SHORT:
        return heads_alike(scene.source, *scene.chosen)
    key = (scene.source, *scene.chosen)
    found = found_alike(*key)
    if found is None:
        long_text.wait_for(key, scene.explored, COMPARING, lambda: begin_alike(*key))
    return found


def _ranked(scene: HeadsScene, heads: Sequence[Head]) -> list[Ranked]:
    values = {head: value for head in heads if (value := scene.value(head)) is not None}
    longest = max(abs(value) for value in values.values()) or 1.0
    return [
        Ranked(
            head, head == scene.chosen, numbers.number(scene.measure, value), abs(value) / longest, value < 0
        )
        for head, value in values.items()
    ]


def _bar_colour(scene: HeadsScene, colours: Palette) -> str:
    return {"weight": colours.beam, "amount": colours.text2, "signed": colours.above}[scene.measure.kind]


def _list(name: str, rows: Sequence[Ranked], above: str, colours: Palette) -> None:
    with st.container(key=f"list-{name}", gap=None):
        for at, row in enumerate(rows):
            _line(name, at, row, colours.below if row.below_zero else above)


def _line(name: str, at: int, row: Ranked, colour: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"row-{name}-{at}"):
        st.button(
            words.name(row.head),
            key=f"rank-{name}-{at}",
            type="tertiary",
            width=64,
            on_click=choose,
            args=(row.head,),
        )
        bar = f'<span><i style="width:{100 * row.share:.1f}%;background:{colour}"></i></span>'
        said = '<span class="unseen">shown now</span>' if row.chosen else ""
        st.html(f'<div class="rank{" chosen" if row.chosen else ""}">{bar}<b>{row.number}</b>{said}</div>')
