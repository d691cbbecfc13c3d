"""A query against every key on paper: strips of products, then the numbers that become of them."""

import numpy as np
from matplotlib.figure import Figure

from attention.export import fonts
from attention.export.canvas import Canvas, canvas
from attention.export.hovers import MOST
from attention.export.plan import GAP, LEGEND, LINE
from attention.export.view import View
from attention.figures.labels import numbered
from attention.figures.neurons import Neurons, column_names, numbers_of, rest_note
from attention.figures.numbers import signed
from attention.figures.strips import colours_of, peak
from attention.figures.theme import Palette, Scale, role_scale, score_scale

_ROW, _STRIP, _SIZE = 14.0, 10.0, 8.0
_HEAD, _PRODUCTS, _BAR = 34.0, 256.0, 44.0
_COLUMN = 12.0
_FADED = 0.35


def draw(view: View, neurons: Neurons, palette: Palette) -> Figure:
    """The query above, a row for each key below, every column under its name."""
    names = numbered(neurons.key_tokens, neurons.key_positions)
    left = 2 * GAP + max(fonts.label_width(name, _SIZE) for name in (*names, neurons.query_token))
    columns = _columns(neurons, left + _PRODUCTS)
    high = _HEAD + _ROW * len(names)
    page = canvas(view, palette, (columns[-1] + GAP, high + 2 * GAP + 2 * LINE * LEGEND))
    _heads(page, neurons, left, columns)
    for row, name in enumerate(names):
        _row(page, neurons, row, name, left, columns)
    _notes(page, neurons, high + 2 * GAP)
    return page.figure


def _columns(neurons: Neurons, start: float) -> list[float]:
    """The right edge of each column of numbers."""
    names, edges = column_names(neurons), []
    for at, name in enumerate(names):
        widest = max(fonts.width(text, _SIZE, bold=True) for text in (name, "−123.456"))
        start += _COLUMN + max(widest, _BAR if at >= len(names) - 2 else 0.0)
        edges.append(start)
    return edges


def _heads(page: Canvas, neurons: Neurons, left: float, columns: list[float]) -> None:
    palette = page.palette
    page.text("key", (left - 2 * GAP, 9), _SIZE, palette.key, ha="right")
    page.text("q · k, dimension by dimension", (left, 9), _SIZE, palette.text2)
    for name, edge in zip(column_names(neurons), columns, strict=True):
        page.text(name, (edge, 9), _SIZE, palette.text2, ha="right")
    label = fonts.label(neurons.query_token, bold=True)
    page.text(label, (left - 2 * GAP, 24), _SIZE, palette.query, bold=True, ha="right")
    _says(page, neurons.query, f"{neurons.query_token}, query", (left, 16))
    _strip(page, neurons.query, (left, 16), peak(neurons.query), role_scale(palette, "query"))


def _row(page: Canvas, neurons: Neurons, row: int, name: str, left: float, columns: list[float]) -> None:
    palette, y = page.palette, _HEAD + _ROW * row
    focused, open_ = row == neurons.key, bool(neurons.allowed[row])
    ink = palette.ink if open_ else palette.masked
    base = y + 0.72 * _ROW
    label = fonts.label(name, bold=focused)
    page.text(label, (left - 2 * GAP, base), _SIZE, palette.key if focused else ink, bold=focused, ha="right")
    scale, limit = score_scale(palette), peak(neurons.products)
    _strip(page, neurons.products[row], (left, y + 2), limit, scale, 1.0 if open_ else _FADED)
    if neurons.products.size <= MOST:
        _says(page, neurons.products[row], f"{neurons.query_token} · {name}", (left, y + 2))
    columns_said = zip(column_names(neurons), numbers_of(neurons, row), strict=True)
    said = ", ".join(f"{column} {number}" for column, number in columns_said)
    page.says((left + _PRODUCTS, y), (columns[-1] - left - _PRODUCTS, _ROW), f"{name}: {said}")
    _bars(page, neurons, row, columns, y + _ROW - 2.5)
    for at, (number, edge) in enumerate(zip(numbers_of(neurons, row), columns, strict=True)):
        weight = open_ and at == len(columns) - 2
        page.text(number, (edge, base), _SIZE, palette.primary if weight else ink, bold=focused, ha="right")


def _bars(page: Canvas, neurons: Neurons, row: int, columns: list[float], y: float) -> None:
    """A weight in amber, what it brings in green; hatch where the query may not look."""
    if not neurons.allowed[row]:
        page.hatch((columns[-2] - _BAR, y - _STRIP), (_BAR, _STRIP + 1))
        return
    shares = neurons.weights[row], neurons.lengths[row] / peak(neurons.lengths)
    for edge, part, colour in zip(columns[-2:], shares, (page.palette.beam, page.palette.value), strict=True):
        wide = _BAR * float(part)
        page.box((edge - wide, y), (wide, 1.6), facecolor=colour)


def _strip(
    page: Canvas,
    values: np.ndarray,
    corner: tuple[float, float],
    limit: float,
    scale: Scale,
    alpha: float = 1.0,
) -> None:
    colours = colours_of(values, limit, scale)
    pixels = np.array([[list(bytes.fromhex(colour[1:])) for colour in colours]], np.uint8).repeat(4, axis=1)
    x, y = corner
    reach = (x, x + _PRODUCTS, y + _STRIP, y)
    page.axes.imshow(pixels, extent=reach, aspect="auto", interpolation="none", alpha=alpha)


def _says(page: Canvas, values: np.ndarray, whose: str, corner: tuple[float, float]) -> None:
    """Each entry of a strip in numbers."""
    wide = _PRODUCTS / len(values)
    for at, value in enumerate(values):
        place = (corner[0] + at * wide, corner[1])
        page.says(place, (wide, _STRIP), f"{whose}, dimension {at}: {signed(float(value))}")


def _notes(page: Canvas, neurons: Neurons, y: float) -> None:
    rest = f"; shown: {note}" if (note := rest_note(neurons)) else ""
    said = f"amber above zero, steel below, ±{peak(neurons.products):.3g}; "
    said += f"each strip adds up to its raw score{rest}"
    for at, line in enumerate(page.lines_of((said,))):
        page.text(line, (0, y + at * LINE * LEGEND), page.scale * LEGEND, page.palette.text2)
