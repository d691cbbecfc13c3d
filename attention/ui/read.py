"""The run of the stack that reads a text, for pages that ask what became of it and not what was written."""

from __future__ import annotations

from attention.run import Run
from attention.ui import cache
from attention.ui.asked import Asked


def asked_to_read(model: str, text: str) -> Asked:
    """What such a page asks of a model, under its own attention.

    An encoder–decoder is handed its source as the target too: writing one by itself takes many times as long,
    and its encoder never sees it.
    """
    two_stacks = cache.model(model).encoder is not None
    return Asked(model=model, text=text, target=text if two_stacks else None)


def read(model: str, text: str) -> Run:
    """The run over a text; of an encoder–decoder, its encoder's.

    Raises:
        AttentionError: The model cannot take the text.
    """
    run = cache.run(asked_to_read(model, text))
    return run.encoder or run
