"""All heads on one sheet, and what the chosen one does with the sentence."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from attention.analysis.checks import cosine_distances
from attention.analysis.head_sums import HeadSums
from attention.analysis.strips import Strongest
from attention.figures.labels import numbered
from attention.figures.numbers import signed
from attention.figures.theme import Palette
from attention.sites import SiteRun
from attention.ui import cache, long_text, sheets, state
from attention.ui.between import Axis, axes, between_words, strongest_text, word_sums
from attention.ui.captions import kind, local_layers, mixes, reaches, sheet_caption, sink_note, window_note
from attention.ui.components.head_sheet import head_sheet
from attention.ui.components.sheet_look import SheetLook
from attention.ui.overview import Sheet
from attention.ui.panels.sheet_choices import drawn_caption, sheet_choices
from attention.ui.panels.tables import sheet_table
from attention.ui.panels.twins import place_frame, twin
from attention.ui.scene import Scene
from attention.ui.style import stack
from attention.ui.titles import title

MOST_MOVED = 6
LEAST_FULL_BAR = 1e-3


def heads(scene: Scene, colours: Palette) -> None:
    """The sheet, a sentence about the query's row, where the head's weight goes, and what moved."""
    sizes = f"{scene.site.n_layers} layers × {scene.site.n_heads} heads"
    meta = f"{kind(scene)}, {sizes}" if kind(scene) else sizes
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.html(title("All heads", meta, kind="line"), width="content")
        sheet_choices(scene.view, scene.site)
    caption = ""
    if (sheet := long_text.sheet(scene)) is not None:
        _sheet(scene, sheet, colours)
        how = drawn_caption(sheets.drawn(scene.site, scene.view), scene.site)
        caption = f"{sheet_caption(scene, colours.name)} {how}"
    notes = [_caption(note) for note in (caption, sink_note(scene), window_note(scene))]
    shares = word_sums(scene) if between_words(scene) else scene.sums
    stack(notes[0], f'<div class="note">{mixes(scene)}</div>', *notes[1:], _places(scene, shares))
    if shares.places:
        twin(lambda: place_frame(shares.places), "places.table")
    if scene.view.changed:
        _moved(scene)


def _sheet(scene: Scene, sheet: Sheet, colours: Palette) -> None:
    with_pairs = scene.view.sheet_shade == "shared"
    queries, keys = axes(scene)
    head_sheet(
        sheet.shades,
        selected=(scene.view.layer, scene.view.head),
        heads_off=scene.view.heads_off,
        notes=_notes(scene, sheet, (queries, keys)),
        look=SheetLook(marked=local_layers(scene)),
        palette=colours,
        # The tooltip reads weights off the shades, which it cannot where each head has its own scale.
        query_tokens=queries.names if with_pairs else (),
        key_tokens=keys.names if with_pairs else (),
        on_pick=lambda pair: state.change(layer=pair[0], head=pair[1]),
    )
    sheet_table(scene, sheet)


def _caption(said: str) -> str:
    return f'<div class="cap">{said}</div>' if said else ""


def _places(scene: Scene, sums: HeadSums) -> str:
    words = between_words(scene)
    rows_of = "words" if words else "rows"
    n_rows = len(axes(scene)[0].units if words else scene.site.queries)
    blind = len(sums.blind)
    if not sums.places:
        return ""
    seeing = f"the {n_rows - blind} {rows_of} of this head that see anything"
    counted = seeing if blind else f"all {n_rows} {rows_of} of this head"
    one = "word" if words else "token"
    own = "" if scene.crossing else f"; what a {one} gives itself counts under “itself” alone"
    caption = f"Where {counted} put their weight{own}"
    rows = [(html.escape(part.place), part.share, 1.0, f"{part.share:.2f}") for part in sums.places]
    return f'<div><div class="cap">{caption}</div>{_bars(rows)}</div>'


def _moved(scene: Scene) -> None:
    """How far the change moved each final vector from the untouched run's."""
    untouched = SiteRun(cache.run(scene.original), scene.view.site).stack
    n = min(scene.site.stack.n_real, untouched.n_real)
    distances = cosine_distances(scene.site.stack.final[:n].double(), untouched.final[:n].double()).numpy()
    names = numbered(scene.query_texts[:n])
    # Rounding moves a vector by 1e-7; the floor keeps that from filling a bar.
    largest = max(float(distances.max()), LEAST_FULL_BAR)
    rows = [
        (f"<bdi>{html.escape(names[at])}</bdi>", float(distances[at]), largest, signed(float(distances[at])))
        for at in np.argsort(-distances, kind="stable")[:MOST_MOVED]
    ]
    some = "" if n <= MOST_MOVED else f", the largest {MOST_MOVED} of {n}"
    caption = f"How far the change moved each final vector (cosine distance{some})"
    st.html(f'<div class="cap">{caption}</div>{_bars(rows, "moved")}')
    table = {"token": names, "cosine distance": distances}
    twin(lambda: pd.DataFrame(table), "moved.table")


def _bars(rows: Sequence[tuple[str, float, float, str]], kind: str = "") -> str:
    cells = "".join(
        f'<span>{name}</span><i style="width:{100 * max(value, 0) / top:.1f}%"></i><span>{number}</span>'
        for name, value, top, number in rows
    )
    return f'<div class="bars {kind}">{cells}</div>'


def _notes(scene: Scene, sheet: Sheet, sides: tuple[Axis, Axis]) -> list[list[str]]:
    """Two lines about each head; where layers see differently far, how far this one does."""
    far = [f" · {words}" if words else "" for words in reaches(scene)]
    return [
        [_note(pair, nats, sides) + far[layer] for pair, nats in zip(pairs, row, strict=True)]
        for layer, (pairs, row) in enumerate(zip(sheet.strongest, sheet.entropies, strict=True))
    ]


def _note(pair: Strongest, nats: float, sides: tuple[Axis, Axis]) -> str:
    if math.isnan(nats):
        return "no row sees anything"
    return f"strongest {strongest_text(pair, *sides)}\nmean entropy {nats / math.log(2):.2f} bits"
