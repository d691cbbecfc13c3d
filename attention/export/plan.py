"""How a picture on paper is laid out, in points.

It grows with the number of tokens, so that every label can be read: about 7 inches at 40 tokens, 26 at 200.
"""

import math
from dataclasses import dataclass

from attention.export import fonts
from attention.export.view import View, facts, title
from attention.figures.frame import leaning, notes
from attention.figures.picture import Picture, beside

EDGE = 16.0
TITLE, SMALL, LEGEND = 12.0, 8.0, 7.5
LINE = 1.45
BAR = (150.0, 6.0)
GAP = 5.0

_WIDE, _NARROW, _MIDDLE, _LARGEST = 30.0, 9.0, 480.0, 1900.0
_SHORTEST_SIDE, _SHORTEST_PAGE, _FIRST_TO_GROW = 120.0, 420.0, 900.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Sizes and places; y is counted downwards from the top edge.

    ``scale`` enlarges everything but the cells and their labels: on a large page the title must still be
    found. ``rise`` is the height of the key labels above the cells.
    """

    page: tuple[float, float]
    left: float
    top: float
    width: float
    height: float
    label_size: float
    scale: float
    rise: float
    title: tuple[str, ...]
    facts: tuple[str, ...]


def plan(view: View) -> Plan:
    """Everything in its place, text measured in the face it is drawn in."""
    picture = view.picture
    rows, columns = picture.values.shape
    width, height = _side(columns, rows), _side(rows, columns)
    size = label_size(max(rows, columns))
    left = EDGE + max(76.0, _longest(beside(picture)[0], size) + GAP)
    page_width = max(_SHORTEST_PAGE, left + width + max(EDGE, _overhang(picture, width, size)))
    scale = max(1.0, page_width / _FIRST_TO_GROW)
    room = page_width - 2 * EDGE
    heading = fonts.wrap(title(view), scale * TITLE, room, 2, bold=True)
    small = [
        line for text in (subtitle(view), sentence(view)) for line in fonts.wrap(text, scale * SMALL, room, 3)
    ]
    rise = _rise(picture, size)
    head = EDGE + scale * LINE * (TITLE * len(heading) + SMALL * (len(small) + 2.5))
    foot = 2 * GAP + scale * (BAR[1] + LINE * LEGEND * (1.5 + len(notes(picture)))) + EDGE
    return Plan(
        page=(page_width, head + rise + height + foot),
        left=left,
        top=head + rise,
        width=width,
        height=height,
        label_size=size,
        scale=scale,
        rise=rise,
        title=tuple(heading),
        facts=tuple(small),
    )


def subtitle(view: View) -> str:
    """Which weights these are, and what was done to them."""
    return " · ".join([f"revision {view.revision}", view.dtype, view.changes])


def sentence(view: View) -> str:
    """What was read."""
    said = facts(view)
    return " / ".join(said[name] for name in ("text", "second sentence") if name in said)


def label_size(n_labels: int) -> float:
    """Height of the labels when an axis has this many."""
    return min(9.5, max(6.0, 0.75 * _pitch(n_labels)))


def _pitch(n_labels: int) -> float:
    if n_labels <= 14:
        return _WIDE
    return min(_LARGEST / n_labels, max(_NARROW, min(_WIDE, _MIDDLE / n_labels)))


def _side(n_labels: int, n_other: int) -> float:
    pitch = _pitch(max(n_labels, n_other))
    return max(pitch * n_labels, min(_WIDE * n_labels, _SHORTEST_SIDE))


def _longest(tokens: tuple[str, ...], size: float) -> float:
    return max(fonts.label_width(token, size) for token in set(tokens))


def _rise(picture: Picture, size: float) -> float:
    """Height of the key labels above the block."""
    longest = _longest(beside(picture)[1], size)
    if leaning(len(picture.key_tokens)):
        return (longest + size) * math.sqrt(0.5) + GAP
    return longest + GAP


def _overhang(picture: Picture, width: float, size: float) -> float:
    """How far leaning labels reach past the block, and the edge of the page beyond."""
    count = len(picture.key_tokens)
    if not leaning(count):
        return EDGE
    reach = (
        fonts.label_width(token, size) * math.sqrt(0.5) - width / count * (count - at - 0.5)
        for at, token in enumerate(beside(picture)[1])
    )
    return max(reach) + EDGE
