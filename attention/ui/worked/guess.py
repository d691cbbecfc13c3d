"""Predict first: a step stays hidden until the reader has typed a guess for one of its cells."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from attention.errors import InputError
from attention.figures.numbers import measured
from attention.ui.worked.cells import read_cell

Step: TypeAlias = Literal["scores", "scaled", "masked", "weights", "output"]

STEPS: tuple[Step, ...] = get_args(Step)
PREDICTABLE: Mapping[Step, str] = {
    "scores": "Scores",
    "scaled": "Scaled",
    "weights": "Weights",
    "output": "Output",
}
"""What can be predicted; the masked scores are the scaled ones and nothing new."""

CLOSE = 0.005
"""As near as the cells are printed to two digits."""


@dataclass(frozen=True)
class Guess:
    """What the reader typed for one cell.

    Attributes:
        text: As typed.
        query: The cell's row.
        key: Its column among the keys; for the output, the dimension is the nearest there is.
    """

    text: str
    query: int
    key: int

    @property
    def number(self) -> float | None:
        """What was typed, or None when it cannot be read."""
        try:
            return read_cell(self.text, math.inf)
        except InputError:
            return None

    @property
    def told(self) -> str:
        """What is wrong with what was typed; nothing when it can be read."""
        try:
            read_cell(self.text, math.inf)
        except InputError as error:
            return f"Your guess {error}"
        return ""


def hidden_from(step: Step) -> tuple[Step, ...]:
    """A step and all that come after it, since each of them gives it away.

    >>> hidden_from("weights")
    ('weights', 'output')
    """
    return STEPS[STEPS.index(step) :]


def verdict(guessed: float, true: float) -> str:
    """How far a guess was.

    >>> verdict(0.5, 0.33), verdict(0.33, 0.3302), verdict(-1.0, 1.0)
    ('0.17 too high', 'right to two digits', '2 too low')
    """
    apart = guessed - true
    if abs(apart) <= CLOSE:
        return "right to two digits"
    return f"{measured(float(f'{abs(apart):.3g}'))} too {'high' if apart > 0 else 'low'}"
