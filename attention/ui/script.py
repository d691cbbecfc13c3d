"""The view as three lines of Python of the public face."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from attention.engine import masks
from attention.engine.masks import Own
from attention.engine.settings import Settings
from attention.sites import Site
from attention.ui.models import given, names
from attention.ui.view import ViewState

_RULES = re.compile(rf"\b({'|'.join(masks.__all__)})\(")


TRACES: Mapping[Site, str] = {
    "self": "run.attention",
    "cross": "run.cross_attention",
    "encoder": "run.encoder.attention",
}
"""Where a run keeps the steps of each kind of attention."""


def script(view: ViewState, *, writes: bool = False) -> str:
    """Three lines that make the chosen head's weights again; four for a model of the models folder.

    Args:
        view: The reader's choices, with layer and head as shown.
        writes: Whether the model writes its target itself. It does so before anything is changed, so the
            changes come in a second reading.
    """
    settings = _settings(view.settings)
    imported = "Settings, load, masks" if "masks." in settings else "Settings, load" if settings else "load"
    shuffled = "" if view.shuffled is None else f".shuffled({view.shuffled})"
    asked = [repr(view.text)]
    asked += [f"pair={view.pair!r}"] if view.pair else []
    asked += [f"target={view.target!r}"] if view.target else []
    asked += [f"pad_to={view.pad}"] if view.pad else []
    asked += [f"settings={settings}"] if settings and not writes else []
    model = names.in_python(view.model)
    needed = "import os\n" if model.startswith("os.") else ""
    hint = "  # give the path to it" if view.model == given.name() else ""
    again = f".again({settings})" if settings and writes else ""
    return (
        f"{needed}from attention import {imported}\n"
        f"run = load({model}){shuffled}.run({', '.join(asked)}){again}{hint}\n"
        f"weights = {TRACES[view.site]}({view.layer}).head({view.head}).weights[0]\n"
    )


def _settings(settings: Settings) -> str:
    """The settings as Python; nothing where they are the default's."""
    parts = []
    if settings.mask != Own():
        parts.append("mask=" + _RULES.sub(r"masks.\1(", repr(settings.mask)))
        layers = settings.mask_layers
        parts += [f"mask_layers={_braces(layers)}"] if layers is not None else []
    if settings.heads_off:
        parts.append(f"heads_off={_braces(settings.heads_off)}")
    inner = (("encoder", settings.encoder), ("cross", settings.cross))
    parts += [f"{site}={_settings(asked)}" for site, asked in inner if asked is not None]
    return f"Settings({', '.join(parts)})" if parts else ""


def _braces(items: Iterable[Any]) -> str:
    return "{" + ", ".join(map(str, sorted(items))) + "}"
