"""The experiment as charts and grids."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from attention.analysis.bits import in_bits
from attention.analysis.scaling import DEAD, Saturation
from attention.figures.chart import Axis, Chart, Mark, Series, SeriesRole
from attention.figures.grid import Grid
from attention.ui.scaling.experiment import N_KEYS, N_ROWS, Experiment

BESIDE = (16, 1024)
"""Sizes whose histograms stand beside the chosen one's."""

REACH = 60.0
"""Where the axis of the raw scores ends; it stays, so that their spread is seen to grow."""

_SIZES = "dₖ, components of q and k"
_DRAWN = f"{N_ROWS:,} random queries for each dₖ, {N_KEYS} keys each"


def rows(of: Experiment, scaled: bool) -> Grid:
    """The first queries' weights."""
    values = of.scaled_rows if scaled else of.raw_rows
    d_k = of.drawn.d_k
    return Grid(
        title=f"Weights from {f'q · k ÷ √{d_k:,}' if scaled else 'q · k as it comes'}, dₖ = {d_k:,}",
        values=values,
        rows=tuple(map(str, range(len(values)))),
        columns=tuple(map(str, range(values.shape[1]))),
        row_title="query, looks",
        column_title="key, looked at",
        scale="weights",
    )


def histogram(every: Mapping[int, Experiment], d_k: int, scaled: bool) -> Chart:
    """How scores are spread: the chosen size in bars, others as lines."""
    roles: tuple[SeriesRole, ...] = ("ink", "text2")
    beside = [(size, role) for size, role in zip(BESIDE, roles, strict=True) if size != d_k]
    lines = [_spread(every[size], scaled, role) for size, role in beside]
    chosen = _spread(every[d_k], scaled, "primary")
    reach = 3.5 if scaled else REACH
    divided = " ÷ √dₖ" if scaled else ""
    return Chart(
        title=f"Scores{divided or ' as they come'}",
        x=Axis(f"q · k{divided}", range=(-reach, reach)),
        y=Axis("share of scores per unit"),
        series=(chosen, *lines),
        note=_DRAWN,
    )


def _spread(of: Experiment, scaled: bool, role: SeriesRole) -> Series:
    wide = 1.0 if scaled else math.sqrt(of.drawn.d_k)
    name = f"dₖ = {of.drawn.d_k:,}"
    mark: Mark = "bars" if role == "primary" else "line"
    return Series(name, of.at * wide, of.density / wide, role=role, mark=mark)


def variance(every: Mapping[int, Experiment]) -> Chart:
    """Variance against size, with what theory says."""
    sizes = list(every)
    raw = [one.drawn.variance for one in every.values()]
    scaled = [one.drawn.scaled_variance for one in every.values()]
    return Chart(
        title="Variance of the scores",
        x=Axis(_SIZES, log=True),
        y=Axis("variance", log=True),
        series=(
            Series("q · k", sizes, raw, role="ink", mark="points"),
            Series("theory: dₖ", sizes, sizes, role="ink", dashed=True),
            Series("q · k ÷ √dₖ", sizes, scaled, role="primary", mark="points"),
            Series("theory: 1", sizes, [1.0] * len(sizes), role="primary", dashed=True),
        ),
        note=_DRAWN,
    )


def _both(
    every: Mapping[int, Experiment], field: str, shown: Callable[[float], float] = float
) -> tuple[Series, Series]:
    def of(measured: Saturation) -> float:
        return shown(getattr(measured, field))

    sizes = list(every)
    raw = [of(one.drawn.raw) for one in every.values()]
    scaled = [of(one.drawn.scaled) for one in every.values()]
    return (
        Series("q · k as it comes", sizes, raw, role="ink", mark="both"),
        Series("÷ √dₖ", sizes, scaled, role="primary", mark="both"),
    )


def largest(every: Mapping[int, Experiment]) -> Chart:
    """A row's largest weight against size."""
    return Chart(
        title="Largest weight of a row",
        x=Axis(_SIZES, log=True),
        y=Axis("mean of the largest weight", range=(0.0, 1.05)),
        series=_both(every, "largest"),
        note=_DRAWN,
    )


def entropy(every: Mapping[int, Experiment]) -> Chart:
    """A row's entropy against size, up to that of an even row."""
    sizes, most = list(every), in_bits(math.log(N_KEYS))
    even = Series(f"even: log₂ {N_KEYS}", sizes, [most] * len(sizes), role="text2", dashed=True)
    return Chart(
        title="Entropy of a row",
        x=Axis(_SIZES, log=True),
        y=Axis("mean entropy, bits", range=(0.0, 4.3)),
        series=(*_both(every, "entropy", in_bits), even),
        note=_DRAWN,
    )


def gradient(every: Mapping[int, Experiment]) -> Chart:
    """How strongly the weights answer to the scores: the median row, and the mean that hides its fall."""
    raw, scaled = _both(every, "median_gradient")
    mean, _ = _both(every, "gradient")
    return Chart(
        title="Size of the gradient, ‖J‖",
        x=Axis(_SIZES, log=True),
        y=Axis("‖J‖ of J = diag(p) − ppᵀ", log=True, range=(3e-6, 1.0)),
        series=(
            Series("median row, as it comes", raw.x, raw.y, role="ink", mark="both"),
            Series("mean, as it comes", mean.x, mean.y, role="text2", mark="both"),
            Series("median row, ÷ √dₖ", scaled.x, scaled.y, role="primary", mark="both"),
        ),
        note=_DRAWN,
    )


def dead(every: Mapping[int, Experiment]) -> Chart:
    """The share of rows that hardly move with their scores."""
    return Chart(
        title="Dead rows",
        x=Axis(_SIZES, log=True),
        y=Axis(f"share of rows with ‖J‖ below {DEAD:g}", range=(-0.02, 1.0)),
        series=_both(every, "dead"),
        note=_DRAWN,
    )
