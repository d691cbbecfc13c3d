"""N² as what it is: squares whose sides are the lengths of the texts, one inside the other."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from attention.figures.theme import Palette, shade, weight_scale

_SIDE, _NAMES, _LINE = 250, 270, 38


@dataclass(frozen=True, kw_only=True)
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


def describe(squares: Sequence[Square]) -> str:
    """The picture in words."""
    said = "; ".join(f"{one.n_tokens:,} tokens: {one.count}, {one.size}" for one in squares)
    return f"Squares drawn to scale, a side a text. {said}."


def nested_squares(squares: Sequence[Square], palette: Palette) -> str:
    """Squares with one corner in common, drawn to scale, and beside each what it holds.

    Args:
        squares: From the smallest to the largest.
        palette: The theme.
    """
    most = squares[-1].n_tokens
    sides = [_SIDE * one.n_tokens / most for one in squares]
    lows = _apart([max(side, _LINE) for side in sides])
    shapes = [_square(side, at, len(squares), palette) for at, side in reversed(list(enumerate(sides)))]
    names = [_name(one, side, low, palette) for one, side, low in zip(squares, sides, lows, strict=True)]
    size = f'viewBox="0 -2 {_NAMES + 250} {_SIDE + 6}" width="100%" style="max-width:{_NAMES + 250}px"'
    label = f'role="img" aria-label="{html.escape(describe(squares))}"'
    face = 'font-family="Source Sans, Source Sans 3, sans-serif"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {label} {size} {face}>{"".join([*shapes, *names])}</svg>'


def _apart(lows: Sequence[float]) -> list[float]:
    """The same heights, moved down where two names would overlap."""
    moved: list[float] = []
    for low in lows:
        moved.append(max(low, moved[-1] + _LINE) if moved else low)
    return moved


def _square(side: float, at: int, count: int, palette: Palette) -> str:
    """The smaller the darker: the light of the small text is spread thin over the large."""
    fill = shade(weight_scale(palette), 0.55 - 0.45 * at / max(1, count - 1))
    edge = f'fill="{fill}" stroke="{palette.text2}" stroke-width="1"'
    return f'<rect x="0" y="0" width="{side:.1f}" height="{side:.1f}" {edge}/>'


def _name(one: Square, side: float, low: float, palette: Palette) -> str:
    line = (
        f'<polyline points="{side:.1f},{side:.1f} {_NAMES - 14},{low - 1:.1f} {_NAMES - 4},{low - 1:.1f}" '
        f'fill="none" stroke="{palette.text2}" stroke-width=".8"/>'
    )
    tokens = (
        f'<text x="{_NAMES}" y="{low - 19:.1f}" font-size="15" font-weight="600" fill="{palette.ink}">'
        f"{one.n_tokens:,} tokens</text>"
    )
    count = (
        f'<text x="{_NAMES}" y="{low - 2:.1f}" font-size="13.5" fill="{palette.text2}">'
        f"{html.escape(one.count)} · {html.escape(one.size)}</text>"
    )
    return line + tokens + count
