"""N² as what it is: squares whose sides are the lengths of the texts, one inside the other."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from attention.figures.theme import Palette, shade, weight_scale

SIDE, NAMES = 250, 270
"""The largest square's side, and where what the squares hold is written, in pixels."""

WIDTH = NAMES + 250
_LINE = 38


@dataclass(frozen=True)
class Square:
    """One length of text.

    Attributes:
        n_tokens: The side.
        count: What the square holds, in words.
        size: How much memory that takes, in words.
    """

    n_tokens: int
    count: str
    size: str


@dataclass(frozen=True)
class Squares:
    """Squares with one corner in common, drawn to scale, from the smallest to the largest."""

    each: tuple[Square, ...]

    @property
    def sides(self) -> tuple[float, ...]:
        """Their sides, in pixels."""
        return tuple(SIDE * one.n_tokens / self.each[-1].n_tokens for one in self.each)

    @property
    def lows(self) -> tuple[float, ...]:
        """How far down what each holds is written: where its square ends, or where there is room below."""
        return tuple(_apart([max(side, _LINE) for side in self.sides]))


def describe(squares: Sequence[Square]) -> str:
    """The picture in words."""
    said = "; ".join(f"{one.n_tokens:,} tokens: {one.count}, {one.size}" for one in squares)
    return f"Squares drawn to scale, a side a text. {said}."


def nested_squares(squares: Squares, palette: Palette) -> str:
    """The squares, and beside each what it holds."""
    sides, many = squares.sides, len(squares.each)
    shapes = [_square(side, at, many, palette) for at, side in reversed(list(enumerate(sides)))]
    lines = zip(squares.each, sides, squares.lows, strict=True)
    names = [_name(one, side, low, palette) for one, side, low in lines]
    size = f'viewBox="0 -2 {WIDTH} {SIDE + 6}" width="100%" style="max-width:{WIDTH}px"'
    label = f'role="img" aria-label="{html.escape(describe(squares.each))}"'
    face = 'font-family="Source Sans, Source Sans 3, sans-serif"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {label} {size} {face}>{"".join([*shapes, *names])}</svg>'


def depth(at: int, count: int) -> float:
    """How far up the scale of weights a square stands: a small text's light is spread thin over a large."""
    return 0.55 - 0.45 * at / max(1, count - 1)


def _apart(lows: Sequence[float]) -> list[float]:
    """The same heights, moved down where two names would overlap."""
    moved: list[float] = []
    for low in lows:
        moved.append(max(low, moved[-1] + _LINE) if moved else low)
    return moved


def _square(side: float, at: int, count: int, palette: Palette) -> str:
    fill = shade(weight_scale(palette), depth(at, count))
    edge = f'fill="{fill}" stroke="{palette.text2}" stroke-width="1"'
    return f'<rect x="0" y="0" width="{side:.1f}" height="{side:.1f}" {edge}/>'


def _name(one: Square, side: float, low: float, palette: Palette) -> str:
    line = (
        f'<polyline points="{side:.1f},{side:.1f} {NAMES - 14},{low:.1f} {NAMES - 4},{low:.1f}" '
        f'fill="none" stroke="{palette.text2}" stroke-width=".8"/>'
    )
    tokens = (
        f'<text x="{NAMES}" y="{low - 19:.1f}" font-size="15" font-weight="600" fill="{palette.ink}">'
        f"{one.n_tokens:,} tokens</text>"
    )
    count = (
        f'<text x="{NAMES}" y="{low - 2:.1f}" font-size="13.5" fill="{palette.text2}">'
        f"{html.escape(one.count)} · {html.escape(one.size)}</text>"
    )
    return line + tokens + count
