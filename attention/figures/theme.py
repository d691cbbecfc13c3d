"""Every colour of the look, and the few sums that colours need.

Weights are light: one amber scale from the page's own background upwards means "attention weight" in every
picture. Scores can be negative and have a scale of their own with the background at zero. Queries, keys,
values and outputs each have one colour; it never stands alone for what it means.

Scales are given by a few stops and blended in OKLab, where equal steps look equally large
(Björn Ottosson, "A perceptual color space for image processing", 2020).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Scale = tuple[tuple[float, str], ...]
"""Stops ``(t, hex)`` with t rising from 0 to 1."""

Role = Literal["query", "key", "value", "output", "ink"]

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Palette:
    """The colours of one theme, as ``#RRGGBB``."""

    name: Literal["light", "dark"]
    bg: str
    panel: str
    ink: str
    text2: str
    line: str
    primary: str
    query: str
    key: str
    value: str
    output: str
    masked: str
    hatch: str
    mask_ground: str
    beam: str
    above: str
    below: str


LIGHT = Palette(
    name="light",
    bg="#FFFFFF",
    panel="#F7F5F0",
    ink="#1C1E22",
    text2="#5A5F68",
    line="#E2DED5",
    primary="#9A5300",
    query="#1D5FD1",
    key="#C4321C",
    value="#007A5C",
    output="#75308F",
    masked="#6B7078",
    hatch="#A9ADB4",
    mask_ground="#F1F1F1",
    beam="#D47D18",
    above="#C07F31",
    below="#558592",
)

DARK = Palette(
    name="dark",
    bg="#121417",
    panel="#1A1D21",
    ink="#ECEAE4",
    text2="#A3A8B0",
    line="#2E3238",
    primary="#F0B140",
    query="#6BA4FF",
    key="#FF8972",
    value="#5EE0B0",
    output="#E3AEEA",
    masked="#9CA1A9",
    hatch="#5B6068",
    mask_ground="#1D2024",
    beam="#E09E2D",
    above="#CC9646",
    below="#619BAB",
)

# The stop at .04 keeps 1/T visible for 12 to 40 tokens when the range is 0 to 1.
_WEIGHTS: dict[str, Scale] = {
    "light": (
        (0, "#FFFFFF"),
        (0.04, "#FEF6E3"),
        (0.15, "#FCE3AE"),
        (0.35, "#F6BC55"),
        (0.6, "#D9821A"),
        (0.8, "#A35208"),
        (1, "#4E2403"),
    ),
    "dark": (
        (0, "#121417"),
        (0.04, "#231D14"),
        (0.15, "#54390F"),
        (0.35, "#9C6511"),
        (0.6, "#DD9A26"),
        (0.8, "#F8C75F"),
        (1, "#FFF4D2"),
    ),
}

# Not blue to red: blue is the query's and red the key's.
_SCORES: dict[str, Scale] = {
    "light": ((0, "#15424F"), (0.25, "#6A9DAA"), (0.5, "#FFFFFF"), (0.75, "#EBAA4A"), (1, "#7A3B05")),
    "dark": ((0, "#A9DCE8"), (0.25, "#4A8798"), (0.5, "#121417"), (0.75, "#AE7014"), (1, "#FFD98A")),
}

# For several heads in one picture. The first is the beam, a weight's own colour. Any two of them are at least
# .14 apart in OKLab for normal, protanope and deuteranope sight; all are 3 to 1 on the background.
_HEADS = {
    "light": ("#D47D18", "#462373", "#2393F1", "#AE3200", "#40A19B", "#1F5DC2", "#6F0C1C", "#007277"),
    "dark": ("#E09E2D", "#A28BFF", "#E3C1FE", "#7A7A00", "#FFDBA3", "#4760CD", "#A99197", "#666072"),
}

# Below zero a role's matrix is weak grey: two hues of one lightness look alike to a deuteranope.
_BELOW_ZERO = {"light": "#B4B8BE", "dark": "#565B63"}


