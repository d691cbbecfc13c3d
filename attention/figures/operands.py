"""Two vectors as rows of cells, and under them their products as bars: how a sum of products comes about."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from attention.figures.strips import Floats, colours_of
from attention.figures.theme import Palette, Role, role_scale

WIDTH, HEIGHT = 500, 170
_ROW, _BARS_TOP = 20, 44
_WIDEST = 56


@dataclass(frozen=True, eq=False, kw_only=True)
class Operand:
    """One vector of a product, and what each of its cells says on hover."""

    letter: str
    role: Role
    values: Floats
    limit: float  # where its colours end, on both sides of zero
    titles: Sequence[str]


def operands(
    first: Operand,
    second: Operand,
    products: Floats,
    titles: Sequence[str],
    *,
    palette: Palette,
    letter: str,
    label: str,
) -> str:
    """The picture, as SVG.

    Args:
        first: The upper row of cells.
        second: The lower row.
        products: What the bars show, one under each pair of cells.
        titles: What each bar says on hover.
        palette: The theme.
        letter: What stands beside the bars.
        label: The picture in words.
    """
    pitch = min(_WIDEST, WIDTH / len(products))
    end = pitch * len(products)
    bars, zero = _bars(products, titles, pitch, palette)
    parts = [
        *_cells(first, 0, pitch, palette),
        *_cells(second, _ROW, pitch, palette),
        *bars,
        f'<line x1="0" x2="{end:.1f}" y1="{zero:.1f}" y2="{zero:.1f}" stroke="{palette.text2}"/>',
        _letter(first.letter, end, 12, palette, first.role),
        _letter(second.letter, end, _ROW + 12, palette, second.role),
        _letter(letter, end, zero + 4, palette, "ink"),
    ]
    size = f'viewBox="0 0 {WIDTH + 64} {HEIGHT + 4}" width="100%" style="max-width:{WIDTH + 64}px"'
    return f'<svg role="img" aria-label="{html.escape(label)}" {size}>{"".join(parts)}</svg>'


def _cells(row: Operand, y: int, pitch: float, palette: Palette) -> list[str]:
    gap = min(1.0, pitch / 4)
    fills = colours_of(row.values, row.limit, role_scale(palette, row.role))
    return [
        f'<rect x="{at * pitch + gap / 2:.2f}" y="{y}" width="{pitch - gap:.2f}" height="14" fill="{fill}">'
        f"<title>{html.escape(title)}</title></rect>"
        for at, (fill, title) in enumerate(zip(fills, row.titles, strict=True))
    ]


def _bars(products: Floats, titles: Sequence[str], pitch: float, palette: Palette) -> tuple[list[str], float]:
    """The bars, and the height of their zero line."""
    high, low = max(float(products.max()), 0.0), min(float(products.min()), 0.0)
    unit = (HEIGHT - _BARS_TOP - 4) / ((high - low) or 1.0)
    zero = _BARS_TOP + high * unit + 2
    gap = min(3.0, pitch / 4)
    bars = [
        f'<rect x="{at * pitch + gap / 2:.2f}" y="{zero - max(value, 0.0) * unit:.2f}" '
        f'width="{pitch - gap:.2f}" height="{max(abs(value) * unit, 0.6):.2f}" '
        f'fill="{palette.above if value >= 0 else palette.below}"><title>{html.escape(title)}</title></rect>'
        for at, (value, title) in enumerate(zip(products.tolist(), titles, strict=True))
    ]
    return bars, zero


def _letter(text: str, end: float, y: float, palette: Palette, role: Role) -> str:
    colour = {"query": palette.query, "key": palette.key, "value": palette.value}.get(role, palette.ink)
    strong = "" if role == "ink" else " strong"
    return f'<text class="letter{strong}" x="{end + 8:.1f}" y="{y:.0f}" fill="{colour}">{text}</text>'


def subscript(letter: str, index: str) -> str:
    """A letter with a subscript, for SVG text.

    >>> subscript("q", "i")
    'q<tspan font-size="10" dy="3">i</tspan><tspan dy="-3">\\u200b</tspan>'
    """
    return f'{letter}<tspan font-size="10" dy="3">{index}</tspan><tspan dy="-3">\u200b</tspan>'
