"""The page has no choices of its own: layer, token and sentence are the view's, as on every page."""

from __future__ import annotations

from dataclasses import dataclass

from attention.ui.page_state import PageState


@dataclass(frozen=True)
class BlockChoices:
    """Nothing to choose."""


PAGE = PageState("block", BlockChoices())
