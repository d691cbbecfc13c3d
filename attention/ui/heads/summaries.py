"""The whole model in one picture, each way of summing up named for what it is."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention.analysis.across import each_received
from attention.figures.chart import Axis, Chart, Mark, Series
from attention.figures.grid import Grid
from attention.figures.theme import Palette
from attention.ui.heads import words
from attention.ui.heads.choices import PAGE, Summary
from attention.ui.heads.found import MOST_COMPARED, MOST_DRAWN, allowed_anywhere, summed_up
from attention.ui.heads.scene import HeadsScene, facts, weights_of
from attention.ui.shown import shown
from attention.ui.titles import title

MOST_NAMED = 40
"""Tokens whose names stand under a chart, or every other one where there is no room for all."""


def whole_model(scene: HeadsScene, colours: Palette) -> None:
    """The choice of summary, and the summary."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.html(title("The whole model", kind="line"), width="content")
        st.segmented_control(
            "Summary",
            list(words.SUMMARIES),
            key=PAGE.held("summary", scene.choices.summary),
            format_func=words.SUMMARIES.__getitem__,
            required=True,
            label_visibility="collapsed",
            width="content",
            on_change=PAGE.take,
            args=("summary",),
        )
    most = MOST_COMPARED if scene.choices.summary == "received" else MOST_DRAWN
    if len(scene.units) > most:
        st.html(f'<div class="cap">{words.too_many(scene, most)}</div>')
        return
    drawn = received(scene) if scene.choices.summary == "received" else summary_grid(scene)
    caption = words.summary_caption(scene)
    key = f"heads-{scene.choices.summary}"
    shown(drawn, key=key, colours=colours, caption=caption, facts=facts(scene), level=3)


def summary_grid(scene: HeadsScene) -> Grid:
    """A summary that has a row a query."""
    summary: Summary = scene.choices.summary
    rolled = summary in ("rollout", "even")
    values = summed_up(scene.source, summary)
    own_end = scene.view.sheet_shade == "head" and float(values.max()) > 0
    return Grid(
        f"{words.SUMMARY_TITLES[summary]}, {scene.run.n_layers} layers × {scene.run.n_heads} heads",
        values=values,
        rows=scene.labels,
        columns=scene.labels,
        row_title="last position" if rolled else "query, looks",
        column_title="input token" if rolled else "key, looked at",
        scale="weights",
        limit=float(values.max()) if own_end else 1.0,
        allowed=values > 0 if rolled else allowed_anywhere(scene.source),
    )


def received(scene: HeadsScene) -> Chart:
    """What each token is given by the queries that may see it: by all heads, by the chosen one, if even.

    A long text has neither room for names nor, beside a token that is given most, for bars that can be told
    apart: it gets positions and a logarithmic axis.
    """
    anywhere, places = allowed_anywhere(scene.source), range(len(scene.units))
    name, mean = words.name(scene.chosen), summed_up(scene.source, "received")
    short, real = len(places) <= MOST_NAMED, _real(scene)
    mark: Mark = "bars" if short else "both"
    return Chart(
        "Weight received per query that may see the token",
        Axis("key, looked at", labels=scene.labels) if short else Axis(f"key, looked at: which {scene.unit}"),
        Axis("mean weight received", log=not short),
        (
            Series("all heads", places, each_received(mean, anywhere, real), "weight", mark),
            Series(name, places, each_received(*weights_of(scene), real), "ink", "points"),
            Series("even weights", places, each_received(None, anywhere, real), "text2", "line", dashed=True),
        ),
    )


def _real(scene: HeadsScene) -> np.ndarray:
    """Which rows are no padding: what padding gives is nothing the text gives."""
    return np.array([unit[0] < scene.run.n_real for unit in scene.units])
