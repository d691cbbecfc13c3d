"""A head of the open model under its own scale and two others: the same queries and keys, other weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import streamlit as st

from attention.analysis.bits import in_bits
from attention.analysis.scaling import Spread, head_spread, under_scale
from attention.engine.config import AttentionConfig
from attention.engine.trace import AttentionTrace
from attention.figures.chart import Axis, Chart, Series, SeriesRole
from attention.figures.grid import Grid
from attention.sites import Site
from attention.ui.asked import Asked
from attention.ui.scene import Scene
from attention.ui.stores import Store

Measured: TypeAlias = Mapping[str, tuple[Spread | None, ...]]
"""Each head of a layer under each scale."""

MEASURES = {"largest": "Largest weight of a row, mean", "entropy": "Entropy of a row, mean, in bits"}
"""What is shown of every head of the layer, by its field in ``Spread``."""

MOST_DRAWN = 64
"""Tokens of a side that are drawn: each cell has its reading, and a page must not carry a million of them."""

_MOST_KEPT = 256


@dataclass(frozen=True)
class Variant:
    """One way to scale the scores.

    Attributes:
        name: What it is, for a reader.
        said: The same within a sentence.
        formula: What is done to q · k.
        scale: What scores are multiplied by.
        role: Its colour in charts.
    """

    name: str
    said: str
    formula: str
    scale: float
    role: SeriesRole


def variants(config: AttentionConfig) -> dict[str, Variant]:
    """Its "own" scale, "without" one, and "doubled"; a model trained without one is shown with 1/√d_head."""
    own = _formula(config)
    if math.isclose(config.scale, 1):
        root = f"q · k ÷ √{config.d_head}"
        other = Variant("What if scaled", "with a scale", root, config.d_head**-0.5, "ink")
    else:
        other = Variant("Without the scale", "without the scale", "q · k", 1.0, "ink")
    return {
        "without": other,
        "own": Variant("As trained", "as trained", own, config.scale, "primary"),
        "doubled": Variant(
            "Scale doubled", "with the scale doubled", f"2 × {own}", 2 * config.scale, "text2"
        ),
    }


def _formula(config: AttentionConfig) -> str:
    if math.isclose(config.scale, 1):
        return "q · k"
    if math.isclose(config.scale, config.d_head**-0.5):
        return f"q · k ÷ √{config.d_head}"
    return f"q · k × {config.scale:.4g}"


@st.cache_resource(show_spinner=False)
def _kept() -> Store[tuple[Asked, Site, int], Measured]:
    """Six numbers a head and scale."""
    return Store(_MOST_KEPT, lambda _: 1, model=lambda key: key[0].model)


def layer_spread(of: Scene) -> Measured:
    """How each head of the chosen layer spreads its rows; None where no row has a choice."""
    return _kept().once((of.asked, of.view.site, of.view.layer), lambda: _measured(_real(of)))


def _real(of: Scene) -> AttentionTrace:
    """The rows that are no padding: hidden from them, it must change no number here."""
    return of.trace.rows(0, of.site.stack.n_real)


def _measured(trace: AttentionTrace) -> Measured:
    scaled = {key: under_scale(trace, one.scale) for key, one in variants(trace.config).items()}
    heads = range(trace.config.n_heads)
    return {key: tuple(head_spread(one, head) for head in heads) for key, one in scaled.items()}


def window(of: Scene) -> tuple[range, range]:
    """The queries and the keys that are drawn: all, or those around the pair in focus in a long text."""
    keys = len(of.site.keys)
    return _around(of.query, len(of.site.queries)), _around(of.key if of.crossing else of.query, keys)


def _around(at: int, n: int) -> range:
    start = max(0, min(at - MOST_DRAWN // 2, n - MOST_DRAWN))
    return range(start, min(n, start + MOST_DRAWN))


def weights(of: Scene, variant: Variant) -> Grid:
    """The chosen head's weights under one scale."""
    rows, columns = window(of)
    one = under_scale(of.trace, variant.scale).head(of.view.head).rows(rows.start, rows.stop)
    n_queries, n_keys = len(of.site.queries), len(of.site.keys)
    whole = len(rows) == n_queries and len(columns) == n_keys
    return Grid(
        title=f"{variant.name}: {variant.formula}",
        values=one.weights[0][:, columns.start : columns.stop].numpy(),
        rows=of.query_texts[rows.start : rows.stop],
        columns=of.key_texts[columns.start : columns.stop],
        row_title="query, looks",
        column_title="key, looked at",
        scale="weights",
        allowed=one.mask[:, columns.start : columns.stop].numpy(),
        note="" if whole else _part(rows, n_queries, columns, n_keys),
        focus_row=of.query - rows.start,
    )


def _part(rows: range, n_queries: int, columns: range, n_keys: int) -> str:
    """Which part of a long text is drawn."""
    return (
        f"queries {rows.start}–{rows.stop - 1} of {n_queries} and keys {columns.start}–{columns.stop - 1} of "
        f"{n_keys}; the means below are over the whole text"
    )


def by_head(of: Scene, measured: Measured, field: str, title: str) -> Chart:
    """One number for every head of the chosen layer under each scale.

    Args:
        of: The view, worked out.
        measured: The heads' numbers.
        field: Which number of ``Spread``.
        title: What it is.
    """
    heads = tuple(f"H{head}" for head in range(of.trace.config.n_heads))
    return Chart(
        title=f"{title}, every head of L{of.view.layer}",
        x=Axis("head", labels=heads),
        y=Axis(title.lower(), range=(0.0, 1.05) if field == "largest" else None),
        series=tuple(
            Series(variant.name, range(len(heads)), _numbers(measured[key], field), variant.role, "points")
            for key, variant in variants(of.trace.config).items()
        ),
    )


def _numbers(measured: Sequence[Spread | None], field: str) -> list[float]:
    found = [math.nan if one is None else float(getattr(one, field)) for one in measured]
    return [in_bits(number) for number in found] if field == "entropy" else found
