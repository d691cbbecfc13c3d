"""Where an axis of a chart begins and ends, and what is written along it: the same on page and paper."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

from attention.figures.chart import Axis, Chart
from attention.figures.frame import spaced
from attention.figures.numbers import tick

Reach = tuple[float, float]
Ticks = tuple[tuple[float, str], ...]

_FEW = 9
_MARGIN = 0.05
_NOTHING = 1e-9
_MOST_NAMES = 24
"""Names along an axis: leaning, in half a page, more of them would lie on one another."""


def reaches(chart: Chart) -> tuple[Reach, Reach]:
    """Both ends of both axes; on a logarithmic one they are exponents of ten."""
    points = _drawn(chart)
    bars = any(one.mark == "bars" for one in chart.series)
    half = max((bar_width(one.points[0]) / 2 for one in chart.series if one.mark == "bars"), default=0.0)
    across = points[0]
    if half and not chart.x.log:
        across = np.concatenate([across - half, across + half])
    return _reach(chart.x, across, False), _reach(chart.y, points[1], bars)


def bar_width(x: Float[np.ndarray, " place"]) -> float:
    """The smallest step between two bars, or 1 for a single one."""
    steps = np.diff(np.unique(x[np.isfinite(x)]))
    return float(steps.min()) if len(steps) else 1.0


def axis_ticks(axis: Axis, reach: Reach, values: Float[np.ndarray, " place"], most: int = 7) -> Ticks:
    """Places along an axis (exponents of ten where it is logarithmic) and what is written there.

    Args:
        axis: Whose ticks.
        reach: Its ends.
        values: What is drawn along it: few different places on a logarithmic axis are named themselves.
        most: How many there is room for, where the axis has numbers.
    """
    if axis.labels:
        shown = spaced(len(axis.labels), _MOST_NAMES, None)
        return tuple((float(at), axis.labels[at]) for at in shown)
    if axis.log:
        places = _log_places(reach, np.unique(values[values > 0]))
        return tuple((math.log10(place), tick(place)) for place in places)
    return tuple((place, tick(place)) for place in _round_places(reach, most))


def drawn_values(chart: Chart) -> Float[np.ndarray, "2 place"]:
    """Every number of every series, along and up."""
    return np.concatenate([one.points for one in chart.series], axis=1)


def _drawn(chart: Chart) -> Float[np.ndarray, "2 place"]:
    """The numbers that have a place, as their axes measure them."""
    points = drawn_values(chart)
    logs = np.array([[chart.x.log], [chart.y.log]])
    with np.errstate(divide="ignore", invalid="ignore"):
        measured = np.where(logs, np.log10(points), points)
    return measured[:, np.isfinite(measured).all(axis=0)]


def _reach(axis: Axis, values: Float[np.ndarray, " place"], from_zero: bool) -> Reach:
    if axis.range is not None:
        low, high = axis.range
        return (math.log10(low), math.log10(high)) if axis.log else (low, high)
    if axis.labels:
        return -0.5, len(axis.labels) - 0.5
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if from_zero and not axis.log:
        low, high = min(low, 0.0), max(high, 0.0)
    room = _MARGIN * (high - low) or 0.5
    standing = from_zero and low >= -_NOTHING * (high - low)  # a rounding error is no number below zero
    return (max(low, 0.0) if standing else low - room), high + room


def _round_places(reach: Reach, most: int) -> Iterable[float]:
    """Multiples of 1, 2 or 5 times a power of ten."""
    low, high = reach
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [at * step for at in range(first, last + 1)]


def _log_places(reach: Reach, values: Sequence[float] | np.ndarray) -> Sequence[float]:
    """The places themselves while they are few and apart; else powers of ten, then 2 and 5 in a short one."""
    low, high = reach
    inside = [float(value) for value in values if low <= math.log10(value) <= high]
    if 2 <= len(inside) <= _FEW and bool((np.diff(np.log10(inside)) >= (high - low) / 16).all()):
        return inside
    factors = (1.0,) if high - low > 2 else (1.0, 2.0, 5.0)
    step = max(1, math.ceil((high - low) / 8))
    powers = range(math.floor(low), math.ceil(high) + 1)
    places = [factor * 10.0**power for power in powers if power % step == 0 for factor in factors]
    return [place for place in places if low - 1e-9 <= math.log10(place) <= high + 1e-9]
