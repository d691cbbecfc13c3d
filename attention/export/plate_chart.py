"""A chart on paper."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from attention.export import fonts
from attention.export.drawing import bare_axes, write
from attention.export.plan import GAP, LINE
from attention.export.plate_sheet import Body, Sheet, Words, sheet
from attention.figures.chart import Axis, Chart, Series, colour, shape
from attention.figures.chart_axes import Reach, Ticks, axis_ticks, bar_width, drawn_values, reaches
from attention.figures.theme import Palette

_WIDTH, _HEIGHT = 460.0, 240.0
_LETTER = 8.5
_SAMPLE = 22.0
_SYMBOLS = {"circle": "o", "square": "s", "diamond": "D", "triangle": "^", "cross": "x", "star": "*"}
_SEVERAL_BARS = 0.6
_MOST_LEVEL = 7
_MARKS_ON_A_LINE = 7


def draw_chart(chart: Chart, words: Words, palette: Palette) -> Figure:
    """Series over their axes, with legend, on a page with its words."""
    across, up = reaches(chart)
    values = drawn_values(chart)
    along, high = axis_ticks(chart.x, across, values[0]), axis_ticks(chart.y, up, values[1])
    entries = _flow(chart)
    body = _body(chart, along, high, len(entries))
    page = sheet(words, body, palette)
    axes = bare_axes(page.figure, (page.left, page.top), (body.width, body.height))
    axes.set_xlim(*across)
    axes.set_ylim(*up)
    _ground(axes, chart.y, up, high, palette)
    for series in chart.series:
        _draw(axes, chart, series, palette)
    _numbers(page, chart, body, (across, up), (along, high), palette)
    _legend(page, body, entries, chart, palette)
    return page.figure


def _body(chart: Chart, along: Ticks, high: Ticks, n_lines: int) -> Body:
    below = max((fonts.label_width(text, _LETTER) for _, text in along), default=0.0)
    turned = _turned(chart)
    return Body(
        width=_WIDTH,
        height=_HEIGHT,
        left=max((fonts.label_width(text, _LETTER) for _, text in high), default=0.0) + 2 * GAP,
        right=3 * GAP,
        above=LINE * _LETTER * (n_lines + 1) + 2 * GAP,
        below=(0.75 * below if turned else 0.0) + LINE * _LETTER * (2 if not chart.x.title else 2.6) + GAP,
    )


def _turned(chart: Chart) -> bool:
    return len(chart.x.labels) > _MOST_LEVEL


def _ground(axes: Axes, axis: Axis, up: Reach, high: Ticks, palette: Palette) -> None:
    """Hairlines at the heights that are named, and a line to stand on."""
    for place, _ in high:
        axes.axhline(place, color=palette.line, linewidth=0.6, zorder=0)
    if not axis.log and up[0] < 0 < up[1]:
        axes.axhline(0, color=palette.text2, linewidth=0.6, zorder=0)
    axes.axhline(up[0], color=palette.text2, linewidth=1.2, zorder=3)


def _draw(axes: Axes, chart: Chart, series: Series, palette: Palette) -> None:
    if series.mark == "bars":
        _bars(axes, chart, series, palette)
        return
    x, y = _measured(chart, series)
    look = _look(chart, series, palette)
    if series.mark == "line" and len(x) > _MARKS_ON_A_LINE:
        look["markevery"] = max(1, len(x) // _MARKS_ON_A_LINE)
    axes.plot(x, y, **look)


def _look(chart: Chart, series: Series, palette: Palette) -> dict[str, Any]:
    tint = colour(series, palette)
    marked = series.mark != "line" or (len(chart.series) > 1 and not series.dashed)
    return {
        "color": tint,
        "linewidth": 1.5,
        "linestyle": "none" if series.mark == "points" else (0, (4, 3)) if series.dashed else "solid",
        "marker": _SYMBOLS[shape(chart, series)] if marked else "none",
        "markersize": 4.5,
    }


def _bars(axes: Axes, chart: Chart, series: Series, palette: Palette) -> None:
    x, y = _measured(chart, series)
    bars = [one for one in chart.series if one.mark == "bars"]
    floor = axes.get_ylim()[0] if chart.y.log else 0.0
    width, shift = 0.96 * bar_width(x), 0.0
    if chart.x.labels:
        width = 0.75 / len(bars)
        shift = width * (next(at for at, one in enumerate(bars) if one is series) - (len(bars) - 1) / 2)
    seen = _SEVERAL_BARS if len(bars) > 1 and not chart.x.labels else 1.0
    axes.bar(x + shift, y - floor, width, bottom=floor, zorder=2, **_fill(series, palette, seen))


def _fill(series: Series, palette: Palette, seen: float) -> dict[str, Any]:
    look: dict[str, Any] = {"facecolor": colour(series, palette), "alpha": seen, "linewidth": 0}
    if series.dashed or series.role == "masked":
        look |= {"hatch": "/" * 6, "hatchcolor": palette.bg}
    return look


def _measured(chart: Chart, series: Series) -> tuple[np.ndarray, np.ndarray]:
    """The numbers as their axes measure them; what has no logarithm is a gap."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = (
            np.log10(values) if axis.log else values
            for axis, values in zip((chart.x, chart.y), series.points, strict=True)
        )
    return np.where(np.isfinite(x), x, np.nan), np.where(np.isfinite(y), y, np.nan)


