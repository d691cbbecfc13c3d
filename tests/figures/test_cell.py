import xml.etree.ElementTree as ET

import numpy as np
import pytest

from attention.figures.cell import chain, product_bars
from attention.figures.theme import LIGHT
from tests.figures.reading import links, rects, titles


@pytest.mark.parametrize("d_head", [1, 2, 32, 256])
def test_the_bars_are_the_products(d_head):
    rng = np.random.default_rng(2)
    q, k = rng.normal(size=d_head).astype(np.float32), rng.normal(size=d_head).astype(np.float32)
    markup = product_bars(q, k, LIGHT)
    assert len(rects(markup)) == 3 * d_head
    np.testing.assert_allclose(titles(markup), [*q, *k, *(q * k)], atol=5.1e-5)
    label = ET.fromstring(markup).find("svg").attrib["aria-label"]
    assert label == f"{d_head} products of query and key, sum {q @ k:.3f}".replace("-", "−")


@pytest.mark.parametrize("d_head", [1, 2, 32, 256])
def test_bars_are_as_long_as_their_products_and_stand_under_their_cells(d_head):
    rng = np.random.default_rng(4)
    q, k = rng.normal(size=d_head), rng.normal(size=d_head)
    boxes = [
        {name: float(rect.attrib[name]) for name in ("x", "y", "width", "height")}
        for rect in rects(product_bars(q, k, LIGHT))
    ]
    cells, bars = boxes[:d_head], boxes[2 * d_head :]
    assert min(box["width"] for box in boxes) > 0
    assert max(box["x"] + box["width"] for box in boxes) <= 500.01
    for cell, bar in zip(cells, bars, strict=True):
        assert cell["x"] + cell["width"] / 2 == pytest.approx(bar["x"] + bar["width"] / 2, abs=0.02)
    longest = np.abs(q * k).max()
    unit = max(bar["height"] for bar in bars) / longest
    for bar, product in zip(bars, q * k, strict=True):
        assert bar["height"] == pytest.approx(max(abs(product) * unit, 0.6), abs=0.02)


def test_bars_above_and_below_zero_meet_at_the_zero_line_and_differ_in_colour():
    markup = product_bars(np.array([2.0, 1.0]), np.array([3.0, -1.0]), LIGHT)
    above, below = rects(markup)[4:]
    zero = float(ET.fromstring(markup).find("svg/line").attrib["y1"])
    assert float(above.attrib["y"]) + float(above.attrib["height"]) == pytest.approx(zero, abs=0.06)
    assert float(below.attrib["y"]) == pytest.approx(zero, abs=0.06)
    assert (above.attrib["fill"], below.attrib["fill"]) == (LIGHT.above, LIGHT.below)


def test_the_chain_is_the_arithmetic():
    row = np.array([1.0, 3.0, 2.0, -np.inf], dtype=np.float32)
    exps = np.exp(np.array([1.0, 3.0, 2.0]) - 3.0)
    assert links(chain(11.314, 2.0, row, 2, palette=LIGHT, scale_text="÷ √32")) == [
        ("11.314", "sum of products"),
        ("2.000", "÷ √32"),
        ("−1.000", "− row’s largest"),
        (f"{exps[2]:.4f}", "exp"),
        (f"{exps[2] / exps.sum():.4f}", f"÷ {exps.sum():.3f} = weight"),
    ]


def test_the_chain_of_a_masked_pair_ends_at_zero():
    row = np.array([1.0, -np.inf])
    shown = links(chain(4.0, 2.0, row, 1, palette=LIGHT))
    assert shown[2:] == [("−∞", "masked"), ("0", "exp"), ("0", "weight")]


def test_the_chain_of_a_query_that_sees_nothing_says_so():
    shown = links(chain(4.0, 2.0, np.full(3, -np.inf), 1, palette=LIGHT))
    assert shown[-1] == ("0", "weight: this query sees nothing")


def test_the_chain_never_writes_zero_for_something():
    shown = links(chain(4.0, 2.0, np.array([0.0, -30.0]), 1, palette=LIGHT))
    assert [text for text, _ in shown[3:]] == ["9e−14", "9e−14"]


def test_the_chain_takes_steps_between_scale_and_mask():
    shown = links(chain(4.0, 2.0, np.array([1.5, 1.0]), 0, palette=LIGHT, between=[("soft cap at 50", 1.5)]))
    assert shown[2] == ("1.500", "soft cap at 50")
