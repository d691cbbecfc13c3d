"""Examples one click away, each of which makes a point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attention.ui.worked.cells import Numbers
from attention.ui.worked.desk import IDENTITY, Desk, laid_out, write_all


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A ready example.

    Attributes:
        label: What its button says.
        point: What to notice, in one or two sentences of our own markup.
        words: Its sentence.
        numbers: X, W_Q, W_K and W_V.
        pair: The query and the key to look at first.
    """

    label: str
    point: str
    words: str = "I learn"
    numbers: Mapping[str, Numbers]
    pair: tuple[int, int] = (1, 0)


_ALL_IDENTITY: Mapping[str, Numbers] = dict.fromkeys(("x", "q", "k", "v"), IDENTITY)
_FOUR: Numbers = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, -1.0))

PRESETS: Mapping[str, Preset] = {
    "identity": Preset(
        label="the worked example",
        point="X and all three W are the identity, so queries, keys and values are the tokens’ own vectors. "
        "<b>Notice</b> that each token scores 1 with itself and 0 with the other, and still gives the other "
        "a third of its weight.",
        numbers=_ALL_IDENTITY,
    ),
    "equal": Preset(
        label="all scores equal",
        point="W<sub>Q</sub> is zero, so every score is 0. <b>Notice</b> that softmax then shares evenly, a "
        "quarter each, and every token takes away the same mean of the values.",
        words="I learn from every",
        numbers={**_ALL_IDENTITY, "x": _FOUR, "q": ((0.0, 0.0), (0.0, 0.0))},
    ),
    "large": Preset(
        label="large scores",
        point="W<sub>Q</sub> is ten times the identity, so scores are 10 and 0. <b>Notice</b> that softmax "
        "then gives nearly everything to one key: it is saturated, and small changes hardly move it.",
        numbers={**_ALL_IDENTITY, "q": ((10.0, 0.0), (0.0, 10.0))},
    ),
    "swapped": Preset(
        label="looking at each other",
        point="W<sub>Q</sub> swaps the two dimensions. <b>Notice</b> that each token’s query now fits the "
        "other’s key: what a token asks for need not be what it is.",
        numbers={**_ALL_IDENTITY, "q": ((0.0, 1.0), (1.0, 0.0))},
    ),
}


def use(desk: Desk, name: str) -> Desk:
    """The desk with a preset's words and matrices; mask, row and values stay."""
    preset = PRESETS[name]
    query, key = preset.pair
    return laid_out(desk, write_all(preset.numbers), words=preset.words, query=query, key=key)


def shown(desk: Desk) -> Preset | None:
    """The preset whose numbers are on the desk; None when they are the reader's own."""
    found = name(desk)
    return PRESETS[found] if found else None


def name(desk: Desk) -> str:
    """The name of that preset, "" when the numbers are the reader's own."""
    return next(
        (
            name
            for name, preset in PRESETS.items()
            if all(desk.numbers[matrix] == numbers for matrix, numbers in preset.numbers.items())
        ),
        "",
    )
