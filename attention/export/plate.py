"""A chart or a grid as a file: a picture, a page of its own, a table, or its numbers."""

import io
import re
from collections.abc import Callable, Mapping
from csv import writer
from dataclasses import dataclass, field
from html import escape, unescape
from json import dumps
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attention.export import paper
from attention.export.arrays import array_json
from attention.export.page import document, inline, plotted
from attention.export.paper import Paper
from attention.export.tables import safe
from attention.export.view import printable
from attention.figures import chart_figure, drawings, grid_figure
from attention.figures.chart import Chart
from attention.figures.drawings import Drawing
from attention.figures.grid import Grid
from attention.figures.grid_frame import grid_frame
from attention.figures.labels import visible
from attention.figures.numbers import measured
from attention.figures.theme import LIGHT, Palette
from attention.figures.twin import Drawn, corner, describe, notes, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IN_PYTHON = "mask rule"
"""A fact for programs: files of numbers have it, and what is to be looked at does not."""

_LONGEST_NAME, _MOST_IN_TABLE = 60, 128


@dataclass(frozen=True, eq=False, kw_only=True)
class Plate:
    """A picture with everything its file must say about itself.

    Attributes:
        picture: What it shows; of a drawing, its numbers.
        key: The page and the picture on it, for the name of the file: "scaling-variance".
        facts: What one must know to read the numbers or to make them again: model, revision, sentence, seed.
        caption: What to notice; a little HTML of the page's own.
        drawing: How it is drawn, where that is neither a chart nor a grid.
        markup: Makes the SVG file where the page's own picture is one already.
        arrays: What belongs to the numbers and does not fit into their table, by name.
    """

    picture: Drawn
    key: str
    facts: Mapping[str, str] = field(default_factory=dict)
    caption: str = ""
    drawing: Drawing | None = None
    markup: Callable[[Palette], str] | None = None
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)


def png(plate: Plate, palette: Palette = LIGHT) -> bytes:
    """A bitmap, sharp on a screen of twice the usual resolution."""
    return paper.png(_paper(plate, palette))


def svg(plate: Plate, palette: Palette = LIGHT) -> bytes:
    """Vector graphics whose labels are text; those that are drawn for the file embed their letters."""
    return plate.markup(palette).encode() if plate.markup else paper.svg(_paper(plate, palette))


def pdf(plate: Plate, palette: Palette = LIGHT) -> bytes:
    """One page with its fonts embedded."""
    return paper.pdf(_paper(plate, palette))


def html(plate: Plate, palette: Palette = LIGHT) -> bytes:
    """The picture with its hovers in a file of its own, and its numbers as a table."""
    name, picture = visible(plate.picture.title), plate.picture
    rows, columns = table(picture)
    said = "".join(f"<p>{line}</p>" for line in map(escape, below(plate)))
    body = said + _number_table(corner(picture), rows, columns)
    return document(
        name, _in_picture(plate), _alive(plate, palette), body, spoken=_spoken(plate), palette=palette
    )


def _alive(plate: Plate, palette: Palette) -> str:
    """The picture as a page shows it: a drawing as it is, a chart or a grid with Plotly."""
    picture = plate.picture
    if plate.drawing is not None:
        return inline(svg(plate, palette))
    if isinstance(picture, Chart):
        size = (chart_figure.WIDTH, chart_figure.HEIGHT)
        return plotted(chart_figure.chart_figure(picture, palette), "picture", *size)
    return plotted(grid_figure.grid_figure(picture, palette), "picture", *grid_frame(picture).size)


def _spoken(plate: Plate) -> str:
    return describe(plate.picture) if plate.drawing is None else drawings.describe(plate.drawing)


def csv(plate: Plate) -> bytes:
    """The table to full precision, after the facts, each on a line that begins with ``#``; UTF-8 with a mark.

    Every cell of text is one that a spreadsheet shows and does not reckon.
    """
    sheet = io.StringIO(newline="")
    lines = writer(sheet)
    lines.writerow(["# Headlight", safe(visible(plate.picture.title))])
    for name, value in facts(plate).items():
        lines.writerow([f"# {visible(name)}", safe(visible(value))])
    sheet.write("\r\n")
    rows, columns = table(plate.picture)
    lines.writerow([safe(visible(corner(plate.picture))), *map(safe, columns)])
    for at, row in enumerate(rows):
        lines.writerow([safe(row), *(_figure(values[at]) for values in columns.values())])
    return sheet.getvalue().encode("utf-8-sig")


def npz(plate: Plate) -> bytes:
    """The numbers and their labels as arrays; ``numpy.load(file, allow_pickle=False)`` reads it."""
    file = io.BytesIO()
    labels = {name: np.array([printable(text) for text in texts]) for name, texts in _labels(plate).items()}
    about = {"title": np.array(printable(plate.picture.title)), "facts": np.array(_facts_json(plate))}
    np.savez(file, allow_pickle=False, **(_arrays(plate) | labels | about))
    return file.getvalue()


