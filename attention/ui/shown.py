"""A chart or a grid on a page, always with its words, its table and its files."""

from __future__ import annotations

import html
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from attention.export import plate
from attention.export.plate import Plate
from attention.figures.chart import Chart
from attention.figures.chart_figure import chart_figure
from attention.figures.grid import Grid
from attention.figures.grid_figure import grid_figure
from attention.figures.grid_frame import grid_frame
from attention.figures.labels import visible
from attention.figures.numbers import measured
from attention.figures.theme import LIGHT, Palette
from attention.figures.twin import Drawn, describe, notes, table
from attention.ui.components.entering import entering
from attention.ui.titles import Level, title

Pick = Callable[[int, int], None]

_TALL = 16
_MOST_WRITTEN = 50_000  # cells; beyond, the browser writes the numbers its own way
FILES: Mapping[str, tuple[Callable[..., bytes], str]] = {
    "png": (plate.png, "image/png"),
    "svg": (plate.svg, "image/svg+xml"),
    "pdf": (plate.pdf, "application/pdf"),
    "html": (plate.html, "text/html"),
    "csv": (plate.csv, "text/csv"),
    "npz": (plate.npz, "application/octet-stream"),
    "json": (plate.json, "application/json"),
}
_PICTURES = ("png", "svg", "pdf", "html")
NUMBERS = tuple(ext for ext in FILES if ext not in _PICTURES)
"""Files of a table that is no picture."""


def shown(
    picture: Chart | Grid,
    *,
    key: str,
    colours: Palette,
    caption: str = "",
    how_to: str = "",
    facts: Mapping[str, str] | None = None,
    on_pick: Pick | None = None,
    level: Level = 2,
) -> None:
    """The picture under its title, what to notice below it, its table and its files.

    Args:
        picture: What to draw.
        key: The page and the picture on it, such as "scaling-variance"; once a page, and in the files' names.
        colours: The theme.
        caption: What to notice, a little HTML of the page's own; the reader's words in it go through
            ``safe_label``.
        how_to: What can be done with it on the page, which is no use in a file.
        facts: What a file must say to be understood: model, revision, sentence, seed.
        on_pick: Called with row and column of a cell (up to 64 a side), or with series and point of a chart,
            when one is clicked.
        level: 3 where the picture stands in a section that has a title.
    """
    with st.container(key=f"shown-{key}", gap="xsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.html(title(_text(picture.title), kind="line small", level=level), width="content")
            files(Plate(picture=picture, key=key, facts=facts or {}, caption=caption), colours)
        _drawing(picture, key, colours, on_pick)
        below = " ".join(part for part in (how_to, caption) if part)
        lines = [*map(_text, notes(picture)), *([below] if below else [])]
        if lines:
            st.html(f'<div class="cap">{"<br>".join(lines)}</div>')
        twin(picture, key)


def _text(text: str) -> str:
    return html.escape(visible(text))


def _drawing(picture: Drawn, key: str, colours: Palette, on_pick: Pick | None) -> None:
    figure = grid_figure(picture, colours) if isinstance(picture, Grid) else chart_figure(picture, colours)
    width: Any = grid_frame(picture).size[0] if isinstance(picture, Grid) else "stretch"
    held = f"shown.{key}.figure"
    listening: dict[str, Any] = {}
    if on_pick is not None:
        picked = partial(_picked, held, isinstance(picture, Grid), on_pick)
        listening = {"on_select": picked, "selection_mode": "points"}
    config = {"displayModeBar": False}
    st.plotly_chart(
        figure, theme=None, width=width, config=config, key=held, alt=describe(picture), **listening
    )


def _picked(held: str, cells: bool, on_pick: Pick) -> None:
    """Hand on what was clicked; a second click on the same place lets go and says nothing."""
    event: Mapping[str, Any] = st.session_state.get(held) or {}
    points = event.get("selection", {}).get("points", ())
    if not points:
        return
    point = points[0]
    at = point.get("customdata") if cells else (point.get("curve_number"), point.get("point_index"))
    if at is not None and len(at) >= 2 and None not in at:
        on_pick(int(at[0]), int(at[1]))


def twin(picture: Drawn, key: str) -> None:
    """The picture's numbers as a table, made when it is opened."""
    with st.expander("As a table", key=f"shown.{key}.table", type="compact", on_change="rerun") as box:
        if box.open:
            rows, columns = table(picture)
            frame: Any = pd.DataFrame(dict(columns), index=list(rows))
            if frame.size <= _MOST_WRITTEN:
                frame = frame.style.format(measured, na_rep="")
            height: Any = 520 if len(rows) > _TALL else "content"
            st.dataframe(frame, height=height, key=f"shown.{key}.numbers")


def files(
    held: Plate,
    colours: Palette,
    offered: Collection[str] = tuple(FILES),
) -> None:
    """The menu; a file is made when its button is pressed, and the page is not run again.

    Args:
        held: What the files hold.
        colours: The theme.
        offered: Kinds of files; a table of words and numbers has no picture.
    """
    pictures = [ext for ext in _PICTURES if ext in offered]
    with st.popover("Export", icon=":material/download:", type="tertiary", width="content"):
        if pictures:
            ground = _ground(held.key, colours)
            st.html(f'<div class="cap">{_AS_PAGE if "html" in pictures else _AS_PICTURE}</div>')
            with st.container(horizontal=True, gap="xsmall"):
                for ext in pictures:
                    _file(held, ext, partial(FILES[ext][0], held, ground))
        st.html('<div class="cap">Its numbers as a table or as arrays</div>')
        with st.container(horizontal=True, gap="xsmall"):
            for ext in NUMBERS:
                if ext in offered:
                    _file(held, ext, partial(FILES[ext][0], held))
        entering(f"{held.key}.entering")


_AS_PICTURE = "As a picture"
_AS_PAGE = "As a picture, or as a page with its hovers"


def _ground(key: str, colours: Palette) -> Palette:
    """The colours of the file: the page's, or light ones for paper and slides."""
    if colours.name == "light":
        return colours
    return LIGHT if st.toggle("On white", value=True, key=f"shown.{key}.white") else colours


def _file(held: Plate, ext: str, make: Callable[[], bytes]) -> None:
    st.download_button(
        ext.upper(),
        data=make,
        file_name=plate.filename(held, ext),
        mime=FILES[ext][1],
        key=f"shown.{held.key}.{ext}",
        on_click="ignore",
    )
