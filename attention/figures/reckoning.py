"""A small sum line by line: numbers under each other, with the total at the end of a line.

A string of HTML without drawings; the page's own style sheet knows its classes.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention.figures.entries import entry
from attention.figures.strips import Floats, colours_of, peak
from attention.figures.theme import Palette, Role, role_scale, score_scale, shade, text_on, weight_scale


@dataclass(frozen=True)
class Line:
    """One line: its name, its numbers, their total where it is wanted, and the colours of its cells."""

    name: str
    numbers: Sequence[str]
    total: str = ""
    fills: Sequence[str] = ()


def reckoning(name: str, lines: Sequence[Line], heads: Sequence[str] = ()) -> str:
    """The lines as a table.

    Args:
        name: What the table is, for those who cannot see it.
        lines: Its lines, each with as many numbers.
        heads: What stands over the numbers; nothing when left out.
    """
    totals = any(line.total for line in lines)
    rows = "".join(_row(line, totals) for line in lines)
    return (
        f'<div class="sideways"><table class="reckoning"><caption>{html.escape(name)}</caption>'
        f"<tbody>{_heads(heads, totals) if heads else ''}{rows}</tbody></table></div>"
    )


def softmax_lines(row: Sequence[float], weights: Sequence[float], palette: Palette) -> list[Line]:
    """One row through softmax: the scores, exp of each with their sum, and the shares.

    Args:
        row: The scores.
        weights: Their softmax.
        palette: The theme.
    """
    exps = np.exp(np.asarray(row, dtype=np.float64))
    return [
        Line("x", [_three(x) for x in row]),
        Line("exp x", [_three(float(e)) for e in exps], _three(float(exps.sum()))),
        Line("exp x ÷ sum", [_three(w) for w in weights], _three(sum(weights)), lit(weights, palette)),
    ]


def product_lines(query: Floats, key: Floats, score: float, palette: Palette) -> list[Line]:
    """A score: the entries of query and key, and under them their products, which add up to it.

    Args:
        query: The query vector.
        key: The key vector.
        score: Their product as the engine has it.
        palette: The theme.
    """
    products, limit = query * key, peak(np.stack([query, key]))
    return [
        Line("q", [entry(x) for x in query.tolist()], "", _signed(query, limit, palette, "query")),
        Line("k", [entry(x) for x in key.tolist()], "", _signed(key, limit, palette, "key")),
        Line(
            "q × k",
            [entry(x) for x in products.tolist()],
            entry(score),
            colours_of(products, peak(products), score_scale(palette)),
        ),
    ]


def lit(weights: Sequence[float], palette: Palette) -> list[str]:
    """The colours of weights."""
    return [shade(weight_scale(palette), weight) for weight in weights]


def _signed(values: Floats, limit: float, palette: Palette, role: Role) -> list[str]:
    return colours_of(values, limit, role_scale(palette, role))


def _three(x: float) -> str:
    """Three digits, also for whole numbers; in powers of ten beyond a million."""
    return entry(x) if abs(x) >= 1e6 else f"{x:.3f}".replace("-", "−")


def _heads(heads: Sequence[str], totals: bool) -> str:
    cells = "".join(f'<th scope="col">{html.escape(head)}</th>' for head in heads)
    return f"<tr><td></td>{cells}{'<th>sum</th>' if totals else ''}</tr>"


def _row(line: Line, totals: bool) -> str:
    fills = line.fills or [""] * len(line.numbers)
    cells = "".join(
        f"<td{_filled(fill)}>{number}</td>" for number, fill in zip(line.numbers, fills, strict=True)
    )
    total = f'<td class="sum">{line.total}</td>' if totals else ""
    return f'<tr><th scope="row"><i>{html.escape(line.name)}</i></th>{cells}{total}</tr>'


def _filled(fill: str) -> str:
    return f' style="background:{fill};color:{text_on(fill)}"' if fill else ""
