"""What is on screen as a value that every kind of file is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.export import View
from attention.export.view import printable
from attention.figures.picture import Picture
from attention.figures.theme import LIGHT, Palette
from attention.ui.mask_text import format_indices, format_mask, format_pairs
from attention.ui.pictures import picture
from attention.ui.scene import Scene
from attention.ui.script import script
from attention.ui.site_text import format_elsewhere
from attention.ui.subjects import What, on_screen
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


def view_of(scene: Scene, what: What = "head", palette: Palette = LIGHT) -> View:
    """A part of the page as on screen, without the arrays of its layer, which may be large."""
    scene = between_tokens(scene) if what == "steps" else scene
    view, model, drawn = scene.view, scene.run.model, _drawn(scene, what)
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
        script=script_of(scene),
        arrays={},
        tag=tag(view),
        subject=on_screen(scene, what, drawn, palette),
    )


def _drawn(scene: Scene, what: What) -> Picture:
    """The head's weights: where one query is looked at by dimension, all rows belong to any other part."""
    if what == "head" or scene.view.view != "neurons":
        return picture(scene)
    return picture(replace(scene, view=replace(scene.view, view="heatmap")))


def between_tokens(scene: Scene) -> Scene:
    """The same view for what is computed between tokens and stays so, pieces put together or not."""
    return replace(scene, view=replace(scene.view, words=False)) if scene.view.words else scene


def export_view(scene: Scene, what: What = "head") -> View:
    """The same with every step of its layer for all heads."""
    return replace(view_of(between_tokens(scene), what), arrays=arrays_of(scene))


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
    return "_".join([*rules, *layers, *off, *others, *pad, *shuffled, *_shown(view)])


def _shown(view: ViewState) -> list[str]:
    """What of the weights is in the picture, where it is not all of them as they are."""
    special = [] if view.special == "show" else ["hidden" if view.special == "hide" else "renormalised"]
    spans = (("q", view.rows), ("k", view.columns))
    parts = [f"{letter}{span[0]}-{span[1]}" for letter, span in spans if span is not None]
    return [*special, *(["words"] if view.words else []), *parts]


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


def arrays_of(scene: Scene) -> Mapping[str, NDArray[Any]]:
    """Every step of the layer, under the engine's names."""
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


def script_of(scene: Scene) -> str:
    """The view in Python; what the model wrote by itself it wrote before anything was changed."""
    return script(scene.view, writes=scene.run.encoder is not None and not scene.view.target)
