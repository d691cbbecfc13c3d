"""The turns of pairs of channels as dials: a hand for the query and one for the key.

Angles run anticlockwise from the right, as (x, y) turns to (x cos − y sin, x sin + y cos) in Su et al. 2021.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

from attention.figures.numbers import signed
from attention.figures.strips import colours, themed
from attention.figures.theme import Palette

RADIUS = 20
_SIDE = 2 * RADIUS + 8
STEP, NAME = _SIDE + 14, 16
"""From one dial to the next, and the height of its name, in pixels."""

_ACROSS = 16


@dataclass(frozen=True)
class Dial:
    """One pair of channels.

    Attributes:
        name: Such as "pair 3".
        query: The angle of the query's pair in radians, whole turns included.
        key: The key's.
    """

    name: str
    query: float
    key: float

    @property
    def apart(self) -> float:
        """How far the two have turned apart: all that their score can know."""
        return self.query - self.key


@dataclass(frozen=True)
class Dials:
    """Dials side by side; in a file up to sixteen a row."""

    shown: tuple[Dial, ...]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the drawing, in pixels."""
        n = len(self.shown)
        return min(n, _ACROSS) * STEP, math.ceil(n / _ACROSS) * (STEP + NAME)


def spot(at: int) -> tuple[float, float]:
    """Where the middle of a dial stands in the drawing, in pixels from its upper left corner."""
    return (at % _ACROSS + 0.5) * STEP, at // _ACROSS * (STEP + NAME) + STEP / 2


def dials(shown: Sequence[Dial], *, palette: Palette) -> str:
    """The dials side by side, each with its name below and its angles on hover.

    The query's hand is a full line with a dot; the key's is dashed, with a square. The sector between them is
    shaded.
    """
    cells = "".join(_cell(dial) for dial in shown)
    grid = f"display:grid;grid-template-columns:repeat(auto-fill,{STEP}px);gap:10px 6px"
    label = html.escape(describe(shown))
    return themed(palette, f'<div role="img" aria-label="{label}" style="{grid}">{cells}</div>')


def dials_svg(drawn: Dials, palette: Palette) -> str:
    """The same as one drawing for a file: its colours are written out."""
    width, height = drawn.size
    cells = "".join(_placed(dial, spot(at), palette) for at, dial in enumerate(drawn.shown))
    for name, colour in colours(palette).items():
        cells = cells.replace(f"var(--{name.replace('_', '-')})", colour)
    label = html.escape(describe(drawn.shown))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-family="Source Sans 3, sans-serif">'
        f'<title>{label}</title><rect width="{width}" height="{height}" fill="{palette.bg}"/>{cells}</svg>'
    )


def describe(shown: Sequence[Dial]) -> str:
    """The dials in words: the quickest and the slowest.

    >>> describe([Dial("pair 0", 3.0, 1.0), Dial("pair 1", 0.03, 0.01)])
    '2 dials. In pair 0 query and key are 2.000 radians apart, in pair 1 0.020.'
    """
    count = "1 dial" if len(shown) == 1 else f"{len(shown)} dials"
    first, last = shown[0], shown[-1]
    more = "" if last is first else f", in {last.name} {signed(last.apart)}"
    return f"{count}. In {first.name} query and key are {signed(first.apart)} radians apart{more}."


def degrees(angle: float) -> str:
    """An angle in degrees.

    >>> degrees(math.pi / 2), degrees(-1.0)
    ('90.0°', '−57.3°')
    """
    return f"{signed(math.degrees(angle), 1)}°"


def _cell(dial: Dial) -> str:
    half = _SIDE / 2
    box = f'viewBox="{-half} {-half} {_SIDE} {_SIDE}" width="{_SIDE}" height="{_SIDE}"'
    name = f'<div style="font-size:11px;color:var(--text2)">{html.escape(dial.name)}</div>'
    return (
        f'<div style="display:flex;flex-direction:column;align-items:center"><svg {box}>'
        f"<title>{html.escape(_said(dial))}</title>{_hands(dial)}</svg>{name}</div>"
    )


def _placed(dial: Dial, middle: tuple[float, float], palette: Palette) -> str:
    """One dial where it stands in the drawing, with its name and its angles."""
    name = f'<text y="{STEP / 2 + 6}" text-anchor="middle" font-size="11" fill="{palette.text2}">'
    return (
        f'<g transform="translate({middle[0]} {middle[1]})"><title>{html.escape(_said(dial))}</title>'
        f"{_hands(dial)}{name}{html.escape(dial.name)}</text></g>"
    )


def _said(dial: Dial) -> str:
    return f"{dial.name}: query {degrees(dial.query)}, key {degrees(dial.key)}, {degrees(dial.apart)} apart"


def _hands(dial: Dial) -> str:
    query, key = hand(dial.query, RADIUS - 2), hand(dial.key, RADIUS - 3)
    return (
        f'<circle r="{RADIUS}" fill="none" stroke="var(--line)" stroke-width="1.5"/>'
        f'<path d="{_sector(dial)}" fill="var(--text2)" fill-opacity=".18"/>'
        f'<line x2="{key[0]}" y2="{key[1]}" stroke="var(--key)" stroke-width="2" stroke-dasharray="3 2"/>'
        f'<rect x="{key[0] - 2.5:.2f}" y="{key[1] - 2.5:.2f}" width="5" height="5" fill="var(--key)"/>'
        f'<line x2="{query[0]}" y2="{query[1]}" stroke="var(--query)" stroke-width="2"/>'
        f'<circle cx="{query[0]}" cy="{query[1]}" r="2.8" fill="var(--query)"/>'
    )


def hand(angle: float, length: float) -> tuple[float, float]:
    """Where a hand ends, seen from the middle; down is positive in a drawing."""
    return round(length * math.cos(angle), 2), round(-length * math.sin(angle), 2)


def _sector(dial: Dial) -> str:
    """From the key's hand to the query's, the way they turned apart; a whole turn and more fills the dial."""
    radius = RADIUS - 4
    if abs(dial.apart) >= 2 * math.pi:
        return f"M {radius} 0 A {radius} {radius} 0 1 0 {-radius} 0 A {radius} {radius} 0 1 0 {radius} 0 Z"
    start, end = hand(dial.key, radius), hand(dial.query, radius)
    large, sweep = int(abs(dial.apart) > math.pi), int(dial.apart < 0)
    return f"M 0 0 L {start[0]} {start[1]} A {radius} {radius} 0 {large} {sweep} {end[0]} {end[1]} Z"
