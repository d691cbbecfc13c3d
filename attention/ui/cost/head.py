"""The head of the reader's sentence that tiles and patterns are tried on."""

from __future__ import annotations

from attention.errors import AttentionError, InputError
from attention.ui import cache
from attention.ui.scene import Scene, scene
from attention.ui.view import ViewState

MOST_TOKENS = 512
"""Tokens for which whole matrices are drawn here."""


def head_scene(view: ViewState) -> Scene:
    """The view worked out, if its sentence is short enough to be drawn cell by cell.

    Raises:
        AttentionError: It is not, or the model cannot take it.
    """
    n_tokens = len(cache.model(view.model).tokenize(view.text, view.pair or None))
    if n_tokens > MOST_TOKENS:
        raise InputError(
            f"The text has {n_tokens:,} tokens; tiles and patterns are drawn for up to {MOST_TOKENS}."
        )
    return scene(view)


def head_or_refusal(view: ViewState) -> tuple[Scene | None, str]:
    """The view worked out; else why it cannot be, so that the rest of the page stays."""
    try:
        return head_scene(view), ""
    except AttentionError as error:
        return None, str(error)


def head_name(of: Scene) -> str:
    """Such as "L4 H4"."""
    return f"L{of.view.layer} H{of.view.head}"
