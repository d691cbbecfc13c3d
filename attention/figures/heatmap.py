"""The weights of one head as a Plotly heatmap, for notebooks and files; the page draws its own."""

import plotly.graph_objects as go

from attention.figures.frame import frame
from attention.figures.heatmap_layout import layout
from attention.figures.heatmap_traces import hatch, hover_points, numbers, weights
from attention.figures.picture import Picture
from attention.figures.theme import Palette

__all__ = ["Picture", "heatmap", "size"]

_MOST_TO_HOVER = 64
_MOST_WITH_NUMBERS = 14


def size(picture: Picture) -> tuple[int, int]:
    """Width and height that the figure wants; a narrower column squeezes it without harm."""
    return frame(picture).size


def heatmap(picture: Picture, palette: Palette) -> go.Figure:
    """Queries down, keys across; shade is weight, hatch is what the mask forbids.

    The traces are named "weights", "masked", "cells" (invisible points that say what a masked cell is, up to
    64 tokens) and "numbers" (up to 14 tokens).
    """
    figure = go.Figure(layout=layout(picture, palette))
    figure.add_trace(weights(picture, palette))
    figure.add_trace(hatch(picture, palette))
    longer = max(picture.values.shape)
    if longer <= _MOST_TO_HOVER:
        figure.add_trace(hover_points(picture))
    if longer <= _MOST_WITH_NUMBERS:
        figure.add_trace(numbers(picture, palette))
    return figure
