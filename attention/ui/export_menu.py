"""Take what is on screen away: a picture, a table, every step as arrays, or three lines of Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention import export
from attention.export import View
from attention.figures.theme import LIGHT, Palette
from attention.ui.scene import Scene, picture
from attention.ui.script import script

STEPS = (
    "query_input",
    "queries",
    "keys",
    "values",
    "scores",
    "scaled",
    "mask",
    "masked",
    "weights",
    "head_outputs",
    "output",
)
MOST_JSON_NUMBERS = 4_000_000
PICTURES: dict[str, tuple[Callable[..., bytes], str]] = {
    "png": (export.png, "image/png"),
    "svg": (export.svg, "image/svg+xml"),
    "pdf": (export.pdf, "application/pdf"),
    "html": (export.html, "text/html"),
}


def export_menu(scene: Scene, colours: Palette) -> None:
    """The menu; a file is made when its button is pressed, and the page is not run again."""
    with st.popover("Export", icon=":material/download:", width="stretch"):
        st.html('<div class="cap">This picture</div>')
        shown = _ground(colours)
        with st.container(horizontal=True, gap="xsmall"):
            for ext, (make, mime) in PICTURES.items():
                _button(scene, ext, partial(make, palette=shown), mime)
        st.html('<div class="cap">This head as a table, every step of this layer as arrays</div>')
        with st.container(horizontal=True, gap="xsmall"):
            _button(scene, "csv", export.csv, "text/csv")
            _button(scene, "npz", export.npz, "application/octet-stream")
            _json(scene)
        st.html('<div class="cap">This view in Python</div>')
        st.code(script(scene.view), language="python", wrap_lines=True)


def export_view(scene: Scene) -> View:
    """What is on screen, with every step of its layer for all heads."""
    return _view(scene, _arrays(scene))


def _view(scene: Scene, arrays: Mapping[str, NDArray[Any]]) -> View:
    view, model = scene.view, scene.run.model
    return View(
        picture=picture(scene),
        model=model.name,
        revision=model.revision,
        dtype=str(model.dtype).removeprefix("torch."),
        text=view.text,
        pair=view.pair or None,
        tokens=scene.run.tokens,
        layer=view.layer,
        head=view.head,
        site="self",
        changes=scene.changes,
        settings=_settings(scene),
        script=script(view),
        arrays=arrays,
    )


def _ground(colours: Palette) -> Palette:
    """The colours of the file: the page's, or light ones for paper and slides."""
    if colours.name == "light":
        return colours
    on_white = st.toggle("On white", value=True, key="export.white", persist_state="session")
    return LIGHT if on_white else colours


def _button(scene: Scene, ext: str, make: Callable[[View], bytes], mime: str) -> None:
    st.download_button(
        ext.upper(),
        data=lambda: make(export_view(scene)),
        file_name=export.filename(_view(scene, {}), ext),
        mime=mime,
        key=f"export-{ext}",
        on_click="ignore",
    )


def _json(scene: Scene) -> None:
    config, n = scene.trace.config, len(scene.run.tokens)
    numbers = 4 * config.n_heads * n * n
    if numbers <= MOST_JSON_NUMBERS:
        _button(scene, "json", export.json, "application/json")
        return
    size = f"{numbers * 20 / 1e6:.0f} MB"
    st.button(
        "JSON", disabled=True, help=f"{n} tokens would make {size} of JSON; NPZ holds the same numbers."
    )


def _settings(scene: Scene) -> dict[str, Any]:
    """The settings as plain data."""
    view = scene.view
    return {
        "mask": repr(view.settings.mask),
        "mask_layers": None if view.mask_layers is None else sorted(view.mask_layers),
        "heads_off": [list(pair) for pair in sorted(view.heads_off)],
        "pad_to": view.pad,
        "shuffled": view.shuffled,
    }


def _arrays(scene: Scene) -> dict[str, NDArray[Any]]:
    states = scene.run.layer(scene.view.layer)
    arrays = {name: np.asarray(getattr(scene.trace, name)) for name in STEPS}
    resid = {"resid_pre": states.pre, "resid_mid": states.mid, "resid_post": states.post}
    return arrays | {name: np.asarray(state) for name, state in resid.items() if state is not None}
