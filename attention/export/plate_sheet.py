"""The page round a chart or a grid: title and facts above, notes and caption below, in points."""

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.figure import Figure

from attention.export import fonts
from attention.export.drawing import write
from attention.export.plan import EDGE, GAP, LINE, SMALL, TITLE
from attention.figures.theme import Palette

_NARROWEST = 420.0


@dataclass(frozen=True)
class Words:
    """What is written round the picture.

    Attributes:
        title: Of the picture.
        facts: What one must know to read it, by name.
        below: Lines under it: notes, then what to notice.
    """

    title: str
    facts: Mapping[str, str]
    below: tuple[str, ...]


@dataclass(frozen=True)
class Body:
    """The picture itself and the room that its own labels take on each side."""

    width: float
    height: float
    left: float
    right: float
    above: float
    below: float


@dataclass(frozen=True, eq=False)
class Sheet:
    """A page whose words are written; the picture goes at left, top."""

    figure: Figure
    left: float
    top: float


def sheet(words: Words, body: Body, palette: Palette) -> Sheet:
    """A page as large as picture and words need."""
    width = max(_NARROWEST, body.left + body.width + body.right + 2 * EDGE)
    room = width - 2 * EDGE
    heading = fonts.wrap(words.title, TITLE, room, 2, bold=True)
    facts = fonts.wrap(" · ".join(f"{name}: {text}" for name, text in words.facts.items()), SMALL, room, 4)
    below = [line for text in words.below for line in fonts.wrap(text, SMALL, room, 4)]
    top = EDGE + LINE * (TITLE * len(heading) + SMALL * len(facts)) + 2 * GAP + body.above
    foot = top + body.height + body.below
    height = foot + LINE * SMALL * len(below) + EDGE
    figure = Figure(figsize=(width / 72, height / 72), facecolor=palette.bg)
    y = EDGE
    for line in heading:
        y += TITLE * LINE
        write(figure, line, (EDGE, y), fonts.font(TITLE, bold=True), palette.ink)
    _lines(figure, facts, y, palette)
    _lines(figure, below, foot, palette)
    return Sheet(figure, EDGE + body.left, top)


def _lines(figure: Figure, lines: list[str], y: float, palette: Palette) -> None:
    for at, line in enumerate(lines, start=1):
        write(figure, line, (EDGE, y + at * SMALL * LINE), fonts.font(SMALL), palette.text2)