def _numbers(
    page: Sheet,
    chart: Chart,
    body: Body,
    ends: tuple[Reach, Reach],
    ticks: tuple[Ticks, Ticks],
    palette: Palette,
) -> None:
    """What is written along both axes, and their titles."""
    face, foot = fonts.font(_LETTER), page.top + body.height
    lean: dict[str, Any] = {"ha": "center", "va": "top"}
    if _turned(chart):
        lean = {"ha": "right", "va": "top", "rotation": 45, "rotation_mode": "anchor"}
    for place, text in ticks[0]:
        at = page.left + body.width * _part(place, ends[0])
        write(page.figure, fonts.label(text), (at, foot + GAP), face, palette.text2, **lean)
    for place, text in ticks[1]:
        at = foot - body.height * _part(place, ends[1])
        beside = (page.left - GAP, at)
        write(page.figure, fonts.label(text), beside, face, palette.text2, ha="right", va="center")
    middle = (page.left + body.width / 2, foot + body.below - GAP)
    write(page.figure, _title(chart.x), middle, face, palette.text2, ha="center")
    corner = (page.left - body.left + GAP, page.top - 1.5 * GAP)
    write(page.figure, _title(chart.y), corner, face, palette.text2)


def _title(axis: Axis) -> str:
    return fonts.wrap(axis.title, _LETTER, _WIDTH, 1)[0] if axis.title else ""


def _part(place: float, reach: Reach) -> float:
    return (place - reach[0]) / (reach[1] - reach[0])


def _flow(chart: Chart) -> list[list[Series]]:
    """The legend's entries, line by line; none for a single series."""
    if len(chart.series) == 1:
        return []
    lines: list[list[Series]] = [[]]
    room = _WIDTH
    for series in chart.series:
        need = _need(series)
        if need > room and lines[-1]:
            lines.append([])
            room = _WIDTH
        lines[-1].append(series)
        room -= need
    return lines


def _need(series: Series) -> float:
    return _SAMPLE + 3 * GAP + fonts.width(_name(series), _LETTER)


def _name(series: Series) -> str:
    return next(iter(fonts.wrap(series.name, _LETTER, _WIDTH / 2, 1)), "")


def _legend(page: Sheet, body: Body, lines: list[list[Series]], chart: Chart, palette: Palette) -> None:
    y = page.top - body.above
    for line in lines:
        x = page.left - body.left + GAP
        y += LINE * _LETTER
        for series in line:
            _sample(page, chart, series, (x, y - 0.35 * _LETTER), palette)
            write(page.figure, _name(series), (x + _SAMPLE + GAP, y), fonts.font(_LETTER), palette.ink)
            x += _need(series)


def _sample(page: Sheet, chart: Chart, series: Series, at: tuple[float, float], palette: Palette) -> None:
    """A piece of the series' line or bar, in the figure's own measure."""
    width, height = 72 * page.figure.get_size_inches()
    x, y = at[0] / width, 1 - at[1] / height
    if series.mark == "bars":
        several = len([one for one in chart.series if one.mark == "bars"]) > 1 and not chart.x.labels
        look = _fill(series, palette, _SEVERAL_BARS if several else 1.0)
        page.figure.add_artist(Rectangle((x, y - 4 / height), _SAMPLE / width, 8 / height, **look))
        return
    places = [x, x + _SAMPLE / width / 2, x + _SAMPLE / width]
    look = _look(chart, series, palette) | {"markevery": [1]}
    page.figure.add_artist(Line2D(places, [y] * 3, **look))