def palette(name: str) -> Palette:
    """The palette of a theme: "dark", or light for anything else."""
    return DARK if name == "dark" else LIGHT


def weight_scale(p: Palette) -> Scale:
    """From no weight (the background itself) to the whole of it."""
    return _WEIGHTS[p.name]


def score_scale(p: Palette) -> Scale:
    """From the most negative score to the most positive, zero in the middle."""
    return _SCORES[p.name]


def head_colours(p: Palette) -> tuple[str, ...]:
    """Eight colours for the lines of up to eight heads; each head is told by its name too."""
    return _HEADS[p.name]


def role_scale(p: Palette, role: Role) -> Scale:
    """For the signed entries of Q, K, V, Z and X (ink): colour above zero, weak grey below.

    >>> role_scale(LIGHT, "value")
    ((0, '#B4B8BE'), (0.5, '#FFFFFF'), (1, '#007A5C'))
    """
    colour = {"query": p.query, "key": p.key, "value": p.value, "output": p.output, "ink": p.ink}[role]
    return ((0, _BELOW_ZERO[p.name]), (0.5, p.bg), (1, colour))


@lru_cache(maxsize=64)
def lut(scale: Scale) -> tuple[str, ...]:
    """A scale as 256 colours, evenly spaced from its first stop to its last."""
    at = np.linspace(0, 1, 256)
    stops = [t for t, _ in scale]
    lab = np.stack([_oklab(_rgb(colour)) for _, colour in scale])
    blend = np.stack([np.interp(at, stops, lab[:, axis]) for axis in range(3)], axis=-1)
    return tuple(_hex(row) for row in _srgb(blend))


def shade(scale: Scale, t: float) -> str:
    """The colour at t, which is held between 0 and 1.

    >>> shade(weight_scale(LIGHT), 0.0), shade(weight_scale(LIGHT), 7.0)
    ('#FFFFFF', '#4E2403')
    """
    return lut(scale)[round(255 * min(1.0, max(0.0, t)))]


def plotly_scale(scale: Scale) -> list[list[float | str]]:
    """A scale as Plotly wants it; 52 stops, since Plotly blends in sRGB between them."""
    colours = lut(scale)
    return [[index / 255, colours[index]] for index in range(0, 256, 5)]


def contrast(a: str, b: str) -> float:
    """How far apart two colours are in lightness, 1 to 21 (WCAG 2.2, "contrast ratio").

    >>> contrast("#000000", "#FFFFFF")
    21.0
    """
    dark, light = sorted((_luminance(a), _luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def text_on(colour: str) -> Literal["#000000", "#FFFFFF"]:
    """Black or white, whichever reads better on this colour; one of them is always above 4.5."""
    return "#000000" if contrast("#000000", colour) >= contrast("#FFFFFF", colour) else "#FFFFFF"


def _rgb(colour: str) -> _Floats:
    return np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])


def _hex(rgb: _Floats) -> str:
    return "#" + "".join(f"{round(255 * float(channel)):02X}" for channel in rgb)


def _linear(rgb: _Floats) -> _Floats:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _gamma(linear: _Floats) -> _Floats:
    held = np.clip(linear, 0, 1)
    return np.where(held <= 0.0031308, held * 12.92, 1.055 * held ** (1 / 2.4) - 0.055)


def _luminance(colour: str) -> float:
    return float(_linear(_rgb(colour)) @ np.array([0.2126, 0.7152, 0.0722]))


_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(rgb: _Floats) -> _Floats:
    lab: _Floats = np.cbrt(_linear(rgb) @ _TO_LMS.T) @ _TO_LAB.T
    return lab


def _srgb(lab: _Floats) -> _Floats:
    lms = (lab @ np.linalg.inv(_TO_LAB).T) ** 3
    return _gamma(lms @ np.linalg.inv(_TO_LMS).T)
