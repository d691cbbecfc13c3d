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
from attention.ui.heads import words
from attention.ui.heads.found import MOST_DRAWN
from attention.ui.heads.scene import HeadsScene, facts, weights_of
from attention.ui.navigation import to_explore
from attention.ui.shown import shown
from attention.ui.titles import title

NAME_WIDTH = 225
FRACTIONS = ("mean", "even", "least", "most")


def head(scene: HeadsScene, colours: Palette) -> None:
    """The head's title, the way to Explore, its weights."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        named = title(words.name(scene.chosen), html.escape(scene.changes), kind="line")
        st.html(named, width="content")
        to_explore(scene.view, "Open in Explore")
    _weights(scene, colours)


def measurements(scene: HeadsScene) -> None:
    """All measurements of the chosen head, beside what even weights would have."""
    said = f"{len(scene.units)} {scene.unit}s"
    st.html(title(f"{words.name(scene.chosen)} measured", said, kind="line"))
    columns: dict[str, Any] = {"measure": st.column_config.TextColumn("measure", width=NAME_WIDTH)}
    columns |= {name: st.column_config.NumberColumn(name, format="%.3f") for name in FRACTIONS}
    frame = measures_frame(scene)
    st.dataframe(frame, column_config=columns, hide_index=True, height="content", key="heads.measures")
    st.html(f'<div class="cap">{words.measurements_caption()}</div>')


def measures_frame(scene: HeadsScene) -> pd.DataFrame:
    """All measurements of the chosen head as numbers, so that they sort.

    There is no number where a measure cannot be taken of this text, and where it has no bound.
    """
    bounds = [measure.reach(scene.found.n_keys) for measure in MEASURES]
    return pd.DataFrame(
        {
            "measure": [measure.name for measure in MEASURES],
            "mean": _numbers([scene.value(scene.chosen, measure) for measure in MEASURES]),
            "even": _numbers([scene.found.even(measure, *scene.chosen) for measure in MEASURES]),
            "least": _numbers([low for low, _ in bounds]),
            "most": _numbers([high for _, high in bounds]),
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
        st.html("".join(f'<div class="cap wide">{entry}</div>' for entry in entries))


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
