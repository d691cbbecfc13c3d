"""How the page writes its numbers: in lists, in squares, in the table of measures."""

from __future__ import annotations

import math

from attention.analysis.measure import Measure
from attention.figures.numbers import MINUS, share, signed


def number(measure: Measure, value: float | None) -> str:
    """A measure's value in a list; a dash where there is none.

    >>> from attention.analysis.measures import BY_KEY
    >>> number(BY_KEY["self"], 0.0041), number(BY_KEY["distance"], 4.06), number(BY_KEY["update"], 0.1)
    ('0.004', '4.06', '+0.10')
    """
    if value is None:
        return "–"
    if measure.kind == "signed":
        return f"+{value:.2f}" if value >= 0.005 else signed(value, 2)
    return share(value) if measure.kind == "weight" or value < 0.005 else f"{value:.2f}"


def short_number(measure: Measure, value: float | None) -> str:
    """The same in a small square: ".83", "12", "−1.4"."""
    if value is None:
        return "–"
    digits = 0 if abs(value) >= 99.5 else 1 if abs(value) >= 9.95 else 2
    text = signed(value, digits)
    return text.replace("0.", ".", 1) if text.lstrip(MINUS).startswith("0.") else text


def in_table(value: float) -> str:
    """A value in the table of measures: digits enough to compare, and never more than six.

    >>> in_table(0.36832), in_table(-3.1681), in_table(127.4567), in_table(4095.51), in_table(0.0002)
    ('0.368', '−3.168', '127.5', '4,096', '2e−4')
    """
    if abs(value) < 0.0005:
        return share(value)
    digits = 3 if abs(value) < 10 else 2 if abs(value) < 100 else 1
    return signed(value, digits) if abs(value) < 1000 else f"{value:,.0f}".replace("-", MINUS)


def bound(value: float) -> str:
    """The least or the most that a measure can be.

    >>> bound(-8191.0), bound(3.4594), bound(0.0), bound(math.inf)
    ('−8,191', '3.46', '0', '∞')
    """
    if math.isinf(value):
        return signed(value)
    return f"{value:,.0f}".replace("-", MINUS) if value == int(value) else _plain(value)


def limits(measure: Measure, n: int) -> str:
    """The range of a measure when there are n keys.

    >>> from attention.analysis.measures import BY_KEY
    >>> limits(BY_KEY["distance"], 12), limits(BY_KEY["norm"], 12), limits(BY_KEY["update"], 12)
    ('0 to 11', 'from 0 up', 'no bounds')
    """
    low, high = measure.reach(n)
    if low is None:
        return "no bounds"
    return f"from {_plain(low)} up" if high is None else f"{_plain(low)} to {_plain(high)}"


def ordinal(n: int) -> str:
    """A place in an order.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th']
    """
    last = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{last}"


def short_end(x: float) -> str:
    """An end of the colours."""
    return f"{x:.2g}".replace("-", MINUS)


def _plain(x: float) -> str:
    return f"{x:.3g}".replace("-", MINUS)
