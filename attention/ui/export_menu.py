"""Take what is on screen away: a picture, a table, every step as arrays, or three lines of Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention import export
from attention.export import View
from attention.export.arrays import MOST_JSON_NUMBERS
from attention.figures.theme import LIGHT, Palette
from attention.ui.mask_text import format_indices, format_mask, format_pairs
from attention.ui.scene import Scene, picture
from attention.ui.script import script
from attention.ui.view import ViewState

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
PICTURES: dict[str, tuple[Callable[..., bytes], str]] = {
    "png": (export.png, "image/png"),
    "svg": (export.svg, "image/svg+xml"),
    "pdf": (export.pdf, "application/pdf"),
    "html": (export.html, "text/html"),
}


def export_menu(scene: Scene, colours: Palette) -> None:
    """The menu; a file is made when its button is pressed, and the page is not run again."""
    view = _view(scene, {})
    with st.popover("Export", icon=":material/download:", width="stretch"):
        drawn = "This picture" if scene.view.view == "heatmap" else "This head as a heatmap"
        st.html(f'<div class="cap">{drawn}</div>')
        shown = _ground(colours)
        with st.container(horizontal=True, gap="xsmall"):
            for ext, (make, mime) in PICTURES.items():
                _button(scene, view, ext, partial(make, palette=shown), mime)
        st.html('<div class="cap">This head as a table, every step of this layer as arrays</div>')
        with st.container(horizontal=True, gap="xsmall"):
            _button(scene, view, "csv", export.csv, "text/csv")
            _button(scene, view, "npz", export.npz, "application/octet-stream")
            _json(scene, view)
        st.html('<div class="cap">The address bar holds this view: copy it as a link.</div>')
        own = ": the model's own weights, not renormalised" if scene.view.special == "renormalise" else ""
        st.html(f'<div class="cap">This view in Python{own}</div>')
        st.code(script(scene.view), language="python", wrap_lines=True)


def export_view(scene: Scene) -> View:
    """What is on screen, with every step of its layer for all heads."""
    return _view(scene, _arrays(scene))


def tag(view: ViewState) -> str:
    """What the reader changed, for the name of a file.

    >>> tag(ViewState(heads_off=frozenset({(2, 5)}), shuffled=0))
    'off2-5_shuffled0'
    """
    rules = [name + rest.replace(":", "-") for name, _, rest in _rules(view)]
    layers = [] if view.mask_layers is None or not rules else [f"in{format_indices(view.mask_layers)}"]
    off = [f"off{format_pairs(view.heads_off)}"] if view.heads_off else []
    pad = [f"pad{view.pad}"] if view.pad else []
    shuffled = [] if view.shuffled is None else [f"shuffled{view.shuffled}"]
    return "_".join([*rules, *layers, *off, *pad, *shuffled])


def _rules(view: ViewState) -> list[tuple[str, str, str]]:
    return [rule.partition(":") for rule in format_mask(view.mask).split("+")] if view.mask else []


def n_numbers(scene: Scene) -> int:
    """How many numbers the arrays of this layer hold, without making them."""
    config, states, n = scene.trace.config, scene.run.layer(scene.view.layer), len(scene.run.tokens)
    squares = 4 * config.n_heads + 1  # scores, scaled, masked and weights of each head; one mask
    wide = 2 + sum(state is not None for state in (states.pre, states.mid, states.post))
    queries_and_outputs = config.n_heads * (config.d_head + config.d_value)
    keys_and_values = config.n_kv_heads * (config.d_head + config.d_value)
    return squares * n**2 + (wide * config.d_model + queries_and_outputs + keys_and_values) * n


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
        tag=tag(view),
    )


def _ground(colours: Palette) -> Palette:
    """The colours of the file: the page's, or light ones for paper and slides."""
    if colours.name == "light":
        return colours
    on_white = st.toggle("On white", value=True, key="export.white", persist_state="session")
    return LIGHT if on_white else colours


def _button(scene: Scene, view: View, ext: str, make: Callable[[View], bytes], mime: str) -> None:
    st.download_button(
        ext.upper(),
        data=lambda: make(replace(view, arrays=_arrays(scene))),
        file_name=export.filename(view, ext),
        mime=mime,
        key=f"export-{ext}",
        on_click="ignore",
    )


def _json(scene: Scene, view: View) -> None:
    n, numbers = len(scene.run.tokens), n_numbers(scene)
    if numbers <= MOST_JSON_NUMBERS:
        _button(scene, view, "json", export.json, "application/json")
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
