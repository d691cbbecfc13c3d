"""The view as three lines of Python of the public face."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from attention.engine import masks
from attention.engine.masks import Own
from attention.ui.mask_text import conjunction
from attention.ui.view import ViewState

_RULES = re.compile(rf"\b({'|'.join(masks.__all__)})\(")


def script(view: ViewState) -> str:
    """Three lines that make the chosen head's weights again.

    Args:
        view: The reader's choices, with layer and head as shown.
    """
    settings = _settings(view)
    names = "Settings, load, masks" if "masks." in settings else "Settings, load" if settings else "load"
    shuffled = "" if view.shuffled is None else f".shuffled({view.shuffled})"
    asked = [repr(view.text)]
    asked += [f"pair={view.pair!r}"] if view.pair else []
    asked += [f"pad_to={view.pad}"] if view.pad else []
    asked += [f"settings={settings}"] if settings else []
    return (
        f"from attention import {names}\n"
        f"run = load({view.model!r}){shuffled}.run({', '.join(asked)})\n"
        f"weights = run.attention({view.layer}).head({view.head}).weights[0]\n"
    )


def _settings(view: ViewState) -> str:
    """The settings as Python; nothing where they are the default's."""
    mask = conjunction(view.mask)
    parts = []
    if mask != Own():
        parts.append("mask=" + _RULES.sub(r"masks.\1(", repr(mask)))
        parts += [f"mask_layers={_braces(view.mask_layers)}"] if view.mask_layers is not None else []
    if view.heads_off:
        parts.append(f"heads_off={_braces(view.heads_off)}")
    return f"Settings({', '.join(parts)})" if parts else ""


def _braces(items: Iterable[Any]) -> str:
    return "{" + ", ".join(map(str, sorted(items))) + "}"
