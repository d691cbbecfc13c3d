"""Numbers of small matrices, written out: in a cell, as a vector, as a weighted sum.

Strings of HTML without drawings; the page's own style sheet knows their classes.
"""

import math
from collections.abc import Sequence

from attention.figures.numbers import MINUS

_LEAST = 0.0005


def entry(x: float) -> str:
    """One entry, at most six characters where it is below ten thousand: whole numbers without digits.

    >>> entry(1.0), entry(0.70711), entry(-12.3456), entry(0.99999), entry(float("-inf"))
    ('1', '0.707', '−12.35', '1.000', '−∞')
    >>> entry(0.0), entry(-0.00002), entry(2.5e7)
    ('0', '−2e−5', '2.5e7')
    """
    if math.isinf(x):
        return f"{MINUS}∞" if x < 0 else "∞"
    return _plain(x).replace("-", MINUS)


def _plain(x: float) -> str:
    size = abs(x)
    if size >= 10_000:
        return _exponent(f"{x:.1e}")
    if x == int(x):
        return str(int(x))
    if size < _LEAST:
        return _exponent(f"{x:.0e}")
    return f"{x:.{3 if size < 10 else 2 if size < 100 else 1}f}"


def _exponent(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}"


def vector(values: Sequence[float]) -> str:
    """A vector in brackets.

    >>> vector([0.5, -1.0])
    '(0.500, −1)'
    """
    return f"({', '.join(map(entry, values))})"


def weighted_sum(weights: Sequence[float], values: Sequence[Sequence[float]], total: Sequence[float]) -> str:
    """An output written out: each weight times its value, and their sum.

    Args:
        weights: One a key.
        values: A vector a key.
        total: The output.
    """
    pairs = zip(weights, values, strict=True)
    terms = " + ".join(
        f'<span><span class="a">{_factor(weight)}</span> × <span class="v">{vector(value)}</span></span>'
        for weight, value in pairs
    )
    result = f'<span class="z">{vector(total)}</span>'
    return f'<div class="written"><span class="z">z</span> = {terms} = {result}</div>'


def _factor(x: float) -> str:
    """An entry as it stands between other signs: one below zero in brackets."""
    return f"({entry(x)})" if x < 0 else entry(x)
