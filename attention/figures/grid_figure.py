"""A grid in Plotly: cells, hatch, numbers, names, and points that take clicks.

Two pairs of axes lie over one another, as in the heatmap of a head: see ``heatmap_layout``.
"""

import numpy as np
import plotly.graph_objects as go

from attention.figures.frame import leaning, tick_size, ticks
from attention.figures.grid import (
    LABEL_LIMIT,
    MOST_WITH_GAPS,
    MOST_WITH_NUMBERS,
    Grid,
    attends,
    cell_text,
    colours,
    heights,
    legend,
    limit,
    reading,
)
from attention.figures.grid_frame import GridFrame, grid_frame
from attention.figures.heatmap_layout import CLEAR, bare_axis, bare_layout, leeway, outline
from attention.figures.heatmap_traces import colour_bar, hatched
from attention.figures.labels import safe_label
from attention.figures.theme import Palette, lut, plotly_scale, text_on

_MOST_TO_CLICK = 64
_LONGEST_TITLE = 40


def grid_figure(grid: Grid, palette: Palette) -> go.Figure:
    """Rows down, columns across.

    The traces are named "values", "masked", "cells" (invisible points that take clicks, up to 64 a side;
    their customdata is row and column) and "numbers" (up to 14 a side).
    """
    figure = go.Figure(layout=_layout(grid, palette))
    figure.add_trace(_cells(grid, palette))
    figure.add_trace(hatched(grid.open, palette))
    longer = max(grid.values.shape)
    if longer <= _MOST_TO_CLICK:
        figure.add_trace(_points(grid))
    if longer <= MOST_WITH_NUMBERS:
        figure.add_trace(_numbers(grid, palette))
    return figure


def _layout(grid: Grid, palette: Palette) -> go.Layout:
    area = grid_frame(grid)
    rows, columns = grid.values.shape
    return go.Layout(
        **bare_layout(area, palette),
        xaxis=bare_axis(columns) | _hover_names(grid.columns),
        yaxis=bare_axis(rows, downwards=True) | _hover_names(grid.rows),
        xaxis2=_column_names(grid, palette, area),
        yaxis2=_row_names(grid, palette, area),
        shapes=_marks(grid, palette, area),
        annotations=_titles(grid, palette, area),
    )


def _hover_names(names: tuple[str, ...]) -> dict[str, object]:
    """What a hover calls each row or column; nothing is drawn."""
    texts = [f"{safe_label(name)} ({at})" for at, name in enumerate(names)]
    shown = {"showticklabels": False, "ticks": ""}
    return shown | {"tickvals": list(range(len(names))), "ticktext": texts}


def _column_names(grid: Grid, palette: Palette, area: GridFrame) -> dict[str, object]:
    shown = ticks(len(grid.columns), area.width, grid.focus_column)
    angle = 0 if area.level else -45 if leaning(len(grid.columns)) else -90
    above = {"tickangle": angle, "overlaying": "x", "anchor": "y2", "side": "top"}
    names = _names(grid.columns, shown, grid.focus_column, palette.key if attends(grid) else palette.ink)
    return bare_axis(len(grid.columns)) | _tick_marks(len(grid.columns), shown, palette) | names | above


def _row_names(grid: Grid, palette: Palette, area: GridFrame) -> dict[str, object]:
    shown = ticks(len(grid.rows), area.height, grid.focus_row)
    beside = {"overlaying": "y", "anchor": "x2", "side": "left"}
    names = _names(grid.rows, shown, grid.focus_row, palette.query if attends(grid) else palette.ink)
    axis = bare_axis(len(grid.rows), downwards=True)
    return axis | _tick_marks(len(grid.rows), shown, palette) | names | beside


def _names(
    names: tuple[str, ...], shown: tuple[int, ...], focus: int | None, colour: str
) -> dict[str, object]:
    labels = [safe_label(names[at], LABEL_LIMIT) for at in shown]
    bold = f'<b><span style="color:{colour}">{{}}</span></b>'
    texts = [bold.format(label) if at == focus else label for at, label in zip(shown, labels, strict=True)]
    return {"ticktext": texts}


def _tick_marks(count: int, shown: tuple[int, ...], palette: Palette) -> dict[str, object]:
    return {
        "tickvals": list(shown),
        "tickfont": {"size": tick_size(count), "color": palette.ink},
        "ticks": "outside",  # invisible: they only hold the labels off the cells
        "ticklen": 4,
        "tickcolor": CLEAR,
        "ticklabeloverflow": "allow",
    }


