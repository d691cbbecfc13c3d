"""What stands round the cells of a heatmap.

Two pairs of axes lie over one another. The lower pair holds the cells and knows every token by name and
position, which is what a hover reads; it draws no labels. The upper pair shows as many labels as there is
room for (Plotly needs seconds for some hundreds). Both are numeric: Plotly merges equal categories, and a
word that occurs twice would lose a row.
"""

import plotly.graph_objects as go

from attention.figures.frame import (
    LABEL_LIMIT,
    Frame,
    frame,
    leaning,
    notes,
    row_height,
    tick_size,
    ticks,
    words_fit,
)
from attention.figures.labels import safe_label
from attention.figures.picture import Picture, beside, blind
from attention.figures.theme import Palette

FONT = '"Source Sans", "Source Sans 3", system-ui, sans-serif'
CLEAR = "rgba(0,0,0,0)"

_UNDER_THE_BAR = 38
_THIN = 8


def layout(picture: Picture, palette: Palette) -> go.Layout:
    """Everything round the cells: axes, names, marks, margins."""
    area = frame(picture)
    return go.Layout(
        **bare_layout(area, palette),
        xaxis=_named_axis(picture.key_tokens, picture.key_positions, picture.block[1]),
        yaxis=_named_axis(picture.query_tokens, picture.query_positions, picture.block[0], downwards=True),
        xaxis2=_key_labels(picture, palette, area),
        yaxis2=_query_labels(picture, palette, area),
        shapes=_marks(picture, palette, area),
        annotations=[*_axis_names(palette, area), *_blind(picture, palette), *_notes(picture, palette)],
    )


def bare_layout(area: Frame, palette: Palette) -> dict[str, object]:
    """Size, margins and faces of a picture made of cells."""
    lettering = {"family": FONT, "color": palette.ink}
    left, right, top, bottom = area.left, area.right, area.top, area.bottom
    return {
        "width": area.size[0],
        "height": area.size[1],
        "margin": {"l": left, "r": right, "t": top, "b": bottom, "autoexpand": False},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": lettering,
        "hoverlabel": {"bgcolor": palette.panel, "bordercolor": palette.line, "font": lettering},
        "dragmode": False,
        "hovermode": "closest",
    }


def bare_axis(count: int, *, downwards: bool = False) -> dict[str, object]:
    """An axis of cells, whose places are 0, 1, 2, … and which draws nothing by itself."""
    reach = [count - 0.5, -0.5] if downwards else [-0.5, count - 0.5]
    return {
        "range": reach,
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "automargin": False,
        "tickmode": "array",
    }


def _named_axis(
    tokens: tuple[str, ...], positions: tuple[int, ...], block: int, *, downwards: bool = False
) -> dict[str, object]:
    upto = f" and {block - 1} more" if block > 1 else ""
    names = [f"{safe_label(token)} ({at}){upto}" for token, at in zip(tokens, positions, strict=True)]
    return bare_axis(len(tokens), downwards=downwards) | {
        "tickvals": list(range(len(tokens))),
        "ticktext": names,
        "showticklabels": False,
        "ticks": "",
    }


def _key_labels(picture: Picture, palette: Palette, area: Frame) -> dict[str, object]:
    _, tokens = beside(picture)
    shown = ticks(len(tokens), area.width, picture.key)
    return (
        bare_axis(len(tokens))
        | _labels(tokens, shown, palette)
        | {
            "ticktext": [_tick(tokens[at], at == picture.key, palette.key) for at in shown],
            "tickangle": -45 if leaning(len(tokens)) else -90,
            "overlaying": "x",
            "anchor": "y2",
            "side": "top",
        }
    )


def _query_labels(picture: Picture, palette: Palette, area: Frame) -> dict[str, object]:
    tokens, _ = beside(picture)
    shown = ticks(len(tokens), area.height, picture.query)
    axis = bare_axis(len(tokens), downwards=True)
    return (
        axis
        | _labels(tokens, shown, palette)
        | {
            "ticktext": [_tick(tokens[at], at == picture.query, palette.query) for at in shown],
            "overlaying": "y",
            "anchor": "x2",
            "side": "left",
        }
    )


def _labels(tokens: tuple[str, ...], shown: tuple[int, ...], palette: Palette) -> dict[str, object]:
    return {
        "tickvals": list(shown),
        "tickfont": {"size": tick_size(len(tokens)), "color": palette.ink},
        "ticks": "outside",  # invisible: they only hold the labels off the cells
        "ticklen": 4,
        "tickcolor": CLEAR,
        "ticklabeloverflow": "allow",  # by default Plotly drops a label that does not quite fit
    }


def _tick(token: str, focused: bool, colour: str) -> str:
    label = safe_label(token, LABEL_LIMIT)
    return f'<b><span style="color:{colour}">{label}</span></b>' if focused else label


def _marks(picture: Picture, palette: Palette, area: Frame) -> list[dict[str, object]]:
    """Blue round the query's row, ink round the chosen cell."""
    if picture.query is None:
        return []
    wide, high = (
        leeway(area.width / len(picture.key_tokens)),
        leeway(area.height / len(picture.query_tokens)),
    )
    row = (picture.query - 0.5 - high, picture.query + 0.5 + high)
    marks = [outline((-0.5 - wide, len(picture.key_tokens) - 0.5 + wide), row, palette.query)]
    if picture.key is not None:
        marks.append(outline((picture.key - 0.5 - wide, picture.key + 0.5 + wide), row, palette.ink))
    return marks


def leeway(pitch: float) -> float:
    """How far outside its cells an outline runs, in cells: thin rows would vanish under their own outline."""
    return 1 / pitch if pitch < _THIN else 0.0


def outline(across: tuple[float, float], down: tuple[float, float], colour: str) -> dict[str, object]:
    """A frame round some cells."""
    (x0, x1), (y0, y1) = across, down
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": {"color": colour, "width": 2}}


def _axis_names(palette: Palette, area: Frame) -> list[dict[str, object]]:
    corner = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "showarrow": False}
    query = {"text": "query, looks ↓", "xanchor": "right", "xshift": -6, "yanchor": "bottom", "yshift": 4}
    key = {"text": "key, looked at →", "xanchor": "left", "yanchor": "top", "yshift": area.top - 2}
    return [
        corner | query | {"font": {"size": 12, "color": palette.query}},
        corner | key | {"font": {"size": 12, "color": palette.key}},
    ]


def _blind(picture: Picture, palette: Palette) -> list[dict[str, object]]:
    """The words "sees nothing" on each row without a key, where the rows are high enough."""
    if not words_fit(picture):
        return []
    middle = (len(picture.key_tokens) - 1) / 2
    ink = {"size": min(12, row_height(picture) - 2), "color": palette.masked}
    shared = {"text": "sees nothing", "x": middle, "showarrow": False, "borderpad": 0}
    shared |= {"font": ink, "bgcolor": palette.mask_ground}
    return [shared | {"y": row} for row in blind(picture)]


def _notes(picture: Picture, palette: Palette) -> list[dict[str, object]]:
    shared = {"xref": "paper", "yref": "paper", "x": 0, "y": 0, "xanchor": "left", "yanchor": "top"}
    shared |= {"showarrow": False, "align": "left", "font": {"size": 12, "color": palette.text2}}
    return [
        shared | {"text": safe_label(line, 80), "yshift": -_UNDER_THE_BAR - 18 * at}
        for at, line in enumerate(notes(picture))
    ]
