"""The sentence as the model sees it, lit by what the query in focus looks at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.figures.labels import plain_label
from attention.figures.lit_sentence import Light
from attention.figures.strips import colours
from attention.figures.theme import Palette, weight_scale
from attention.ui.components.assets import register
from attention.ui.components.wire import pack, position, ramp, told

_strip = register(
    "token_strip", scripts=("beyond.js", "token_strip.js"), styles=("token_strip.css", "beyond.css")
)

UNKNOWN = "\nunknown: the vocabulary has no piece for these characters"

ALL_ROWS_UP_TO = 96
"""Up to this many tokens every query's row is sent, so that a click lights the sentence at once."""


@dataclass(frozen=True, slots=True)
class Chip:
    """One token of the strip."""

    raw: str  # as the tokenizer has it: "##rry", "[CLS]"
    shown: str  # as it is read: "rry", "CLS"
    id: int
    start: int  # the characters of its sentence that it covers, without the end
    end: int
    special: bool
    joined: bool  # whether it continues the word of the chip before it
    segment: int = 0  # 1 for the second sentence
    unknown: bool = False  # whether it stands for what the vocabulary lacks


def token_strip(
    tokens: Sequence[Chip],
    *,
    weights: NDArray[np.floating[Any]] | None,
    allowed: NDArray[np.bool_] | None,
    query: int | None,
    key: int | None,
    palette: Palette,
    light: Light = "gives",
    by_words: bool = False,
    label: str = "Tokens of the sentence; choose the query",
    element_key: str = "tokens",
    first: int = 0,
    on_pick: Callable[[int], None] | None = None,
) -> int | None:
    """The strip of tokens.

    Args:
        tokens: The chips, in order.
        weights: The head's weights [query key]; or one row [key], where the query stands in another
            sequence; or None for a strip without light.
        allowed: Who may look where, of the same shape as `weights`.
        query: The query in focus; None where it stands in another sequence.
        key: The key in focus.
        palette: The theme.
        light: What `weights` are: what queries give; or, as one row, what each token receives as a key.
        by_words: Whether pieces share the light of their word, and have one number together.
        label: What the strip is, for those who cannot see it.
        element_key: The component's key in the session.
        first: Position of the first chip, where these are some of a longer text; all else counts chips.
        on_pick: Called with a clicked position before the page reruns.

    Returns:
        The position just clicked, or None.
    """

    def read(value: object) -> int | None:
        return position(value, len(tokens))

    rows, arrays = _rows(weights, allowed, query)
    header = {
        "palette": colours(palette),
        "ramp": ramp(weight_scale(palette)),
        "chips": [_words(chip, at) for at, chip in enumerate(tokens, start=first)],
        "size": size_for(len(tokens)),
        "rows": rows,
        "light": light,
        "by_words": by_words,
        "query": query,
        "key": key,
        "label": label,
    }
    on_change = told(element_key, "picked", read, on_pick)
    result = _strip(key=element_key, data=pack(header, arrays), on_picked_change=on_change)
    return read(result.picked)


def size_for(n: int) -> str:
    """How large the chips of a sentence of n tokens are.

    >>> size_for(24), size_for(60), size_for(61)
    ('large', 'medium', 'small')
    """
    return "large" if n <= 24 else "medium" if n <= 60 else "small"


def _words(chip: Chip, at: int) -> dict[str, Any]:
    return {
        "shown": plain_label(chip.shown),
        "special": chip.special,
        "joined": chip.joined,
        "title": f"{plain_label(chip.raw)}  ·  position {at}  ·  id {chip.id}{_covers(chip)}{_unknown(chip)}",
    }


def _unknown(chip: Chip) -> str:
    return UNKNOWN if chip.unknown else ""


def _covers(chip: Chip) -> str:
    """Which characters a chip stands for, the last one among them; nothing where it stands for none."""
    if chip.start == chip.end:
        return ""
    last = chip.end - 1
    which = f"character {last}" if chip.start == last else f"characters {chip.start}–{last}"
    return f"\n{which} of the second sentence" if chip.segment else f"\n{which}"


def _rows(
    weights: NDArray[np.floating[Any]] | None, allowed: NDArray[np.bool_] | None, query: int | None
) -> tuple[str, dict[str, NDArray[Any]]]:
    """Which rows go to the browser: all of a short sentence's, else the one in focus."""
    if weights is None:
        return "none", {}
    open_ = np.ones(weights.shape, dtype=np.bool_) if allowed is None else allowed
    every = weights.ndim == 2 and query is not None and len(weights) <= ALL_ROWS_UP_TO
    if not every and weights.ndim == 2:
        weights, open_ = weights[query], open_[query]
    arrays: dict[str, NDArray[Any]] = {
        "weights": weights.astype(np.float32),
        "allowed": open_.astype(np.uint8),
    }
    return "all" if every else "one", arrays
