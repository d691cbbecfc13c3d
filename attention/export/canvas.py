"""A page with its title and facts, and below them an empty place measured in points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from attention.export import fonts
from attention.export.drawing import bare_axes, write
from attention.export.hovers import say
from attention.export.plan import BAR, EDGE, GAP, LEGEND, LINE, SMALL, TITLE, sentence, subtitle
from attention.export.view import View, title
from attention.figures.theme import Palette, lut, weight_scale

_NARROWEST, _FIRST_TO_GROW = 420.0, 900.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Canvas:
    """Where a picture is drawn: x to the right and y downwards from its upper left corner, in points.

    ``scale`` enlarges title, facts and legend on a large page, where they must still be found.
    """

    figure: Figure
    axes: Axes
    palette: Palette
    size: tuple[float, float]
    scale: float

    def text(
        self,
        text: str,
        at: tuple[float, float],
        size: float,
        colour: str,
        *,
        bold: bool = False,
        **placed: Any,
    ) -> None:
        """A line of text whose baseline, unless placed otherwise, begins at a point."""
        face = fonts.font(size, bold=bold)
        spelt = fonts.drawable(text, bold=bold)
        self.axes.text(*at, spelt, fontproperties=face, color=colour, **placed)

    def box(self, corner: tuple[float, float], size: tuple[float, float], **look: Any) -> None:
        """A rectangle by its upper left corner."""
        self.axes.add_patch(Rectangle(corner, *size, **({"linewidth": 0, "clip_on": False} | look)))

    def says(self, corner: tuple[float, float], size: tuple[float, float], text: str) -> None:
        """A rectangle that is not seen, and says something where a pointer rests on it."""
        area = Rectangle(corner, *size, fill=False, linewidth=0, zorder=9)
        say(area, text)
        self.axes.add_patch(area)

    def hatch(self, corner: tuple[float, float], size: tuple[float, float]) -> None:
        """A rectangle in the pattern that means "not allowed"."""
        (x, y), (wide, high) = corner, size
        corners = [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high), (x, y)]
        strokes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY]
        colours = {"facecolor": self.palette.mask_ground, "hatchcolor": self.palette.hatch}
        self.axes.add_patch(PathPatch(Path(corners, strokes), hatch="/" * 6, linewidth=0, **colours))

    def lines_of(self, notes: tuple[str, ...]) -> tuple[str, ...]:
        """Notes in lines that fit the page."""
        size, room = self.scale * LEGEND, self.width - 2 * EDGE
        return tuple(line for note in notes for line in fonts.wrap(note, size, room, 3))

    def weight_bar(self, y: float, *, notes: Sequence[str], end: str = "1") -> None:
        """The colours of weights from 0 to their end, and under them what they stand for, a line each."""
        length, thickness = (self.scale * side for side in BAR)
        left, width = self.axes.get_position().x0 * self.width, length
        bar = bare_axes(self.figure, (left, self.top + y), (width, thickness))
        scale = ListedColormap(lut(weight_scale(self.palette)))
        bar.imshow([list(range(256))], aspect="auto", cmap=scale, interpolation="none")
        size, grey = self.scale * LEGEND, self.palette.text2
        for t, text in ((0.0, "0"), (0.5, "0.5" if end == "1" else ""), (1.0, end)):
            self.text(text, (t * length, y + thickness + size * LINE), size, grey, ha="center")
        for at, note in enumerate(notes, start=2):
            self.text(note, (0, y + thickness + size * LINE * (at + 0.3)), size, grey)

    @property
    def width(self) -> float:
        """Of the whole page."""
        return float(72 * self.figure.get_size_inches()[0])

    @property
    def top(self) -> float:
        """Where the place begins below the page's upper edge."""
        return float(72 * self.figure.get_size_inches()[1]) - EDGE - self.size[1]


def bar_height(notes: Sequence[str]) -> float:
    """How much room the bar of weights takes, with so many lines under it."""
    return 3 * GAP + BAR[1] + LINE * LEGEND * (2 + len(notes))


def canvas(view: View, palette: Palette, size: tuple[float, float]) -> Canvas:
    """A page as large as a picture of this size needs."""
    width = max(_NARROWEST, size[0] + 2 * EDGE)
    scale = max(1.0, width / _FIRST_TO_GROW)
    lines = _heading(view, scale, width - 2 * EDGE)
    top = EDGE + LINE * sum(height for _, height, _ in lines) + 2 * GAP * scale
    height = top + size[1] + EDGE
    figure = Figure(figsize=(width / 72, height / 72), facecolor=palette.bg)
    y = EDGE
    for text, letters, bold in lines:
        y += letters * LINE
        write(figure, text, (EDGE, y), fonts.font(letters, bold=bold), palette.ink if bold else palette.text2)
    axes = bare_axes(figure, (EDGE, top), (width - 2 * EDGE, size[1]))
    axes.set_xlim(0, width - 2 * EDGE)
    axes.set_ylim(size[1], 0)
    return Canvas(figure=figure, axes=axes, palette=palette, size=size, scale=scale)


def _heading(view: View, scale: float, room: float) -> list[tuple[str, float, bool]]:
    """Every line over the picture, how high its letters are, and whether they are bold."""
    large, small = scale * TITLE, scale * SMALL
    lines = [(line, large, True) for line in fonts.wrap(title(view), large, room, 2, bold=True)]
    for text in (subtitle(view), sentence(view)):
        lines += [(line, small, False) for line in fonts.wrap(text, small, room, 3)]
    return lines
