"""What can be chosen on the page, and how a link writes it."""

from __future__ import annotations

from dataclasses import dataclass

from attention.errors import InputError
from attention.ui.mask_text import whole
from attention.ui.page_state import PageState
from attention.ui.url import Entry

FIRST, SECOND = "The bank approved the loan.", "We sat beside the river bank."
MOST_CHARACTERS = 300


@dataclass(frozen=True, kw_only=True)
class ContextChoices:
    """The reader's choices. None stands for "whatever fits".

    Attributes:
        first: The first sentence.
        second: The second; blank where both occurrences are in the first.
        word: The word followed; None is the longest there is in both.
        at: Which of its occurrences in the first sentence.
        other: Which in the second, or which other one in the first.
        layer: The layer whose weights are shown; None is the one through which the two part most.
    """

    first: str = FIRST
    second: str = SECOND
    word: str | None = None
    at: int = 0
    other: int | None = None
    layer: int | None = None


def _sentence(text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"it has {len(text)} characters, and {MOST_CHARACTERS} are read here")
    return text


PAGE = PageState(
    "context",
    ContextChoices(),
    {
        "a": Entry("first", _sentence),
        "b": Entry("second", _sentence),
        "word": Entry("word", lambda text: _sentence(text).casefold()),
        "at": Entry("at", whole),
        "other": Entry("other", whole),
        "layer": Entry("layer", whole),
    },
)
