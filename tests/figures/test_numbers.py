import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention.figures import numbers

FINITE = st.floats(-1e300, 1e300)


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (17.9431, "17.943"),
        (-2.5, "−2.500"),
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (-0.0004, "0.000"),
        (-0.0006, "−0.001"),
        (-math.inf, "−∞"),
        (math.inf, "∞"),
        (math.nan, "not a number"),
        (1e6, "1.000e6"),
        (-1.5e-300, "0.000"),
    ],
)
def test_signed(x, text):
    assert numbers.signed(x) == text


def test_signed_to_other_lengths():
    assert numbers.signed(-1.25, digits=1) == "−1.2"
    assert numbers.signed(-0.4, digits=0) == "0"


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.368, "0.368"),
        (1.0, "1.000"),
        (0.0005, "0.001"),
        (0.000499, "5e−4"),
        (1e-12, "1e−12"),
        (np.float32(1e-38), "1e−38"),
        (0.0, "0"),
        (-0.0, "0"),
        (math.nan, "not a number"),
    ],
)
def test_share(x, text):
    assert numbers.share(x) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [(0.3683, ".37"), (0.005, ".01"), (0.00499, ""), (0.0, ""), (0.996, "1.00"), (math.nan, ""), (-0.3, "")],
)
def test_cell(x, text):
    assert numbers.cell(x) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [(0.36832, "0.3683"), (1.0, "1.000"), (0.0, "0"), (4.2e-7, "4.200e−7"), (0.0012345678, "0.001235")],
)
def test_exact(x, text):
    assert numbers.exact(x) == text


@given(FINITE)
def test_no_hyphen_stands_for_a_minus(x):
    for text in (numbers.signed(x), numbers.share(x), numbers.exact(x)):
        assert "-" not in text
        assert "e+" not in text


@given(st.floats(min_value=0, max_value=1, exclude_min=True))
def test_a_weight_that_is_not_zero_never_looks_like_zero(x):
    for text in (numbers.share(x), numbers.exact(x)):
        assert float(text.replace("−", "-")) > 0


@given(FINITE)
def test_signed_says_the_number(x):
    said = float(numbers.signed(x).replace("−", "-"))
    assert said == pytest.approx(x, abs=0.0005001, rel=0.0005001)
