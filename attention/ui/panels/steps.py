"""The seven steps of the chosen head, with one row followed all the way."""

from __future__ import annotations

from attention.figures.theme import Palette
from attention.ui import state
from attention.ui.between import between_words
from attention.ui.captions import kind, steps_caption
from attention.ui.components.step_strip import step_strip
from attention.ui.panels.tables import steps_table
from attention.ui.scene import Scene
from attention.ui.style import stack
from attention.ui.subjects import strip_of_steps
from attention.ui.titles import title
from attention.ui.whole_words import STEPS_STAY


def steps(scene: Scene, colours: Palette) -> None:
    """The strip of steps; a click on any cell follows another pair."""
    where = " ".join(filter(None, (kind(scene), f"L{scene.view.layer} H{scene.view.head}")))
    said = f"{where}, one row followed all the way"
    between = f" {STEPS_STAY}" if between_words(scene) else ""
    stack(title("Seven steps", said), f'<div class="cap wide">{steps_caption(scene)}{between}</div>')
    strip = strip_of_steps(scene, colours)
    step_strip(strip, on_pick=lambda pair: state.change(query=pair[0], key=pair[1]))
    steps_table(scene)
