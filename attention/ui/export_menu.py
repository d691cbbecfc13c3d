"""Take what is on screen away: a picture, a table, every step as arrays, or three lines of Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from attention import export
from attention.export import View
from attention.export.arrays import MOST_JSON_NUMBERS
from attention.figures.head_grid import HeadGrid
from attention.figures.lit_sentence import LitSentence
from attention.figures.neurons import Neurons
from attention.figures.step_strip import StepStrip
from attention.figures.theme import LIGHT, Palette
from attention.ui import long_text, waiting
from attention.ui.components.entering import entering
from attention.ui.export_view import arrays_of, between_tokens, n_numbers, script_of, view_of
from attention.ui.scene import Scene
from attention.ui.subjects import WHAT, What

MOST_NPZ_NUMBERS = 100_000_000
"""About 400 MB; the server holds them twice while it makes the file."""

PICTURES: dict[str, tuple[Callable[..., bytes], str]] = {
    "png": (export.png, "image/png"),
    "svg": (export.svg, "image/svg+xml"),
    "pdf": (export.pdf, "application/pdf"),
    "html": (export.html, "text/html"),
}
HEAD_AS: Mapping[str, str] = {
    "heatmap": "The heatmap",
    "lines": "The lines as drawn",
    "neurons": "The query against every key, by dimension",
    "table": "The table as HTML; PNG, SVG and PDF draw it as a heatmap",
}
OTHERS: Mapping[What, str] = {
    "sentence": "The sentence with its light",
    "steps": "The strip of steps, for the query and key in focus",
    "sheet": "The sheet of all heads",
}


@st.fragment
def export_menu(scene: Scene, colours: Palette) -> None:
    """The menu, filled when it is opened; a file is made when its button is pressed."""
    look: Any = {"icon": ":material/download:", "width": "stretch"}
    # Opened alone, it may have to make anew what the page had made. Said in the popover, it would be cut off.
    with waiting.on_page(), st.popover("Export", key="export.menu", on_change="rerun", **look) as menu:
        if menu.open:
            _menu(scene, colours)
            entering("export.entering")


def _menu(scene: Scene, colours: Palette) -> None:
    what = _what(scene)
    shown = _ground(colours)
    view = view_of(scene, what, shown)
    st.html(f'<div class="cap">{_told(scene, what)}</div>')
    with st.container(horizontal=True, gap="xsmall"):
        for ext, (make, mime) in PICTURES.items():
            _button(view, ext, partial(make, view, palette=shown), mime)
    _numbers(scene, view)
    _links(scene)


def _numbers(scene: Scene, view: View) -> None:
    """Tables and arrays: what has a table of its own gives that, else the head's weights."""
    # Steps are computed between tokens: their file must not say that pieces are put together in it.
    steps = view_of(between_tokens(scene)) if scene.view.words else view
    of_head = replace(steps, subject=None)
    table, whose = tabled(view)
    st.html(f'<div class="cap">{whose} as a table, every step of this layer as arrays</div>')
    with st.container(horizontal=True, gap="xsmall"):
        _button(table, "csv", partial(export.csv, table), "text/csv")
        _arrays(scene, of_head, "npz", export.npz, "application/octet-stream", MOST_NPZ_NUMBERS)
        _arrays(scene, of_head, "json", export.json, "application/json", MOST_JSON_NUMBERS)


def _what(scene: Scene) -> What:
    """Which part of the page; all heads only once they are drawn."""
    drawn = long_text.sheet_if_made(scene) is not None
    chosen: What = st.segmented_control(
        "What",
        [what for what in WHAT if what != "sheet" or drawn],
        default="head",
        required=True,
        format_func=WHAT.__getitem__,
        key="export.what",
        persist_state="session",
    )
    return chosen


def _told(scene: Scene, what: What) -> str:
    """Which picture the buttons give."""
    if what != "head":
        return OTHERS[what]
    return HEAD_AS[scene.view.view]


def tabled(view: View) -> tuple[View, str]:
    """What the table is made of, and what that is called."""
    match view.subject:
        case Neurons():
            return view, "This query by dimension"
        case LitSentence():
            return view, "The sentence"
        case HeadGrid():
            return view, "All heads"
        case StepStrip():
            return view, "The seven steps"
    return replace(view, subject=None), "This head"


def _links(scene: Scene) -> None:
    st.html('<div class="cap">The address bar holds this view: copy it as a link.</div>')
    own = ": the model's own weights, not renormalised" if scene.view.special == "renormalise" else ""
    apart = ", between tokens" if scene.view.words else ""
    st.html(f'<div class="cap">This view in Python{own}{apart}</div>')
    st.code(script_of(scene), language="python", wrap_lines=True)


def _ground(colours: Palette) -> Palette:
    """The colours of the file: the page's, or light ones for paper and slides."""
    if colours.name == "light":
        return colours
    on_white = st.toggle("On white", value=True, key="export.white", persist_state="session")
    return LIGHT if on_white else colours


def _button(view: View, ext: str, make: Callable[[], bytes], mime: str) -> None:
    st.download_button(
        ext.upper(),
        data=make,
        file_name=export.filename(view, ext),
        mime=mime,
        key=f"export-{ext}",
        on_click="ignore",
    )


def _arrays(scene: Scene, view: View, ext: str, make: Callable[[View], bytes], mime: str, most: int) -> None:
    """A button for every step of the layer; one that cannot be pressed where they are too many."""
    numbers = n_numbers(scene)
    if numbers <= most:
        _button(view, ext, lambda: make(replace(view, arrays=arrays_of(scene))), mime)
        return
    n, name = len(scene.site.queries), ext.upper()
    instead = (
        "NPZ holds more." if ext == "json" and numbers <= MOST_NPZ_NUMBERS else "Python has no such limit."
    )
    said = f"The layer's {numbers:,} numbers for {n:,} tokens are too many: {name} is made up to {most:,}."
    st.button(name, disabled=True, help=f"{said} {instead}")
