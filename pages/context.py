"""Context: one word in two sentences, its vectors layer by layer, and what each gathered."""

import streamlit as st

from attention import AttentionError
from attention.ui import address, availability, concept, controls, state
from attention.ui.context import drawn, words
from attention.ui.context.choices import PAGE
from attention.ui.context.controls import followed, sentences
from attention.ui.context.parted import parted
from attention.ui.context.style import style as own_style
from attention.ui.style import page_palette, style
from attention.ui.words import literal

colours = page_palette()
view = state.current()
choices = PAGE.current()
style(colours, len(choices.first.split()))
own_style()
concept.opening("Does a word mean the same in another sentence?", words.LINE)
with st.sidebar:
    controls.model_choice(view)
availability.open_model(view)
PAGE.warnings()

with st.container(key="context"):
    sentences(view, choices)
    try:
        found = parted(view.model, choices)
    except AttentionError as error:
        st.error(literal(str(error)), icon=":material/error:")
    else:
        for told in found.told:
            st.warning(literal(told), icon=":material/link_off:")
        drawn.summary(found, choices)
        drawn.lit(found, colours)
        followed(found)
        drawn.curve(found, colours)
        drawn.gathered(found, colours)
        st.html(f'<div class="cap wide">{words.begins(found)} {words.PROSE}</div>')
address.tell(PAGE.write_address(view))
