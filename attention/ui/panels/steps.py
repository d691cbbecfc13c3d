"""The seven steps of the chosen head, with one row followed all the way."""

from __future__ import annotations

import streamlit as st

from attention.analysis.shares import output_shares
from attention.figures.numbers import signed
from attention.figures.step_strip import step_strip as make_strip
from attention.figures.theme import Palette
from attention.ui import state
from attention.ui.components.step_strip import step_strip
from attention.ui.panels.tables import steps_table
from attention.ui.scene import Scene
from attention.ui.scene_steps import between_steps, projection_text
from attention.ui.words import steps_caption


def steps(scene: Scene, colours: Palette) -> None:
    """The strip of steps; a click on any cell follows another pair."""
    name = f"L{scene.view.layer} H{scene.view.head}"
    st.html(
        f'<div class="title">Seven steps<span class="m">{name}, one row followed all the way</span></div>'
    )
    st.html(f'<div class="cap wide">{steps_caption(scene)}</div>')
    share = float(output_shares(scene.trace, scene.query)[scene.view.head])
    strip = make_strip(
        scene.head,
        tokens=scene.texts,
        query=scene.query,
        key=scene.key,
        palette=colours,
        scale_text=scene.scale_text,
        weights_limit=_weights_limit(scene),
        between=between_steps(scene),
        share_text=f"{signed(100 * share, 0)} % of output",
        projection_text=projection_text(scene),
        off=scene.view.head in scene.trace.heads_off,
    )
    step_strip(strip, on_pick=lambda pair: state.change(query=pair[0], key=pair[1]))
    steps_table(scene)


def _weights_limit(scene: Scene) -> float:
    """The weight at the end of the colours: the strip shows all tokens, hidden in the picture or not."""
    largest = float(scene.head.weights.max()) if scene.view.range == "head" else 1.0
    return largest if largest > 0 else 1.0
