"""What the reader chooses on the page: how long the vectors are, and which numbers are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from attention.errors import InputError
from attention.ui.mask_text import whole
from attention.ui.page_state import PageState, between, one_of
from attention.ui.url import Entry

SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""Lengths of queries and keys that are drawn; each is twice the one before."""

MOST_SEED = 999


@dataclass(frozen=True)
class ScalingChoices:
    """The page's own choices.

    Attributes:
        d_k: Components of a random query and of a random key.
        seed: Which random numbers are drawn.
        other: The scale that a real head's own is held against: "without" it, or "doubled".
    """

    d_k: int = 64
    seed: int = 0
    other: str = "without"


@dataclass(frozen=True)
class Preset:
    """A size that makes a point.

    Attributes:
        label: What its button says.
        d_k: The size.
    """

    label: str
    d_k: int


PRESETS = (
    Preset("4, it hardly matters", 4),
    Preset("64, as in many models", 64),
    Preset("1,024, two rows in three dead", 1024),
)


def size(text: str) -> int:
    """One of the sizes, out of a link.

    Raises:
        InputError: It is none of them.
    """
    number = whole(text, (min(SIZES), max(SIZES)))
    if number not in SIZES:
        raise InputError(f"{number} is not one of {', '.join(f'{known:,}' for known in SIZES)}")
    return number


PAGE = PageState(
    "scaling",
    ScalingChoices(),
    {
        "d": Entry("d_k", size),
        "seed": Entry("seed", between(0, MOST_SEED)),
        "other": Entry("other", one_of("without", "doubled")),
    },
)
