"""What a heatmap draws inside its block: cells, hatch, numbers, and points to hover."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool

from attention.figures.frame import frame
from attention.figures.mask_runs import outlines
from attention.figures.numbers import cell, exact
from attention.figures.picture import FLOOR, Picture, blind, closed, heights, legend, top
from attention.figures.theme import Palette, lut, plotly_scale, text_on, weight_scale

_MOST_WITH_GAPS = 24


def weights(picture: Picture, palette: Palette) -> go.Heatmap:
    """The cells themselves. What is masked is a hole, not a number."""
    values = np.where(picture.allowed, picture.values, np.nan).astype(np.float32)
    shaded, low, high, true, read = values, 0.0, top(picture), None, "z"
    if picture.range == "log":
        shaded, low, high = np.log10(np.clip(values, FLOOR, None)), float(np.log10(FLOOR)), 0.0
        true, read = values, "customdata"
    gap = 1 if max(values.shape) <= _MOST_WITH_GAPS else 0
    return go.Heatmap(
        name="weights",
        z=shaded,
        customdata=true,
        zmin=low,
        zmax=high,
        colorscale=plotly_scale(weight_scale(palette)),
        colorbar=colour_bar([(low + t * (high - low), text) for t, text in legend(picture)], palette),
        xgap=gap,
        ygap=gap,
        hoverongaps=False,
        hovertemplate=f"%{{y}} looks at %{{x}}<br>weight %{{{read}:.4~g}}<extra></extra>",
    )


def colour_bar(marks: Sequence[tuple[float, str]], palette: Palette) -> dict[str, object]:
    """A bar under the left corner; the marks are numbers of the scale and what is written there."""
    return {
        "orientation": "h",
        "thickness": 7,
        "len": 150,
        "lenmode": "pixels",
        "x": 0,
        "xanchor": "left",
        "xpad": 0,
        "y": 0,
        "yanchor": "top",
        "ypad": 14,
        "outlinewidth": 0,
        "tickvals": [at for at, _ in marks],
        "ticktext": [text for _, text in marks],
        "tickfont": {"size": 11, "color": palette.text2},
    }


def hatch(picture: Picture, palette: Palette) -> go.Scatter:
    """The masked cells: blank would mean "small", hatch means "not allowed"."""
    return hatched(picture.allowed, palette)


def hatched(allowed: Bool[np.ndarray, "row column"], palette: Palette) -> go.Scatter:
    """One filled path over all cells that are not open."""
    x, y = outlines(allowed)
    return go.Scatter(
        name="masked",
        x=x,
        y=y,
        xaxis="x2",
        yaxis="y2",
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillpattern={
            "shape": "/",
            "size": 5,
            "solidity": 0.18,
            "fgcolor": palette.hatch,
            "bgcolor": palette.mask_ground,
            "fillmode": "replace",
        },
        hoverinfo="skip",
        showlegend=False,
    )


def hover_points(picture: Picture) -> go.Scatter:
    """A point in the middle of every cell, since Plotly says nothing over a hole in a heatmap."""
    rows, columns = picture.values.shape
    places = [(row, column) for row in range(rows) for column in range(columns)]
    area = frame(picture)
    return go.Scatter(
        name="cells",
        x=[column for _, column in places],
        y=[row for row, _ in places],
        mode="markers",
        marker={"symbol": "square", "size": min(area.width / columns, area.height / rows), "opacity": 0},
        hovertext=_readings(picture),
        hovertemplate="%{y} looks at %{x}<br>%{hovertext}<extra></extra>",
        showlegend=False,
    )


def _readings(picture: Picture) -> list[str]:
    sightless = set(blind(picture))
    return [
        f"weight {exact(float(picture.values[row, column]))}"
        if picture.allowed[row, column]
        else closed(picture, sightless=row in sightless)
        for row, column in np.ndindex(picture.values.shape)
    ]


def numbers(picture: Picture, palette: Palette) -> go.Scatter:
    """Black or white by the shade beneath: Plotly's own choice cannot be read on middle amber."""
    texts = np.vectorize(cell, otypes=[object])(picture.values)
    rows, columns = np.nonzero(picture.allowed & (texts != ""))
    shades = np.array(lut(weight_scale(palette)))[np.rint(255 * heights(picture)).astype(int)]
    return go.Scatter(
        name="numbers",
        x=columns.tolist(),
        y=rows.tolist(),
        xaxis="x2",
        yaxis="y2",
        mode="text",
        text=texts[rows, columns].tolist(),
        textfont={"size": 12, "color": [text_on(shade) for shade in shades[rows, columns]]},
        hoverinfo="skip",
        showlegend=False,
    )
