"""A chart in Plotly."""

import numpy as np
import plotly.graph_objects as go

from attention.figures.chart import Axis, Chart, Series, colour, shape
from attention.figures.chart_axes import Reach, axis_ticks, bar_width, drawn_values, reaches
from attention.figures.heatmap_layout import CLEAR, FONT
from attention.figures.labels import safe_label
from attention.figures.numbers import measured
from attention.figures.theme import Palette

WIDTH, HEIGHT = 640, 340

_SYMBOLS = {"triangle": "triangle-up", "cross": "x-thin-open"}
_LONGEST_NAME, _LONGEST_TITLE = 48, 80
_SEVERAL_BARS = 0.6
_MARKS_ON_A_LINE = 7


def chart_figure(chart: Chart, palette: Palette) -> go.Figure:
    """Series over their axes; the legend stands above, the title of the upward axis at its top.

    Every series has its own mark besides its colour. Hovers give both numbers.
    """
    figure = go.Figure(layout=_layout(chart, palette))
    for series in chart.series:
        figure.add_trace(_trace(chart, series, palette))
    return figure


def _layout(chart: Chart, palette: Palette) -> go.Layout:
    across, up = reaches(chart)
    values = drawn_values(chart)
    tall = 24 if len(chart.series) > 1 else 0
    return go.Layout(
        height=HEIGHT,
        margin={"l": 56, "r": 16, "t": 30 + tall, "b": 52},
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        font={"family": FONT, "size": 13, "color": palette.ink},
        hoverlabel={
            "bgcolor": palette.panel,
            "bordercolor": palette.line,
            "font": {"color": palette.ink, "family": FONT},
        },
        hovermode="closest",
        dragmode=False,
        barmode="group" if chart.x.labels else "overlay",
        bargap=0.25 if chart.x.labels else 0,
        showlegend=len(chart.series) > 1,
        legend=_legend(palette),
        xaxis=_axis(chart.x, across, values[0], palette) | _along(chart, palette),
        yaxis=_axis(chart.y, up, values[1], palette)
        | {"gridcolor": palette.line, "showgrid": True, "zeroline": not chart.y.log and up[0] < 0 < up[1]},
        annotations=[_up_title(chart, palette)],
    )


def _axis(axis: Axis, reach: Reach, values: np.ndarray, palette: Palette) -> dict[str, object]:
    ticks = axis_ticks(axis, reach, values)
    places = [10**place if axis.log else place for place, _ in ticks]
    return {
        "type": "log" if axis.log else "linear",
        "range": list(reach),
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "zerolinecolor": palette.text2,
        "zerolinewidth": 1,
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [safe_label(text) for _, text in ticks],
        "tickfont": {"size": 12, "color": palette.text2},
        "automargin": True,
    }


def _along(chart: Chart, palette: Palette) -> dict[str, object]:
    title = {"text": _title(chart.x, _LONGEST_TITLE), "standoff": 10}
    return {
        "title": title | {"font": {"size": 13, "color": palette.text2}},
        "showline": True,
        "linecolor": palette.text2,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": palette.text2,
        "tickangle": -45 if len(chart.x.labels) > _MARKS_ON_A_LINE else 0,
    }


def _up_title(chart: Chart, palette: Palette) -> dict[str, object]:
    """Upright letters at the top of the axis: turned ones are read last."""
    return {
        "text": _title(chart.y, _LONGEST_TITLE),
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "xshift": -44,
        "yshift": 8,
        "showarrow": False,
        "font": {"size": 13, "color": palette.text2},
    }


def _legend(palette: Palette) -> dict[str, object]:
    return {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 1.12,
        "yanchor": "bottom",
        "font": {"size": 13, "color": palette.ink},
        "itemclick": False,
        "itemdoubleclick": False,
        "bgcolor": CLEAR,
    }


def _trace(chart: Chart, series: Series, palette: Palette) -> go.Scatter | go.Bar:
    named = {
        "name": safe_label(series.name, _LONGEST_NAME),
        "x": series.points[0],
        "y": series.points[1],
        "hovertext": _readings(chart, series),
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    if series.mark == "bars":
        return go.Bar(**named, **_bar(chart, series, palette))
    return go.Scatter(**named, **_line(chart, series, palette))


def _bar(chart: Chart, series: Series, palette: Palette) -> dict[str, object]:
    several = sum(other.mark == "bars" for other in chart.series) > 1
    fill = {"color": colour(series, palette), "line": {"width": 0}}
    fill |= {"pattern": {"shape": "/", "solidity": 0.4}} if series.dashed or series.role == "masked" else {}
    if several and not chart.x.labels:
        fill["line"] = {"width": 1, "color": colour(series, palette)}
    width = {} if chart.x.labels or chart.x.log else {"width": 0.96 * bar_width(series.points[0])}
    opacity = _SEVERAL_BARS if several and not chart.x.labels else 1.0
    return {"marker": fill, "opacity": opacity, **width}


def _line(chart: Chart, series: Series, palette: Palette) -> dict[str, object]:
    """A line of a chart with several carries a few marks, so that it can be told in grey too."""
    tint = colour(series, palette)
    marked = series.mark != "line" or (len(chart.series) > 1 and not series.dashed)
    form = shape(chart, series)
    marker = {"symbol": _SYMBOLS.get(form, form), "size": 7, "color": tint}
    marker |= {"line": {"width": 2, "color": tint}} if form == "cross" else {}
    if series.mark == "line":
        marker["maxdisplayed"] = _MARKS_ON_A_LINE
    mode = {"points": "markers", "both": "lines+markers"}.get(
        series.mark, "lines+markers" if marked else "lines"
    )
    return {
        "mode": mode,
        "line": {"color": tint, "width": 2, "dash": "6px,4px" if series.dashed else "solid"},
        "marker": marker,
        "connectgaps": False,
    }


def _readings(chart: Chart, series: Series) -> list[str]:
    """What a hover says."""
    name = safe_label(series.name, _LONGEST_NAME)
    return [
        f"{name}<br>{_reading(chart.x, x)}<br>{_reading(chart.y, y)}" for x, y in series.points.T.tolist()
    ]


def _title(axis: Axis, limit: int) -> str:
    return safe_label(axis.title, limit) if axis.title else ""


def _reading(axis: Axis, at: float) -> str:
    title = _title(axis, 32)
    return f"{title}: {_place(axis, at)}" if title else _place(axis, at)


def _place(axis: Axis, at: float) -> str:
    if axis.labels and at == int(at) and 0 <= at < len(axis.labels):
        return safe_label(axis.labels[int(at)])
    return measured(at) if np.isfinite(at) else "nothing"
