"""[MASK] and an attention mask, side by side on one word."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from attention.analysis.mask_token import BothMasks, both_masks, looked_at, mask_token
from attention.figures.labels import numbered, plain_label
from attention.figures.theme import Palette
from attention.ui.chips import label
from attention.ui.masks import pictures, words
from attention.ui.masks.choices import PAGE
from attention.ui.masks.scene import MaskScene
from attention.ui.masks.sections import facts, pair
from attention.ui.shown import shown
from attention.ui.titles import title


def both(scene: MaskScene, colours: Palette) -> None:
    """One word hidden by a mask, and replaced by [MASK]."""
    named = title("[MASK] is a token, not a mask", kind="line")
    st.html(f'{named}<div class="cap">{words.TWO_MASKS}</div>')
    token = mask_token(scene.untouched.model)
    if token is None:
        st.html(f'<div class="note">{html.escape(scene.untouched.model.name)} {words.NO_MASK_TOKEN}</div>')
        return
    names = numbered([label(one) for one in scene.untouched.tokens])
    position = word(scene)
    _choice(names, position)
    made = both_masks(scene.untouched, position, token)
    name = f'<span class="k"><bdi>{html.escape(names[position])}</bdi></span>'
    runs = (scene.untouched, made.hidden, made.replaced)
    st.html(f'<div class="note">{words.both(name, *(looked_at(run, position) for run in runs))}</div>')
    _side_by_side(scene, made, names, colours)


def word(scene: MaskScene) -> int:
    """The chosen word; at first, the first that is no special token."""
    if scene.choices.word is not None:
        return scene.choices.word
    own = [at for at, token in enumerate(scene.untouched.tokens) if not token.special]
    return own[min(1, len(own) - 1)] if own else 0


def _choice(names: Sequence[str], position: int) -> None:
    st.selectbox(
        "Word",
        range(len(names)),
        key=PAGE.held("word", position),
        format_func=lambda at: f"{at} {plain_label(names[at])}",
        width=220,
        on_change=PAGE.take,
        args=("word",),
    )


def _side_by_side(scene: MaskScene, made: BothMasks, names: Sequence[str], colours: Palette) -> None:
    head = pictures.head(scene)
    at = (scene.view.layer, scene.view.head)
    put = [label(token) for token in made.replaced.tokens]
    left, right = pair("masks-both")
    with left:
        picture = pictures.column(
            made.hidden, names, made.position, f"Hidden by an attention mask, {head}", at
        )
        caption = "<b>Notice</b> the hatched column: no row may look there."
        shown(picture, key="masks-hidden", colours=colours, caption=caption, facts=facts(scene), level=3)
    with right:
        picture = pictures.column(
            made.replaced, numbered(put), made.position, f"Replaced by [MASK], {head}", at
        )
        caption = "<b>Notice</b> that the column of [MASK] still gets weight."
        shown(picture, key="masks-replaced", colours=colours, caption=caption, facts=facts(scene), level=3)
