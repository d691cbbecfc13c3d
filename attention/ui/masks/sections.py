"""The page in the order of its story: the gallery, one mask at work, a batch, and [MASK]."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from attention.export.plate import IN_PYTHON
from attention.figures.mask_gallery import MaskGallery, MaskTile
from attention.figures.theme import Palette
from attention.figures.twin import Drawn
from attention.ui.components.mask_gallery import mask_gallery
from attention.ui.facts import of_model
from attention.ui.masks import controls, pictures, plates, words
from attention.ui.masks.patterns import PATTERNS
from attention.ui.masks.scene import MaskScene, thumbnail
from attention.ui.navigation import linked
from attention.ui.shown import FILES, files, shown, twin
from attention.ui.titles import title
from attention.ui.url import write_link
from attention.ui.view import ViewState


def gallery(scene: MaskScene, colours: Palette) -> None:
    """Every mask as a small picture over the reader's tokens, and what the chosen one does."""
    plain = replace(scene.choices, flipped=frozenset(), causal=False)
    n = scene.untouched.n_real
    tiles = (
        MaskTile(name, pattern.title, pattern.note, thumbnail(replace(plain, pattern=name), n))
        for name, pattern in PATTERNS.items()
    )
    every = MaskGallery(tuple(tiles), scene.choices.pattern)
    mask_gallery(every, palette=colours, on_pick=controls.use)
    held = plates.gallery_plate(scene, every)
    with st.container(horizontal=True, vertical_alignment="top"):
        twin(held.picture, held.key)
        files(held, colours, offered=_AS_DRAWN)
    _heading(scene)


_AS_DRAWN = tuple(kind for kind in FILES if kind != "html")
"""It has no hovers, so that a page would say no more than the picture."""


def at_work(scene: MaskScene, colours: Palette) -> None:
    """The matrix, the head's scores and weights, the rows counted, the output compared."""
    left, right = pair("masks-first")
    n_by_hand = len(scene.choices.flipped)
    with left:
        shown(
            pictures.allowed(scene),
            # Another key after each change: a second click on the same cell is then a new one.
            key=f"masks-allowed-{n_by_hand}" if n_by_hand else "masks-allowed",
            colours=colours,
            caption=words.blind(scene),
            how_to=words.editing(scene),
            facts=facts(scene),
            on_pick=controls.flip,
            level=3,
        )
        controls.by_hand(scene)
    with right:
        _shown(scene, pictures.weights(scene), "masks-weights", colours, words.weights_caption(scene))
    left, right = pair("masks-outputs")
    with left:
        _shown(scene, pictures.moved(scene), "masks-output", colours, words.moved_caption(scene))
    with right:
        _shown(scene, pictures.rows(scene), "masks-rows", colours, words.rows_caption(scene))
    left, right = pair("masks-scores")
    with left:
        _shown(scene, pictures.before(scene), "masks-before", colours, words.BEFORE)
    with right:
        _shown(scene, pictures.masked(scene), "masks-masked", colours, words.AFTER)


def facts(scene: MaskScene) -> Mapping[str, str]:
    """What a file of this page says about itself."""
    view = scene.view
    said = of_model(scene.run.model, text=view.text, site=scene.site, layer=view.layer, head=view.head)
    return said | {"mask": plates.mask(scene), IN_PYTHON: repr(scene.rule)}


def pair(key: str) -> tuple[st.delta_generator.DeltaGenerator, st.delta_generator.DeltaGenerator]:
    """Two columns that come to stand one under the other where the page is narrow."""
    with st.container(key=key):
        left, right = st.columns(2, gap="large")
    return left, right


def _heading(scene: MaskScene) -> None:
    said = " · ".join(part for part in (words.count(scene), words.by_hand(scene)) if part)
    chosen = scene.choices.chosen
    name = words.mask_name(scene)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.html(
            f'{title(name, said, kind="line")}<div class="cap">{html.escape(chosen.note)}</div>',
            width="content",
        )
        _way_to_explore(scene.in_explore)


def _way_to_explore(view: ViewState | None) -> None:
    """A link to the same attention in Explore; where there is none, why."""
    if view is None:
        st.html(f'<div class="cap">{words.OPEN_PADDING}</div>', width="content")
        return
    params, too_long = write_link(view)
    if not too_long:
        st.page_link(linked("explore"), label="All its steps", icon=":material/search:", query_params=params)


def _shown(scene: MaskScene, picture: Drawn, key: str, colours: Palette, caption: str) -> None:
    shown(picture, key=key, colours=colours, caption=caption, facts=facts(scene), level=3)
