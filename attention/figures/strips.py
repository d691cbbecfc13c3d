"""Vectors and learned matrices as rows of coloured cells: the parts several pictures are made of.

A vector longer than its picture is pooled: of each group of neighbours the entry of largest magnitude stands
for all, never the mean, which would be grey wherever signs differ.
"""

import base64
import html
import struct
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.figures.numbers import MINUS, signed
from attention.figures.theme import Palette, Scale, lut

Floats = NDArray[np.floating[Any]]


def group_size(n: int, most: int) -> int:
    """How many neighbours share one cell when n entries get at most `most` cells.

    >>> group_size(384, 48), group_size(32, 48), group_size(100, 48)
    (8, 1, 3)
    """
    return max(1, -(-n // most))


def strongest(values: Floats, most: int) -> Floats:
    """Pool the last axis to at most `most` columns, keeping each group's entry of largest magnitude.

    >>> strongest(np.array([[1.0, -3.0, 2.0, 0.5, -0.1]]), most=3)
    array([[-3. ,  2. , -0.1]])
    """
    size = group_size(values.shape[-1], most)
    if size == 1:
        return values
    missing = [(0, 0)] * (values.ndim - 1) + [(0, -values.shape[-1] % size)]
    groups = np.pad(values, missing).reshape(*values.shape[:-1], -1, size)  # no zero is strongest
    winner = np.abs(groups).argmax(axis=-1, keepdims=True)
    taken: Floats = np.take_along_axis(groups, winner, axis=-1)[..., 0]
    return taken


def dims_at(cell: int, n: int, most: int) -> str:
    """Which dimensions one cell of a pooled vector stands for.

    >>> dims_at(1, 384, 48), dims_at(5, 32, 48), dims_at(33, 100, 48)
    ('8–15', '5', '99')
    """
    size = group_size(n, most)
    first, last = cell * size, min((cell + 1) * size, n) - 1
    return str(first) if first == last else f"{first}–{last}"


def peak(values: Floats) -> float:
    """The largest finite magnitude: what a symmetric colour range ends at. Never 0, so one may divide by it.

    >>> peak(np.array([1.0, -4.0, -np.inf])), peak(np.zeros(3))
    (4.0, 1.0)
    """
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max(initial=0.0)) or 1.0


def colours_of(values: Floats, limit: float, scale: Scale) -> list[str]:
    """The colour of each entry on a signed scale that ends at ±limit."""
    steps = lut(scale)
    return [steps[i] for i in _steps(values, limit).tolist()]


def _steps(values: Floats, limit: float) -> NDArray[np.intp]:
    """Which of 256 colours each entry has."""
    index = np.clip(np.rint((0.5 + 0.5 * np.asarray(values, dtype=np.float64) / limit) * 255), 0, 255)
    return index.astype(np.intp)


@lru_cache(maxsize=64)
def _rgb(scale: Scale) -> NDArray[np.uint8]:
    """A scale's 256 colours, [step channel]."""
    steps = np.frombuffer(bytes.fromhex("".join(lut(scale)).replace("#", "")), np.uint8)
    return steps.reshape(-1, 3)


def short(x: float) -> str:
    """A size to three digits, for captions.

    >>> short(39.62), short(7.0), short(0.5), short(123456.0)
    ('39.6', '7.00', '0.500', '1.23e5')
    """
    mantissa, e, exponent = f"{x:#.3g}".rstrip(".").partition("e")
    return (f"{mantissa}e{int(exponent)}" if e else mantissa).replace("-", MINUS)


def strip_svg(titles: Sequence[str], fills: Sequence[str], *, height: int, label: str) -> str:
    """Cells side by side, stretched to the width they are given; each says its number on hover."""
    cells = "".join(
        f'<rect x="{at}" width="1" height="1" fill="{fill}"><title>{html.escape(title)}</title></rect>'
        for at, (title, fill) in enumerate(zip(titles, fills, strict=True))
    )
    frame = f'viewBox="0 0 {len(fills)} 1" preserveAspectRatio="none" width="100%" height="{height}"'
    name = f'role="img" aria-label="{html.escape(label)}"'
    return f'<svg class="strip" {name} {frame} shape-rendering="crispEdges">{cells}</svg>'


def vector_strip(
    values: Floats, *, limit: float, scale: Scale, most: int, height: int, name: str, label: str
) -> str:
    """One vector as a strip of at most `most` cells, its colours ending at ±limit."""
    pooled = strongest(values, most)
    titles = [
        f"{name}[{dims_at(at, len(values), most)}] = {signed(float(entry), 4)}"
        for at, entry in enumerate(pooled)
    ]
    return strip_svg(titles, colours_of(pooled, limit, scale), height=height, label=label)


def png(pixels: NDArray[np.uint8]) -> bytes:
    """A picture, [row column channel], as a PNG file (PNG specification, third edition)."""
    n_rows, n_columns, _ = pixels.shape
    lines = np.pad(pixels.reshape(n_rows, -1), ((0, 0), (1, 0))).tobytes()  # first its filter: 0
    header = struct.pack(">IIBBBBB", n_columns, n_rows, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(lines))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def matrix_uri(values: Floats, *, limit: float, scale: Scale) -> str:
    """A matrix as a data URI, one pixel an entry: for matrices and strips too many for separate cells."""
    pixels = _rgb(scale)[_steps(np.atleast_2d(values), limit)]
    return "data:image/png;base64," + base64.b64encode(png(pixels)).decode("ascii")


def colours(palette: Palette) -> dict[str, str]:
    """A palette as plain data: the name of each colour and its hex."""
    return {name: colour for name, colour in asdict(palette).items() if name != "name"}


def themed(palette: Palette, inner: str) -> str:
    """Markup that finds the theme's colours as CSS variables: ``--query``, ``--mask-ground``, …"""
    style = ";".join(f"--{name.replace('_', '-')}:{colour}" for name, colour in colours(palette).items())
    return f'<div class="figure" style="{style}">{inner}</div>'
