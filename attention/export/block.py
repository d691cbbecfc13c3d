"""The block of cells on paper."""

import math
from typing import Any, TypeAlias

import numpy as np
from jaxtyping import Bool, Int, UInt8
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, NoNorm
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from attention.export import fonts
from attention.export.plan import SMALL, Plan
from attention.figures.frame import words_fit
from attention.figures.mask_runs import outlines
from attention.figures.numbers import cell
from attention.figures.picture import Picture, blind, heights
from attention.figures.theme import Palette, Scale, lut, text_on, weight_scale

_MOST_WITH_GAPS, _MOST_WITH_NUMBERS = 24, 14
_PIXELS = 1600
_OUTLINE = 1.6
_THIN = 12

_Steps: TypeAlias = Int[np.ndarray, "row column"]
_Open: TypeAlias = Bool[np.ndarray, "row column"]


def block(axes: Axes, picture: Picture, layout: Plan, palette: Palette, *, most_shapes: int) -> None:
    """Cells, hatch, numbers, and the marks of what is in focus."""
    rows, columns = picture.values.shape
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    cells(axes, _steps(picture), picture.allowed, weight_scale(palette), palette, most_shapes=most_shapes)
    if max(rows, columns) <= _MOST_WITH_NUMBERS:
        _numbers(axes, picture, palette)
    _marks(axes, picture, layout, palette)
    _blind(axes, picture, layout, palette)


def cells(
    axes: Axes,
    steps: _Steps,
    allowed: _Open,
    scale: Scale,
    palette: Palette,
    *,
    most_shapes: int,
) -> None:
    """Shaded cells, and hatch where they are not open.

    Args:
        axes: Whose unit is a cell; the first one's middle is at 0, 0.
        steps: Which of the scale's 256 colours each cell has.
        allowed: Which cells are open.
        scale: The colours.
        palette: The theme.
        most_shapes: Up to how many cells a side each is a shape of its own; beyond, all are one image.
    """
    draw = _shapes if max(steps.shape) <= most_shapes else _image
    draw(axes, steps, allowed, scale, palette)
    _hatch(axes, allowed, palette)


def _shapes(axes: Axes, steps: _Steps, allowed: _Open, scale: Scale, palette: Palette) -> None:
    rows, columns = steps.shape
    gaps = max(rows, columns) <= _MOST_WITH_GAPS
    axes.pcolormesh(
        np.arange(columns + 1) - 0.5,
        np.arange(rows + 1) - 0.5,
        np.ma.masked_array(steps, mask=~allowed),
        cmap=ListedColormap(lut(scale)),
        norm=NoNorm(),
        edgecolors=palette.bg if gaps else "face",  # the cell's own edge closes the seam to its neighbour
        linewidth=0.8 if gaps else 0.2,
    )


def _image(axes: Axes, steps: _Steps, allowed: _Open, scale: Scale, palette: Palette) -> None:
    """One image, each cell several pixels wide: some viewers smooth what they enlarge."""
    rows, columns = steps.shape
    colours = _rgb(lut(scale))[steps]
    colours[~allowed] = _rgb((palette.mask_ground,))[0]
    times = math.ceil(_PIXELS / max(rows, columns))
    pixels = colours.repeat(times, axis=0).repeat(times, axis=1)
    reach = (-0.5, columns - 0.5, rows - 0.5, -0.5)
    axes.imshow(pixels, extent=reach, aspect="auto", interpolation="none")


def _hatch(axes: Axes, allowed: _Open, palette: Palette) -> None:
    if allowed.all():
        return
    corners = np.stack(outlines(allowed), axis=-1).reshape(-1, 6, 2)[:, :5]
    strokes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(corners)
    shape = Path(corners.reshape(-1, 2), strokes)
    colours = {"facecolor": palette.mask_ground, "hatchcolor": palette.hatch}
    axes.add_patch(PathPatch(shape, hatch="/" * 6, linewidth=0, **colours))


def _numbers(axes: Axes, picture: Picture, palette: Palette) -> None:
    shades = np.array(lut(weight_scale(palette)))[_steps(picture)]
    centred: dict[str, Any] = {"ha": "center", "va": "center", "fontproperties": fonts.font(SMALL)}
    for row, column in np.argwhere(picture.allowed):
        text = cell(float(picture.values[row, column]))
        axes.text(column, row, text, color=text_on(str(shades[row, column])), **centred)


def _marks(axes: Axes, picture: Picture, layout: Plan, palette: Palette) -> None:
    """Blue round the query's row, ink round the chosen cell; outside thin rows, not over them."""
    if picture.query is None:
        return
    rows, columns = picture.values.shape
    wide, high = _leeway(layout.width / columns), _leeway(layout.height / rows)
    spans = [(-0.5 - wide, columns + 2 * wide, palette.query)]
    if picture.key is not None:
        spans.append((picture.key - 0.5 - wide, 1 + 2 * wide, palette.ink))
    for left, across, colour in spans:
        corner = (left, picture.query - 0.5 - high)
        frame = Rectangle(corner, across, 1 + 2 * high, fill=False, edgecolor=colour, linewidth=_OUTLINE)
        frame.set_clip_on(False)
        axes.add_patch(frame)


def _leeway(pitch: float) -> float:
    return _OUTLINE / 2 / pitch if pitch < _THIN else 0.0


def _blind(axes: Axes, picture: Picture, layout: Plan, palette: Palette) -> None:
    if not words_fit(picture):
        return
    rows, columns = picture.values.shape
    face = fonts.font(min(SMALL, 0.7 * layout.height / rows))
    ground = {"facecolor": palette.mask_ground, "linewidth": 0, "pad": 1}
    centred: dict[str, Any] = {"ha": "center", "va": "center", "color": palette.masked, "bbox": ground}
    for row in blind(picture):
        axes.text((columns - 1) / 2, row, "sees nothing", fontproperties=face, **centred)


def _steps(picture: Picture) -> Int[np.ndarray, "query key"]:
    """Which of the scale's 256 colours each cell has."""
    steps: Int[np.ndarray, "query key"] = np.rint(255 * heights(picture)).astype(np.intp)
    return steps


def _rgb(colours: tuple[str, ...]) -> UInt8[np.ndarray, "colour 3"]:
    return np.array([list(bytes.fromhex(colour[1:])) for colour in colours], dtype=np.uint8)
