"""The chosen head: its weights, and everything that is measured of it."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from attention.analysis.measures import MEASURES
from attention.figures.grid import Grid
from attention.figures.theme import Palette
from attention.ui.heads import numbers, words
from attention.ui.heads.found import MOST_DRAWN
from attention.ui.heads.scene import HeadsScene, facts, weights_of
from attention.ui.heads.sheet import choose
from attention.ui.navigation import to_explore
from attention.ui.shown import shown
from attention.ui.titles import title

WIDTHS = {"measure": 204, "mean": 66, "even": 66, "least": 58, "most": 58, "rows": 52}
"""Of the table's columns: room for the longest name, for −8,191 and for 4,095.5."""

NO_NUMBER = "–"


def head(scene: HeadsScene, colours: Palette) -> None:
    """The head's title, the way to Explore, where it stands among all heads, its weights."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        named = title(words.name(scene.chosen), html.escape(scene.changes), kind="line")
        st.html(named, width="content")
        to_explore(scene.view, "Open in Explore")
    _standing(scene)
    _weights(scene, colours)


def _standing(scene: HeadsScene) -> None:
    """What the sheet says of this head, and the way to the one that the measure puts first."""
    with st.container(
        key="standing", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.html(f'<div class="cap">{words.standing(scene)}</div>', width="content")
        first = scene.ranked()[0]
        if scene.value(first) is not None:  # where it is the chosen one too: nothing moves, no focus is lost
            st.button(
                f"Highest: {words.name(first)}",
                key="heads.highest",
                type="tertiary",
                icon=":material/vertical_align_top:",
                on_click=choose,
                args=(first,),
            )


def measurements(scene: HeadsScene) -> None:
    """All measurements of the chosen head, beside what even weights would have."""
    said = f"{len(scene.units)} {scene.unit}s"
    st.html(title(f"{words.name(scene.chosen)} measured", said, kind="line"))
    frame = measures_frame(scene)
    written: Any = dict.fromkeys(("mean", "even"), numbers.in_table)
    written |= dict.fromkeys(("least", "most"), numbers.bound)
    st.dataframe(
        frame.style.format(written, na_rep=NO_NUMBER),
        column_config={name: st.column_config.Column(name, width=width) for name, width in WIDTHS.items()},
        hide_index=True,
        height="content",
        key="heads.measures",
        placeholder=NO_NUMBER,
        alt=f"Every measure of {words.name(scene.chosen)}, beside even weights, bounds and rows that count",
    )
    st.html(f'<div class="cap">{words.measurements_caption()}</div>')


def measures_frame(scene: HeadsScene) -> pd.DataFrame:
    """All measurements of the chosen head as numbers, so that they sort.

    There is no number where a measure cannot be taken of this text.
    """
    bounds = [measure.reach(scene.found.n_keys) for measure in MEASURES]
    return pd.DataFrame(
        {
            "measure": [measure.name for measure in MEASURES],
            "mean": _numbers([scene.value(scene.chosen, measure) for measure in MEASURES]),
            "even": _numbers([scene.found.even(measure, *scene.chosen) for measure in MEASURES]),
            "least": [-math.inf if low is None else low for low, _ in bounds],
            "most": [math.inf if high is None else high for _, high in bounds],
            "rows": [scene.found.counted(measure, scene.view.layer) for measure in MEASURES],
        }
    )


def _numbers(found: Sequence[float | None]) -> list[float]:
    # Rounding leaves 1e-17 below zero where there is none, which would be shown as −0.
    return [math.nan if number is None else round(number, 12) + 0.0 for number in found]


def glossary(scene: HeadsScene) -> None:
    """All measures with their definitions."""
    with st.expander(f"What the {len(MEASURES)} measures are", key="heads.glossary", type="compact"):
        entries = [words.glossary_entry(measure, scene.found.n_keys) for measure in MEASURES]
        st.html("".join(f'<div class="cap wide entry">{entry}</div>' for entry in entries))


def _weights(scene: HeadsScene, colours: Palette) -> None:
    if len(scene.units) > MOST_DRAWN:
        st.html(f'<div class="cap">{words.too_many(scene, MOST_DRAWN)}</div>')
        return
    shown(weights_grid(scene), key="heads-weights", colours=colours, facts=facts(scene), level=3)


def weights_grid(scene: HeadsScene) -> Grid:
    """The chosen head's weights."""
    values, allowed = weights_of(scene)
    largest = float(values.max())
    note = f"pieces put together: {len(scene.units)} words of {len(scene.run.tokens)} tokens"
    return Grid(
        f"Weights of {words.name(scene.chosen)}",
        values=values,
        rows=scene.labels,
        columns=scene.labels,
        row_title="query, looks",
        column_title="key, looked at",
        scale="weights",
        limit=largest if scene.view.sheet_shade == "head" and largest > 0 else 1.0,
        allowed=allowed,
        note=note if scene.by_words else "",
    )
