"""The lit sentence on paper: chips with their shades, numbers under them, a word's pieces joined."""

from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from attention.export import fonts
from attention.export.canvas import Canvas, bar_height, canvas
from attention.export.plan import GAP
from attention.export.view import View
from attention.figures.labels import plain_label
from attention.figures.lit_sentence import LEAST_SHADE, LitSentence, meanings, number, words
from attention.figures.numbers import share
from attention.figures.theme import Palette, shade, text_on, weight_scale

_ROOM = 520.0
_BETWEEN = 5.0
_INSET = 5.0
_OUTLINE = 1.5


@dataclass(frozen=True)
class _Place:
    """Where a chip stands, by its upper left corner."""

    x: float
    y: float
    width: float


def draw(view: View, sentence: LitSentence, palette: Palette) -> Figure:
    """All chips in lines, and what their shades mean."""
    size = _letters(len(sentence.chips))
    places, high = _places(sentence, size)
    wide = max(place.x + place.width for place in places)
    notes = meanings(sentence)
    page = canvas(view, palette, (max(wide, 400.0), high + bar_height(notes)))
    for at, place in enumerate(places):
        _chip(page, sentence, at, place, size)
        _number(page, sentence, at, place, size)
    for at, place in enumerate(places):  # over the shades of their neighbours
        _marks(page, sentence, at, place, size)
        page.says((place.x, place.y), (place.width, _chip_height(size)), _said(sentence, at))
    page.weight_bar(high + 2 * GAP, notes=notes)
    return page.figure


def _letters(n_tokens: int) -> float:
    return 14.0 if n_tokens <= 24 else 12.0 if n_tokens <= 60 else 9.75


def _chip_height(size: float) -> float:
    return 1.65 * size


def _text(sentence: LitSentence, at: int, size: float) -> tuple[str, float, bool]:
    """A chip's text, how high its letters are and whether they are bold."""
    chip, bold = sentence.chips[at], at == sentence.query
    return plain_label(chip.shown), (0.72 if chip.special else 1.0) * size, bold


def _places(sentence: LitSentence, size: float) -> tuple[list[_Place], float]:
    """Chips from left to right, a new line before the word that does not fit; and how high all of it is."""
    places: list[_Place] = []
    x, y, step = 0.0, 2.0, _chip_height(size) + 14.0
    for pieces in words(sentence):
        widths = [_width(sentence, at, size) for at in pieces]
        if places and x + sum(widths) > _ROOM:
            x, y = 0.0, y + step
        for width in widths:
            places.append(_Place(x, y, width))
            x += width
        x += _BETWEEN
    return places, y + step


def _width(sentence: LitSentence, at: int, size: float) -> float:
    text, letters, _ = _text(sentence, at, size)
    return fonts.width(fonts.drawable(text, bold=True), letters, bold=True) + 2 * _INSET


def _chip(page: Canvas, sentence: LitSentence, at: int, place: _Place, size: float) -> None:
    corner, high = (place.x, place.y), _chip_height(size)
    text, letters, bold = _text(sentence, at, size)
    light = float(sentence.light[at])
    colour = page.palette.text2 if sentence.chips[at].special else page.palette.ink
    if not sentence.allowed[at]:
        page.hatch(corner, (place.width, high))
        colour = page.palette.text2
    else:
        fill = shade(weight_scale(page.palette), light)
        page.box(corner, (place.width, high), facecolor=fill)
        colour = text_on(fill) if light >= LEAST_SHADE else colour
    middle = (place.x + place.width / 2, place.y + high / 2)
    page.text(text, middle, letters, colour, bold=bold, ha="center", va="center_baseline")


def _said(sentence: LitSentence, at: int) -> str:
    """A token and its light, to three digits."""
    light = share(float(sentence.light[at])) if sentence.allowed[at] else "masked"
    return f"{sentence.chips[at].shown} ({at}): {light}"


def _number(page: Canvas, sentence: LitSentence, at: int, place: _Place, size: float) -> None:
    text = number(sentence, at)
    colour = page.palette.text2
    if at == sentence.query:
        colour = page.palette.query
    elif at == sentence.key:
        colour = page.palette.key
    bold = at in (sentence.query, sentence.key)
    below = (place.x + place.width / 2, place.y + _chip_height(size) + 9.0)
    page.text(text, below, 8.0, colour, bold=bold, ha="center")


def _marks(page: Canvas, sentence: LitSentence, at: int, place: _Place, size: float) -> None:
    """The seam inside a word, the line under the key, the frame round the query."""
    high = _chip_height(size)
    if sentence.chips[at].joined and at:
        seam = ((place.x, place.x), (place.y, place.y + high))
        page.axes.plot(*seam, color=page.palette.hatch, linewidth=0.75, linestyle=(0, (2, 2)))
    if at == sentence.query:
        frame = FancyBboxPatch((place.x, place.y), place.width, high, boxstyle="round,pad=0,rounding_size=3")
        frame.set(fill=False, edgecolor=page.palette.query, linewidth=_OUTLINE)
        page.axes.add_patch(frame)
    elif at == sentence.key:
        page.box((place.x, place.y + high - 1), (place.width, _OUTLINE), facecolor=page.palette.key)
