"""What a query takes away: each value times its weight, and their sum, as a table one can sort."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention.figures.labels import numbered
from attention.figures.numbers import share
from attention.figures.strips import Floats, matrix_uri, strongest, themed, vector_strip
from attention.figures.theme import Palette, Scale, role_scale

TOP = 8
MOST_CELLS = 64
_HIDDEN = ' hidden=""'
_OFF = """<tr class="off"><td class="name">head off</td>
<td colspan="3">× 0 before W<sub>O</sub></td><td class="number">0</td></tr>"""

_HEAD = """<thead><tr>
<th class="name" aria-sort="none"><button type="button" data-sort="position">key</button></th>
<th colspan="2" aria-sort="descending"><button type="button" data-sort="weight">weight α</button></th>
<th>α · v</th>
<th class="number" aria-sort="none"><button type="button" data-sort="norm">‖α v‖</button></th>
</tr></thead>"""


@dataclass(frozen=True, eq=False)
class _Mix:
    """The numbers of the table, and the range all its strips share."""

    names: Sequence[str]
    weights: Floats  # [key]
    parts: Floats  # [key d_value]: α v
    norms: Floats  # [key]: ‖α v‖
    shown: NDArray[np.intp]  # the keys the query may see
    limit: float
    value: Scale
    key: int

    def order(self, by: str) -> NDArray[np.intp]:
        """The keys that may be seen, as one of the headers sorts them."""
        if by == "position":
            return self.shown
        size = self.weights if by == "weight" else self.norms
        return self.shown[np.argsort(-size[self.shown], kind="stable")]


def value_mix(
    tokens: Sequence[str],
    weights: Floats,
    values: Floats,
    output: Floats,
    *,
    key: int,
    allowed: NDArray[np.bool_],
    palette: Palette,
    off: bool = False,
) -> str:
    """The table, sorted by weight, with its eight largest rows open; `value_table.js` sorts and unfolds it.

    Args:
        tokens: Raw tokens of the keys.
        weights: [key], the query's row.
        values: [key d_value]
        output: [d_value], what the head hands on for this query.
        key: The key in focus.
        allowed: [key], which keys this query may see.
        palette: The theme.
        off: Whether the head is switched off: the sum is then what it would hand on, and a line says that it
            does not.
    """
    parts = weights.astype(np.float64)[:, None] * values.astype(np.float64)
    total = parts.sum(axis=0) if off else output
    limit = max(float(np.abs(parts).max(initial=0.0)), float(np.abs(total).max())) or 1.0
    shown = np.flatnonzero(allowed)
    norms, scale = np.linalg.norm(parts, axis=-1), role_scale(palette, "value")
    mix = _Mix(numbered(tokens), weights, parts, norms, shown, limit, scale, key)
    orders = {by: mix.order(by) for by in ("weight", "position", "norm")}
    rows = _pairs(mix, orders) + _rests(mix, orders) + _closed(len(weights) - len(shown), len(shown))
    rows += _sum(weights, total, limit, role_scale(palette, "output")) + (_OFF if off else "")
    ends = _bar_ends(weights, orders)
    data = " ".join(f'data-end-{by}="{end:.9g}"' for by, end in ends.items())
    style = f"--end:{ends['weight']:.9g}{_sheet(mix, orders)}"
    table = f'<table class="mix" {data} style="{style}">{_HEAD}<tbody>{rows}</tbody></table>'
    return themed(palette, table)


def _bar_ends(weights: Floats, orders: Mapping[str, NDArray[np.intp]]) -> Mapping[str, float]:
    """How much weight a whole bar stands for in each order: as much as the largest key or all the rest."""
    largest = float(weights.max())
    return {by: max(largest, float(weights[order[TOP:]].sum())) or 1.0 for by, order in orders.items()}


def _sheet(mix: _Mix, orders: Mapping[str, NDArray[np.intp]]) -> str:
    """All strips as rows of one picture, where there are rows that show a part of it."""
    if len(mix.shown) == len(_rich(orders)):
        return ""
    pooled = strongest(mix.parts, MOST_CELLS)
    uri = matrix_uri(pooled, limit=mix.limit, scale=mix.value)
    return f";--sheet:url({uri});--rows:{len(pooled)}"


def _rich(orders: Mapping[str, NDArray[np.intp]]) -> set[int]:
    """Keys that stand among the first in some order: each of their cells has a hover."""
    return {int(row) for order in orders.values() for row in order[:TOP]}


def _row(kind: str, name: str, weight: float | None, number: str, strip: str, norm: str) -> str:
    bar = "" if weight is None else f'<span style="--weight:{weight:.9g}"></span>'
    return (
        f'<tr {kind}><td class="name">{name}</td><td class="bar">{bar}</td><td class="number">{number}</td>'
        f'<td class="vector">{strip}</td><td class="number">{norm}</td></tr>'
    )


def _pairs(mix: _Mix, orders: Mapping[str, NDArray[np.intp]]) -> str:
    """A row for each key."""
    rich = _rich(orders)
    return "".join(
        _pair(mix, int(row), at >= TOP, int(row) in rich) for at, row in enumerate(orders["weight"])
    )


def _pair(mix: _Mix, at: int, hidden: bool, rich: bool) -> str:
    weight, norm = float(mix.weights[at]), float(mix.norms[at])
    data = f'data-position="{at}" data-weight="{weight:.9g}" data-norm="{norm:.9g}"'
    focus = " focus" if at == mix.key else ""
    kind = f'class="pair{focus}" {data}{_HIDDEN if hidden else ""}'
    name = f"<bdi>{html.escape(mix.names[at])}</bdi>"
    strip = _strip(mix, mix.parts[at]) if rich else f'<i class="strip" style="--row:{at}"></i>'
    return _row(kind, name, weight, share(weight), strip, share(norm))


def _strip(mix: _Mix, part: Floats) -> str:
    label = f"α v, length {share(float(np.linalg.norm(part)))}"
    return vector_strip(
        part, limit=mix.limit, scale=mix.value, most=MOST_CELLS, height=14, name="α v", label=label
    )


def _rests(mix: _Mix, orders: Mapping[str, NDArray[np.intp]]) -> str:
    return "".join(_rest(mix, by, order[TOP:]) for by, order in orders.items() if len(order) > TOP)


def _rest(mix: _Mix, by: str, rows: NDArray[np.intp]) -> str:
    """All rows beyond the first of one order, taken together."""
    weight, part = float(mix.weights[rows].sum()), mix.parts[rows].sum(axis=0)
    count = len(rows)
    button = (
        f'<button type="button" data-sort="{by}" data-count="{count}" aria-expanded="false">'
        f"{count} more</button>"
    )
    kind = f'class="rest" data-sort="{by}"{"" if by == "weight" else _HIDDEN}'
    norm = share(float(np.linalg.norm(part)))
    return _row(kind, button, weight, share(weight), _strip(mix, part), norm)


def _closed(count: int, shown: int) -> str:
    """The keys this query may not see; their weight is exactly 0."""
    if not count:
        return ""
    name = f"{count} masked" if shown else f"sees nothing: all {count} masked"
    return _row('class="closed"', name, 0.0, "0", "", "0")


def _sum(weights: Floats, output: Floats, limit: float, scale: Scale) -> str:
    norm = share(float(np.linalg.norm(output)))
    strip = vector_strip(
        output, limit=limit, scale=scale, most=MOST_CELLS, height=18, name="z", label=f"z, length {norm}"
    )
    total = float(weights.astype(np.float64).sum())
    return _row('class="sum"', "sum", None, share(total), strip, norm)
