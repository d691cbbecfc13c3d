"""Explore: a sentence, its tokens, the sheet of heads, one head, its steps, one number."""

from functools import partial

import streamlit as st

from attention import AttentionError
from attention.ui import address, availability, controls, long_text, state
from attention.ui.export_menu import export_menu
from attention.ui.panels import cell, checks, heads, matrix, next_tokens, sentence, steps, strip, target
from attention.ui.scene import Scene, read_before, scene
from attention.ui.style import page_palette, style

colours = page_palette()
view = state.current()
style(colours, len(view.text.split()))
top = st.container()


def opening() -> None:
    """What is there even when the sentence cannot be read."""
    with top:
        sentence.brand()
        sentence.sentence(view, colours)
    with st.sidebar:
        controls.model_choice(view)


on_screen = read_before(view)
if not on_screen:
    opening()
model = availability.open_model(view)
target.target(view, model)


def draw(shown: Scene) -> None:
    """The page below the sentence, in the order of the story; what the eye goes to first is sent first."""
    target.written(shown)
    strip.strip(shown, colours)
    with st.container(key="pair"):
        left, right = st.columns([5, 6], gap="large")
        with right:
            matrix.matrix(shown, colours)
        with left:
            heads.heads(shown, colours)
    if on_screen:
        opening()
    with st.sidebar:
        controls.controls(shown)
        export_menu(shown, colours)
        checks.checks(shown)
    steps.steps(shown, colours)
    cell.projections(shown, colours)
    cell.cell(shown, colours)
    next_tokens.next_tokens(shown)


try:
    with target.writing(view, model):
        # Who reloads while it is read is told at least that the link had no room for the sentence.
        shown = scene(view, partial(long_text.read, on_wait=lambda: state.write_address(view)))
except AttentionError as error:
    if on_screen:
        opening()
    address.tell(state.write_address(view))
    sentence.refusal(view, error)
    st.stop()

state.settle(shown.view, shown.told)
sentence.link_warnings(state.told())
address.tell(state.write_address(shown.view))
draw(shown)
