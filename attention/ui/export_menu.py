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
from attention.export.view import printable
from attention.figures.lit_sentence import LitSentence
from attention.figures.neurons import Neurons
from attention.figures.theme import LIGHT, Palette
from attention.ui.mask_text import format_indices, format_mask, format_pairs
from attention.ui.pictures import picture
from attention.ui.scene import Scene
from attention.ui.script import script
from attention.ui.site_text import format_elsewhere
from attention.ui.subjects import WHAT, What, on_screen
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


def export_menu(scene: Scene, colours: Palette) -> None:
    """The menu; a file is made when its button is pressed, and the page is not run again."""
    with st.popover("Export", icon=":material/download:", width="stretch"):
        what = _what()
        shown = _ground(colours)
        view = _view(scene, {}, what, shown)
        st.html(f'<div class="cap">{_told(scene, what)}</div>')
        with st.container(horizontal=True, gap="xsmall"):
            for ext, (make, mime) in PICTURES.items():
                _button(scene, view, ext, partial(make, palette=shown), mime)
        st.html(f'<div class="cap">{_tabled(view)} as a table, every step of this layer as arrays</div>')
        of_head = replace(view, subject=None)
        with st.container(horizontal=True, gap="xsmall"):
            own_table = isinstance(view.subject, Neurons | LitSentence)
            _button(scene, view if own_table else of_head, "csv", export.csv, "text/csv")
            _button(scene, of_head, "npz", export.npz, "application/octet-stream")
            _json(scene, of_head)
        _links(scene)


def _what() -> What:
    """Which part of the page."""
    chosen: What = st.segmented_control(
        "What",
        list(WHAT),
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


def _tabled(view: View) -> str:
    """What the table holds."""
    match view.subject:
        case Neurons():
            return "This query by dimension"
        case LitSentence():
            return "The sentence"
    return "This head"


def _links(scene: Scene) -> None:
    st.html('<div class="cap">The address bar holds this view: copy it as a link.</div>')
    own = ": the model's own weights, not renormalised" if scene.view.special == "renormalise" else ""
    st.html(f'<div class="cap">This view in Python{own}</div>')
    st.code(_script(scene), language="python", wrap_lines=True)


def export_view(scene: Scene, what: What = "head") -> View:
    """A part of the page as on screen, with every step of its layer for all heads."""
    return _view(scene, _arrays(scene), what, LIGHT)


def tag(view: ViewState) -> str:
    """What the reader changed, for the name of a file.

    >>> tag(ViewState(heads_off=frozenset({(2, 5)}), shuffled=0))
    'off2-5_shuffled0'
    """
    rules = [name + rest.replace(":", "-") for name, _, rest in _rules(view)]
    layers = [] if view.mask_layers is None or not rules else [f"in{format_indices(view.mask_layers)}"]
    off = [f"off{format_pairs(view.heads_off)}"] if view.heads_off else []
    others = [f"{site}-changed" for site, _ in view.elsewhere]
    pad = [f"pad{view.pad}"] if view.pad else []
    shuffled = [] if view.shuffled is None else [f"shuffled{view.shuffled}"]
    return "_".join([*rules, *layers, *off, *others, *pad, *shuffled])


def _rules(view: ViewState) -> list[tuple[str, str, str]]:
    return [rule.partition(":") for rule in format_mask(view.mask).split("+")] if view.mask else []


def n_numbers(scene: Scene) -> int:
    """How many numbers the arrays of this layer hold, without making them."""
    config, n, n_keys = scene.trace.config, len(scene.site.queries), len(scene.site.keys)
    squares = 4 * config.n_heads + 1  # scores, scaled, masked and weights of each head; one mask
    wide = 2 + len(_states(scene))
    queries_and_outputs = config.n_heads * (config.d_head + config.d_value)
    keys_and_values = config.n_kv_heads * (config.d_head + config.d_value)
    of_keys = keys_and_values + (config.d_model + 2 if scene.crossing else 0)  # the source, tokens and ids
    return squares * n * n_keys + (wide * config.d_model + queries_and_outputs) * n + of_keys * n_keys


def _view(scene: Scene, arrays: Mapping[str, NDArray[Any]], what: What, palette: Palette) -> View:
    view, model, drawn = scene.view, scene.run.model, picture(scene)
    return View(
        picture=drawn,
        model=model.name,
        revision=model.revision,
        dtype=str(model.dtype).removeprefix("torch."),
        text=view.text,
        pair=view.pair or None,
        tokens=scene.site.queries,
        layer=view.layer,
        head=view.head,
        site=view.site,
        changes=scene.changes,
        settings=_settings(scene),
        script=_script(scene),
        arrays=arrays,
        tag=tag(view),
        subject=on_screen(scene, what, drawn, palette),
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
    n, numbers = len(scene.site.queries), n_numbers(scene)
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
        "elsewhere": format_elsewhere(view.elsewhere) or None,
        "target": view.target or None,
        "pad_to": view.pad,
        "shuffled": view.shuffled,
    }


def _arrays(scene: Scene) -> dict[str, NDArray[Any]]:
    arrays = {name: np.asarray(getattr(scene.trace, name)) for name in STEPS}
    return arrays | (_source(scene) if scene.crossing else {}) | _states(scene)


def _states(scene: Scene) -> dict[str, NDArray[Any]]:
    """The residual stream at the joints of the layer."""
    states = scene.site.stack.layer(scene.view.layer)
    resid = {
        "resid_pre": states.pre,
        "resid_mid": states.mid,
        "resid_crossed": states.crossed,
        "resid_post": states.post,
    }
    return {name: np.asarray(state) for name, state in resid.items() if state is not None}


def _source(scene: Scene) -> dict[str, NDArray[Any]]:
    """What is looked at across: the source's tokens and what the encoder made of them."""
    return {
        "key_input": np.asarray(scene.trace.key_input),
        "key_tokens": np.array([printable(token.text) for token in scene.site.keys], dtype=np.str_),
        "key_ids": np.array([token.id for token in scene.site.keys], dtype=np.int64),
    }


def _script(scene: Scene) -> str:
    """The view in Python; what the model wrote by itself it wrote before anything was changed."""
    return script(scene.view, writes=scene.run.encoder is not None and not scene.view.target)
