"""The chosen head: its weights, and everything that is measured of it."""

from __future__ import annotations

import html

import streamlit as st

from attention.analysis.measure import Measure
from attention.analysis.measures import MEASURES
from attention.figures.heatmap import heatmap, size
from attention.figures.picture import describe
from attention.figures.theme import Palette
from attention.ui.heads import words
from attention.ui.heads.found import MOST_DRAWN
from attention.ui.heads.scene import HeadsScene, picture

EXPLORE = "../../pages/explore.py"


def head(scene: HeadsScene, colours: Palette) -> None:
    """The head's title, the way to Explore, its heatmap and its measurements."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        said = html.escape(scene.changes)
        title = f'{words.name(scene.chosen)}<span class="m">{said}</span>'
        st.html(f'<div class="title line">{title}</div>', width="content")
        st.page_link(EXPLORE, label="Open in Explore", icon=":material/search:", width="content")
    _heatmap(scene, colours)


def measurements(scene: HeadsScene) -> None:
    """All measurements of the chosen head, beside what even weights would have."""
    st.html(
        f'<div class="title line">{words.name(scene.chosen)} measured'
        f'<span class="m">{len(scene.units)} {scene.unit}s</span></div>'
    )
    rows = "".join(_row(scene, measure) for measure in MEASURES)
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("mean", "even", "range", "rows"))
    st.html(
        f'<table class="measures"><thead><tr><th scope="col">measure</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
    st.html(f'<div class="cap">{words.measurements_caption()}</div>')


def _heatmap(scene: HeadsScene, colours: Palette) -> None:
    if len(scene.units) > MOST_DRAWN:
        st.html(f'<div class="cap">{words.too_many(scene, MOST_DRAWN)}</div>')
        return
    drawn = picture(scene)
    st.plotly_chart(
        heatmap(drawn, colours),
        theme=None,
        width=size(drawn)[0],
        config={"displayModeBar": False},
        key=f"heads-heatmap-{scene.view.layer}-{scene.view.head}",
        alt=describe(drawn),
    )


def _row(scene: HeadsScene, measure: Measure) -> str:
    value = scene.value(scene.chosen, measure)
    even = scene.found.even(measure, *scene.chosen)
    on = ' class="on"' if measure is scene.measure else ""
    title = html.escape(f"{measure.says} {measure.formula}")
    return (
        f'<tr{on}><th scope="row" title="{title}">{html.escape(measure.name)}</th>'
        f"<td><b>{words.number(measure, value)}</b></td>"
        f'<td class="q">{words.number(measure, even)}</td>'
        f'<td class="q">{words.limits(measure, scene.found.n_keys)}</td>'
        f'<td class="q">{scene.found.counted(measure, scene.view.layer)}</td></tr>'
    )
