"""The picture of lines on paper: the same curves as on the page, a pixel being three quarters of a point."""

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from attention.export import fonts
from attention.export.canvas import Canvas, canvas
from attention.export.hovers import STROKE, say
from attention.export.plan import GAP, LEGEND, LINE
from attention.export.view import View
from attention.figures import lines as figure
from attention.figures import lines_words
from attention.figures.lines import Lines, Rows, Side
from attention.figures.numbers import share
from attention.figures.theme import Palette, head_colours

POINT = 0.75
_MIDDLE = 260.0
_CURVE = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]


def draw(view: View, lines: Lines, palette: Palette) -> Figure:
    """Both columns of tokens, every line that is on the page, and what the lines are."""
    rows = figure.rows_of(lines)
    left, right = _margin(lines.query_tokens, rows), _margin(lines.key_tokens, rows)
    foot = 3 * GAP + LINE * LEGEND * (2 * len(_notes(lines)) + 1.5)
    page = canvas(view, palette, (left + _MIDDLE + right, POINT * rows.height + foot))
    ends = (left, left + _MIDDLE)
    _headings(page, ends)
    _all_lines(page, lines, ends)
    _tokens(page, lines, rows, "query", ends[0])
    _tokens(page, lines, rows, "key", ends[1])
    _tags(page, lines, rows, ends)
    _foot(page, lines, POINT * rows.height + GAP)
    return page.figure


def _margin(tokens: tuple[str, ...], rows: Rows) -> float:
    return 2 * GAP + max(54.0, *(fonts.label_width(token, POINT * rows.size) for token in set(tokens)))


def _headings(page: Canvas, ends: tuple[float, float]) -> None:
    size = POINT * 13
    page.text("query, looks →", (ends[0] - GAP, size), size, page.palette.query, ha="right")
    page.text("key, looked at", (ends[1] + GAP, size), size, page.palette.key)


def _all_lines(page: Canvas, lines: Lines, ends: tuple[float, float]) -> None:
    """Faint lines first, then those of the locked token."""
    locked = lines.locked is not None
    for own, part in enumerate(figure.drawn(lines)):
        for line in part:
            _line(page, lines, line, ends, figure.opacity(float(line[3]), own=bool(own), locked=locked))


def _line(
    page: Canvas, lines: Lines, line: Float[np.ndarray, " 4"], ends: tuple[float, float], opacity: float
) -> None:
    strand, query, key = (int(index) for index in line[:3])
    weight = float(line[3])
    rows, shift = figure.rows_of(lines), figure.shift(lines, strand)
    start, stop = (POINT * (rows.y(row) + shift) for row in (query, key))
    middle = sum(ends) / 2
    path = Path([(ends[0], start), (middle, start), (middle, stop), (ends[1], stop)], _CURVE)
    look = {"edgecolor": head_colours(page.palette)[strand], "linewidth": POINT * figure.width(weight)}
    curve = PathPatch(path, fill=False, alpha=opacity, **look)
    ends_at = f"{lines.query_tokens[query]} looks at {lines.key_tokens[key]}"
    say(curve, f"{lines.strands[strand].name}: {ends_at}, weight {share(weight)}", STROKE)
    page.axes.add_patch(curve)


def _tokens(page: Canvas, lines: Lines, rows: Rows, side: Side, end: float) -> None:
    """A column of tokens: the focus in its colour, what the locked query may not see struck out."""
    colours = {"query": page.palette.query, "key": page.palette.key}
    tokens, focus = (lines.query_tokens, lines.query) if side == "query" else (lines.key_tokens, lines.key)
    placed = {"ha": "right" if side == "query" else "left", "va": "center"}
    x = end + (-GAP if side == "query" else GAP)
    for row, token in enumerate(tokens):
        focused = row == focus
        closed = side == "key" and lines.query is not None and not lines.allowed[lines.query, row]
        colour = colours[side] if focused else page.palette.masked if closed else page.palette.ink
        label, size = fonts.label(token, bold=focused), POINT * rows.size
        page.text(label, (x, POINT * rows.y(row)), size, colour, bold=focused, **placed)
        if closed:
            wide = fonts.width(label, size, bold=focused)
            page.axes.plot((x, x + wide), (POINT * rows.y(row),) * 2, color=colour, linewidth=0.7)


def _tags(page: Canvas, lines: Lines, rows: Rows, ends: tuple[float, float]) -> None:
    """The heads' names, each where its heaviest line of the locked token ends."""
    if lines.locked is None:
        return
    side, at = lines.locked
    left = side == "key"
    x = ends[0] + GAP if left else ends[1] - GAP
    for row, names in lines_words.tags(lines, side, at).items():
        ground = {"facecolor": page.palette.bg, "linewidth": 0, "pad": 0.6, "alpha": 0.85}
        look = {"ha": "left" if left else "right", "va": "center", "bbox": ground}
        page.text(names, (x, POINT * rows.y(row)), LEGEND, page.palette.ink, bold=True, **look)


def _foot(page: Canvas, lines: Lines, y: float) -> None:
    """A swatch and a name for each head, then what has a line and what has none."""
    size = page.scale * LEGEND
    x, y = 0.0, y + size * LINE
    for name, colour in lines_words.legend(lines, page.palette):
        page.box((x, y - 0.55 * size), (16, 3), facecolor=colour)
        page.text(name, (x + 20, y), size, page.palette.ink)
        x += 34 + fonts.width(name, size)
    for note in page.lines_of(_notes(lines)):
        y += size * LINE
        page.text(note, (0, y), size, page.palette.text2)


def _notes(lines: Lines) -> tuple[str, ...]:
    said = f"{lines_words.said(lines)}; thickness: weight"
    return (said, lines.note) if lines.note else (said,)