def json(plate: Plate) -> bytes:
    """The same as strict JSON: what is not finite is a string, "-inf", "inf" or "nan"."""
    head = {"title": printable(plate.picture.title), "facts": facts(plate)}
    head |= {name: [printable(text) for text in texts] for name, texts in _labels(plate).items()}
    body = ",".join(f"{dumps(name)}:{array_json(array)}" for name, array in _arrays(plate).items())
    return f'{dumps(head, ensure_ascii=False)[:-1]}, "arrays": {{{body}}}}}\n'.encode()


def filename(plate: Plate, ext: str) -> str:
    """A name that says what the file holds and that every file system takes.

    >>> from attention.figures.chart import Axis, Chart, Series
    >>> chart = Chart("Variance of q·k", Axis("d"), Axis(""), (Series("", [1], [1]),))
    >>> filename(Plate(picture=chart, key="scaling"), "png")
    'headlight_scaling_variance-of-q-k.png'
    """
    return f"headlight_{_slug(plate.key)}_{_slug(plate.picture.title)}.{ext}"


def facts(plate: Plate) -> dict[str, str]:
    """What was given, without what is empty."""
    return {printable(name): printable(text) for name, text in plate.facts.items() if text}


def _in_picture(plate: Plate) -> dict[str, str]:
    """The facts that are for the eye."""
    return {name: text for name, text in facts(plate).items() if name != IN_PYTHON}


def below(plate: Plate) -> tuple[str, ...]:
    """The lines under the picture: its notes, and what to notice without its markup."""
    caption = unescape(re.sub(r"<[^>]*>", "", plate.caption))
    return tuple(visible(line) for line in (*notes(plate.picture), " ".join(caption.split())) if line)


def _paper(plate: Plate, palette: Palette) -> Paper:
    def draw(most_shapes: int) -> "Figure":
        return _drawn(plate, palette, most_shapes)

    said = "; ".join(f"{name}: {visible(text)}" for name, text in facts(plate).items())
    title = visible(plate.picture.title)
    return Paper(title=title, summary=said or title, spoken=_spoken(plate), draw=draw)


def _drawn(plate: Plate, palette: Palette, most_shapes: int) -> "Figure":
    """Drawn by matplotlib, which is loaded here."""
    from attention.export.plate_chart import draw_chart
    from attention.export.plate_drawings import draw_drawing
    from attention.export.plate_grid import draw_grid
    from attention.export.plate_sheet import Words

    words = Words(visible(plate.picture.title), _in_picture(plate), below(plate))
    if plate.drawing is not None:
        return draw_drawing(plate.drawing, words, palette)
    if isinstance(plate.picture, Grid):
        return draw_grid(plate.picture, words, palette, most_shapes=most_shapes)
    return draw_chart(plate.picture, words, palette)


def _arrays(plate: Plate) -> dict[str, Any]:
    return {**_own_arrays(plate.picture), **plate.arrays}


def _own_arrays(picture: Drawn) -> dict[str, Any]:
    if isinstance(picture, Grid):
        return {"values": np.asarray(picture.values), "allowed": picture.open}
    both = (
        (f"{axis}_{at}", values)
        for at, one in enumerate(picture.series)
        for axis, values in zip("xy", one.points, strict=True)
    )
    return dict(both)


def _labels(plate: Plate) -> dict[str, tuple[str, ...]]:
    picture = plate.picture
    if isinstance(picture, Grid):
        titles = (picture.row_title, picture.column_title)
        return {"rows": picture.rows, "columns": picture.columns, "axes": titles}
    labels = {"series": tuple(one.name for one in picture.series), "axes": (picture.x.title, picture.y.title)}
    return labels | ({"x_labels": picture.x.labels} if picture.x.labels else {})


def _number_table(corner: str, rows: tuple[str, ...], columns: Mapping[str, NDArray[np.float64]]) -> str:
    """The picture's twin, where it does not drown the page."""
    if max(len(rows), len(columns)) > _MOST_IN_TABLE:
        return "<p>The numbers are in the CSV file.</p>"
    heads = "".join(f'<th scope="col">{_cell(name)}</th>' for name in columns)
    lines = "".join(
        f'<tr><th scope="row">{_cell(name)}</th>'
        + "".join(f"<td>{_read(float(values[at]))}</td>" for values in columns.values())
        + "</tr>"
        for at, name in enumerate(rows)
    )
    table = f"<thead><tr><th>{_cell(corner)}</th>{heads}</tr></thead><tbody>{lines}</tbody>"
    return f'<details><summary>The numbers</summary><div class="wide"><table>{table}</table></div></details>'


def _cell(text: str) -> str:
    return f"<bdi>{escape(visible(text))}</bdi>"


def _read(x: float) -> str:
    return "" if np.isnan(x) else measured(x)


def _facts_json(plate: Plate) -> str:
    return dumps(facts(plate), ensure_ascii=False)


def _figure(x: np.float64) -> str:
    """A number to full precision; nothing where there is none."""
    return "" if np.isnan(x) else repr(float(x))


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text)[:_LONGEST_NAME].strip("-").lower() or "picture"
