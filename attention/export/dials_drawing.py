"""Dials on paper."""

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from attention.export.canvas import Canvas
from attention.export.plate_canvas import POINT, plate_canvas
from attention.export.plate_sheet import Words
from attention.figures.dials import RADIUS, STEP, Dial, Dials, hand, spot
from attention.figures.theme import Palette

_LETTER = 8.25
_SHADE = 0.18
_POINTS_A_TURN = 120


def draw(dials: Dials, words: Words, palette: Palette) -> Figure:
    """Side by side, each with its name below."""
    page = plate_canvas(words, dials.size, palette)
    for at, dial in enumerate(dials.shown):
        _dial(page, dial, spot(at))
    return page.figure


def _dial(page: Canvas, dial: Dial, middle: tuple[float, float]) -> None:
    """The rim, the sector between the hands, the key's dashed hand with a square, the query's with a dot."""
    palette, (x, y) = page.palette, middle
    rim = {"facecolor": "none", "edgecolor": palette.line, "linewidth": 1.5 * POINT, "clip_on": False}
    page.axes.add_patch(Circle(middle, RADIUS, **rim))
    sector = np.array(sector_corners(dial)) + middle
    page.axes.add_patch(Polygon(sector, facecolor=palette.text2, alpha=_SHADE, linewidth=0))
    for angle, length, colour, dashes in (
        (dial.key, RADIUS - 3, palette.key, (0, (2, 1.3))),
        (dial.query, RADIUS - 2, palette.query, "solid"),
    ):
        end_x, end_y = hand(angle, length)
        line: dict[str, Any] = {
            "color": colour,
            "linewidth": 2 * POINT,
            "linestyle": dashes,
            "solid_capstyle": "butt",
        }
        page.axes.plot([x, x + end_x], [y, y + end_y], **line)
    key, query = hand(dial.key, RADIUS - 3), hand(dial.query, RADIUS - 2)
    page.box((x + key[0] - 2.5, y + key[1] - 2.5), (5, 5), facecolor=palette.key, zorder=3)
    page.axes.add_patch(Circle((x + query[0], y + query[1]), 2.8, facecolor=palette.query, zorder=3))
    page.text(dial.name, (x, y + STEP / 2 + 6), _LETTER, palette.text2, ha="center")


def sector_corners(dial: Dial) -> list[tuple[float, float]]:
    """From the middle to the key's hand and round to the query's; a whole turn and more is the whole dial."""
    turn = max(-2 * math.pi, min(2 * math.pi, dial.apart))
    steps = max(2, math.ceil(_POINTS_A_TURN * abs(turn) / (2 * math.pi)))
    return [(0.0, 0.0), *(hand(dial.key + turn * at / steps, RADIUS - 4) for at in range(steps + 1))]
