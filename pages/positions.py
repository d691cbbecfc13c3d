"""Positions: how a model knows word order, and what is left when it is taken away."""

import streamlit as st

from attention import AttentionError
from attention.ui import address, availability, concept, controls, state
from attention.ui.positions import alibi, learned, order, relative, rotary, sinusoidal, words
from attention.ui.positions.choices import PAGE, PARTS
from attention.ui.positions.controls import switch
from attention.ui.positions.style import style as own_style
from attention.ui.style import page_palette, style
from attention.ui.words import literal

colours = page_palette()
view = state.current()
choices = PAGE.current()
style(colours, len(view.text.split()))
own_style(colours)
concept.opening("How does the model know word order?", words.LINE)
with st.sidebar:
    # The other parts read no sentence, or one of their own.
    if choices.part == "rotary":
        concept.reading(view)
    else:
        controls.model_choice(view)
model = availability.open_model(view)
PAGE.warnings()
switch("part", "What tells positions apart", choices.part, PARTS)

with st.container(key="positions"):
    try:
        match choices.part:
            case "order":
                order.order(view, choices, colours)
            case "sinusoidal":
                sinusoidal.sinusoids(choices, colours)
            case "learned":
                learned.learned(model, choices, colours)
            case "rotary":
                rotary.turning(model, view, choices, colours)
            case "alibi":
                alibi.alibi(choices, colours)
            case "relative":
                relative.relative(model, choices, colours)
    except AttentionError as error:
        st.error(literal(str(error)), icon=":material/error:")
address.tell(PAGE.write_address(view))