def _marks(grid: Grid, palette: Palette, area: GridFrame) -> list[dict[str, object]]:
    """Round the row in focus, round the column, and in ink round their cell; as in the heatmap of a head."""
    rows, columns = grid.values.shape
    wide, high = leeway(area.width / columns), leeway(area.height / rows)
    across, down = (-0.5 - wide, columns - 0.5 + wide), (-0.5 - high, rows - 0.5 + high)
    row, column = grid.focus_row, grid.focus_column
    strip = None if row is None else (row - 0.5 - high, row + 0.5 + high)
    pole = None if column is None else (column - 0.5 - wide, column + 0.5 + wide)
    by_row, by_column = (palette.query, palette.key) if attends(grid) else (palette.ink, palette.ink)
    part = _part(grid, palette)
    if strip and pole:
        return [*part, outline(across, strip, by_row), outline(pole, strip, palette.ink)]
    if strip:
        return [*part, outline(across, strip, by_row)]
    return [*part, outline(pole, down, by_column)] if pole else part


def _part(grid: Grid, palette: Palette) -> list[dict[str, object]]:
    if grid.part is None:
        return []
    down, across = ((cells.start - 0.5, cells.stop - 0.5) for cells in grid.part)
    return [outline(across, down, palette.ink)]


def _titles(grid: Grid, palette: Palette, area: GridFrame) -> list[dict[str, object]]:
    """The names of both axes in the corner where they meet."""
    corner = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "showarrow": False}
    down: dict[str, object] = {
        "text": f"{safe_label(grid.row_title, _LONGEST_TITLE)} ↓",
        "xanchor": "right",
        "xshift": -6,
    }
    down |= {"yanchor": "bottom", "yshift": 4}
    along: dict[str, object] = {
        "text": f"{safe_label(grid.column_title, _LONGEST_TITLE)} →",
        "xanchor": "left",
    }
    along |= {"yanchor": "top", "yshift": area.top - 2}
    query, key = (palette.query, palette.key) if attends(grid) else (palette.text2, palette.text2)
    return [
        corner | down | {"font": {"size": 12, "color": query}},
        corner | along | {"font": {"size": 12, "color": key}},
    ]


def _cells(grid: Grid, palette: Palette) -> go.Heatmap:
    end = limit(grid)
    low = 0.0 if grid.scale in ("weights", "allowed") else -end
    marks = [(low + t * (end - low), text) for t, text in legend(grid)]
    gap = 1 if max(grid.values.shape) <= MOST_WITH_GAPS else 0
    return go.Heatmap(
        name="values",
        z=np.where(grid.open, grid.values, np.nan).astype(np.float32),
        zmin=low,
        zmax=end,
        colorscale=plotly_scale(colours(grid, palette)),
        showscale=bool(marks),
        colorbar=colour_bar(marks, palette),
        xgap=gap,
        ygap=gap,
        hoverongaps=False,
        hovertemplate="%{y}, %{x}<br>%{z:.4~g}<extra></extra>",
    )


def _places(grid: Grid) -> list[tuple[int, int]]:
    return [(int(row), int(column)) for row, column in np.ndindex(grid.values.shape)]


def _points(grid: Grid) -> go.Scatter:
    """A point in the middle of every cell, since Streamlit hears no clicks on a heatmap's own cells."""
    area, places = grid_frame(grid), _places(grid)
    unseen = {"marker": {"opacity": 0}}
    side = min(area.width / len(grid.columns), area.height / len(grid.rows))
    return go.Scatter(
        name="cells",
        x=[column for _, column in places],
        y=[row for row, _ in places],
        mode="markers",
        marker={"symbol": "square", "size": side, "opacity": 0},
        selected=unseen,
        unselected=unseen,
        customdata=[list(at) for at in places],
        hovertext=[reading(grid, *at) for at in places],
        hovertemplate="%{y}, %{x}<br>%{hovertext}<extra></extra>",
        showlegend=False,
    )


def _numbers(grid: Grid, palette: Palette) -> go.Scatter:
    """Black or white by the shade beneath; on the hatch, its own grey."""
    shades = np.array(lut(colours(grid, palette)))[np.rint(255 * heights(grid)).astype(int)]
    written = [(at, text) for at in _places(grid) if (text := cell_text(grid, *at))]
    return go.Scatter(
        name="numbers",
        x=[column for (_, column), _ in written],
        y=[row for (row, _), _ in written],
        xaxis="x2",
        yaxis="y2",
        mode="text",
        text=[text for _, text in written],
        textfont={
            "size": 12,
            "color": [text_on(str(shades[at])) if grid.open[at] else palette.masked for at, _ in written],
        },
        selected={"textfont": {"color": palette.ink}},
        hoverinfo="skip",
        showlegend=False,
    )
