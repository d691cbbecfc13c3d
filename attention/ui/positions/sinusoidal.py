"""Sinusoidal positions: the table at any size, and the dot product of two of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
import torch
from jaxtyping import Float
from torch import Tensor

from attention.analysis.positions import dots_from
from attention.engine.positions import interleaved, sinusoidal, spread
from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid
from attention.figures.theme import Palette
from attention.ui.positions import words
from attention.ui.positions.choices import MOST_PLACES, MOST_WIDTH, TABLES, PositionsChoices
from attention.ui.positions.controls import slider, switch, within
from attention.ui.shown import shown

_MADE: Mapping[str, Callable[[int, int, torch.dtype], Tensor]] = {
    "interleaved": interleaved,
    "halves": sinusoidal,
    "spread": spread,
}
FORMULA = r"$PE_{p,2k} = \sin\frac{p}{10000^{2k/d}}, \qquad PE_{p,2k+1} = \cos\frac{p}{10000^{2k/d}}$"
SPREAD = r"$\omega_k = 10000^{-k/(d/2-1)}, \qquad PE_p = (\sin p\,\omega_k,\; \cos p\,\omega_k)$"


def sinusoids(choices: PositionsChoices, colours: Palette) -> None:
    """The table, and how its rows fit each other."""
    choices = within(choices, "at", (0, choices.n - 1), f"the table has {choices.n}")
    _controls(choices)
    table = _MADE[choices.table](choices.n, choices.d, torch.float64)
    at = _at(choices)
    left, right = st.columns([6, 5], gap="large")
    with left:
        shown(
            _grid(table, at),
            key="positions-sinusoids",
            colours=colours,
            caption=words.sinusoid(choices.table, choices.d),
            facts=_facts(choices),
        )
    with right:
        _dots(table, at, choices, colours)
        st.markdown(SPREAD if choices.table == "spread" else FORMULA)
        st.html(f'<div class="cap">{words.ADDED}</div>')


def _at(choices: PositionsChoices) -> int:
    """The position compared; a short table may end before the one that is at first."""
    return min(choices.at, choices.n - 1)


def _controls(choices: PositionsChoices) -> None:
    first, second, third = st.columns(3, gap="medium")
    with first:
        slider("n", "Positions, N", choices.n, (2, MOST_PLACES))
    with second:
        slider("d", "d_model", choices.d, (2, MOST_WIDTH), words.WIDTH)
    with third:
        slider("at", "Position compared", _at(choices), (0, choices.n - 1))
    switch("table", "Order of its columns", choices.table, TABLES, words.TABLES)


def _grid(table: Float[Tensor, "pos d_model"], at: int) -> Grid:
    n, width = table.shape
    return Grid(
        title="Position vectors",
        values=table.numpy(),
        rows=tuple(map(str, range(n))),
        columns=tuple(map(str, range(width))),
        row_title="position",
        column_title="dimension",
        limit=1.0,
        focus_row=at,
    )


def _dots(table: Float[Tensor, "pos d_model"], at: int, choices: PositionsChoices, colours: Palette) -> None:
    """One position's dot products by distance, and another's on top of them."""
    n = len(table)
    other = 0 if at > (n - 1) / 2 else n - 1
    mine, others = dots_from(table, at), dots_from(table, other)
    distances, places = torch.arange(n) - at, torch.arange(n) - other
    common = [distance for distance in distances.tolist() if -other <= distance < n - other]
    apart = max(abs(float(mine[distance + at] - others[distance + other])) for distance in common)
    chart = Chart(
        title="Dot product of two positions",
        x=Axis("distance, in positions"),
        y=Axis("dot product"),
        series=(
            Series(f"with position {at}", distances.numpy(), mine.numpy(), role="primary"),
            Series(f"with position {other}", places.numpy(), others.numpy(), role="ink", dashed=True),
        ),
    )
    caption = words.dots(at, other, float(mine[at]), apart)
    shown(chart, key="positions-dots", colours=colours, caption=caption, facts=_facts(choices))


def _facts(choices: PositionsChoices) -> dict[str, str]:
    return {"table": TABLES[choices.table], "positions": str(choices.n), "d_model": str(choices.d)}
