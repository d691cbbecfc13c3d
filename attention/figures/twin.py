"""Charts and grids in words and as tables: every picture has a twin for readers who do not see it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from attention.figures import chart, grid
from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid
from attention.figures.labels import numbered, plain_label
from attention.figures.numbers import measured

Drawn: TypeAlias = Chart | Grid
Table: TypeAlias = tuple[tuple[str, ...], Mapping[str, NDArray[np.float64]]]
"""Row labels, and the columns by their names."""

_LONGEST = 64


def describe(picture: Drawn) -> str:
    """The picture in words.

    >>> from attention.figures.chart import Axis, Chart, Series
    >>> describe(Chart("Growth", Axis("d"), Axis("variance"), (Series("measured", [4, 8], [4.1, 7.9]),)))
    'Growth. Chart of variance over d. measured: 2 numbers, from 4.1 at 4 to 7.9 at 8.'
    """
    said = _said_chart(picture) if isinstance(picture, Chart) else _said_grid(picture)
    return " ".join(line if line.endswith((".", "!", "?")) else f"{line}." for line in said)


def table(picture: Drawn) -> Table:
    """The numbers of the picture, a row a place; equal names carry the place where they stand.

    Series over different places share one row a place; where one has several numbers at a place, each series
    has two columns of its own.
    """
    return _grid_table(picture) if isinstance(picture, Grid) else _chart_table(picture)


def corner(picture: Drawn) -> str:
    """What stands over the row labels of the table."""
    if isinstance(picture, Grid):
        return f"{picture.row_title} ↓ {picture.column_title} →"
    return picture.x.title


def notes(picture: Drawn) -> tuple[str, ...]:
    """The lines under the picture."""
    return grid.notes(picture) if isinstance(picture, Grid) else chart.notes(picture)


def _said_grid(picture: Grid) -> list[str]:
    rows, columns = picture.values.shape
    closed = int((~picture.open).sum())
    said = f"{rows} rows ({plain_label(picture.row_title)}) by {columns} columns"
    said += f" ({plain_label(picture.column_title)})"
    said += f", {closed} {'cell' if closed == 1 else 'cells'} not allowed" if closed else ""
    return [plain_label(picture.title, _LONGEST), said, *_largest(picture), *notes(picture)]


def _largest(picture: Grid) -> list[str]:
    if picture.scale == "allowed" or not picture.open.any():
        return []
    values = np.where(picture.open, picture.values, -np.inf)
    row, column = (int(at) for at in np.unravel_index(int(values.argmax()), values.shape))
    return [f"The largest, {measured(float(values.max()))}, is at {grid.place(picture, row, column)}"]


def _said_chart(picture: Chart) -> list[str]:
    title = plain_label(picture.title, _LONGEST)
    axes = f"Chart of {plain_label(picture.y.title, _LONGEST)} over {plain_label(picture.x.title, _LONGEST)}"
    return [title, axes, *(_said_series(picture.x, one) for one in picture.series), *notes(picture)]


def _said_series(axis: Axis, series: Series) -> str:
    name = plain_label(series.name, _LONGEST)
    x, y = series.points[:, np.isfinite(series.points).all(axis=0)]
    if not len(x):
        return f"{name}: nothing"
    first, last = int(x.argmin()), int(x.argmax())
    ends = f"{measured(float(y[first]))} at {_named(axis, float(x[first]))}"
    if len(x) == 1:
        return f"{name}: {ends}"
    end = f"{measured(float(y[last]))} at {_named(axis, float(x[last]))}"
    return f"{name}: {len(x)} numbers, from {ends} to {end}"


def _named(axis: Axis, at: float) -> str:
    if axis.labels and at == int(at) and 0 <= at < len(axis.labels):
        return plain_label(axis.labels[int(at)])
    return measured(at)


def _grid_table(picture: Grid) -> Table:
    columns = numbered(picture.columns)
    values = np.where(picture.open, picture.values, _closed(picture))
    return numbered(picture.rows), dict(zip(_apart(columns), values.T, strict=True))


def _closed(picture: Grid) -> NDArray[np.float64]:
    """What a cell that is not open has in a table: −∞ of scores, 0 of weights and of "allowed"."""
    if picture.scale in ("weights", "allowed"):
        return np.zeros_like(picture.values)
    return np.where(np.isneginf(picture.values), picture.values, np.nan)


def _chart_table(picture: Chart) -> Table:
    names = _apart([plain_label(series.name, _LONGEST) for series in picture.series])
    if any(len(np.unique(one.points[0])) < len(one.points[0]) for one in picture.series):
        return _long_table(picture, names)
    places = np.unique(np.concatenate([one.points[0] for one in picture.series]))
    columns = {}
    for name, series in zip(names, picture.series, strict=True):
        x, y = series.points
        column = np.full(len(places), np.nan)
        column[np.searchsorted(places, x)] = y
        columns[name] = column
    return tuple(_named(picture.x, place) for place in places.tolist()), columns


def _long_table(picture: Chart, names: Sequence[str]) -> Table:
    longest = max(len(one.points[0]) for one in picture.series)
    columns = {}
    for name, series in zip(names, picture.series, strict=True):
        for title, values in zip((picture.x.title, picture.y.title), series.points, strict=True):
            room = np.full(longest - len(values), np.nan)
            columns[f"{name}: {title}"] = np.concatenate([values, room])
    return tuple(str(at) for at in range(longest)), columns


def _apart(names: Sequence[str]) -> list[str]:
    """The same names, equal ones with their number behind them."""
    counts = Counter(names)
    return [name if counts[name] == 1 else f"{name} ({at})" for at, name in enumerate(names)]
