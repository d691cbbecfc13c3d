import base64
import re
import xml.etree.ElementTree as ET
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from attention.figures.projection import projection, projection_matrices, strongest_column
from attention.figures.strips import png
from attention.figures.theme import DARK, LIGHT, lut, role_scale
from tests.figures.reading import links, number, rects

PIXELS = np.array(
    [[(255, 0, 0), (0, 255, 0)], [(0, 0, 255), (0x12, 0x34, 0x56)], [(0, 0, 0), (255, 255, 255)]], np.uint8
)


@pytest.mark.parametrize(("d_model", "cells"), [(5, 5), (48, 48), (384, 48), (100, 34)])
def test_a_projection_adds_up_to_one_entry(d_model, cells):
    rng = np.random.default_rng(6)
    x, matrix, bias = rng.normal(size=d_model), rng.normal(size=(d_model, 3)), rng.normal(size=3)
    markup = projection(x, matrix, bias, column=1, side="query", palette=LIGHT)
    bars = rects(markup)[2 * cells :]
    shown = [number(bar.find("title").text.rpartition(" = ")[2]) for bar in bars]
    assert len(bars) == cells
    assert sum(shown) == pytest.approx(x @ matrix[:, 1], abs=cells * 5.1e-5)
    assert links(markup) == [
        (f"{x @ matrix[:, 1]:.3f}".replace("-", "−"), f"sum of {d_model} products"),
        (f"{bias[1]:.3f}".replace("-", "−"), "+ b"),
        (f"{x @ matrix[:, 1] + bias[1]:.3f}".replace("-", "−"), "= q[1]"),
    ]


def test_a_projection_without_bias_has_no_bias():
    markup = projection(np.ones(3), np.eye(3), None, column=2, side="value", palette=DARK)
    assert links(markup) == [("1.000", "sum of 3 products"), ("1.000", "= v[2]")]


def test_the_column_to_show_is_the_one_with_the_largest_result():
    matrix = np.array([[1.0, -5.0, 2.0]])
    assert strongest_column(np.array([1.0]), matrix, None) == 1
    assert strongest_column(np.array([1.0]), matrix, np.array([0.0, 5.0, 4.0])) == 2


def pixels(uri):
    """The size and the first pixel of a PNG in a data URI."""
    data = base64.b64decode(uri.removeprefix("data:image/png;base64,"))
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    raw = zlib.decompress(data[data.index(b"IDAT") + 4 : -16])
    return (width, height), "#" + raw[1:4].hex().upper()


def test_learned_matrices_are_pooled_pictures_with_the_column_marked():
    matrix = np.full((2048, 256), 0.5)
    markup = projection_matrices({"query": matrix, "key": -matrix[:6, :2]}, palette=LIGHT, column=64)
    first, second = ET.fromstring(markup).iter("img")
    assert pixels(first.attrib["src"]) == ((64, 94), LIGHT.query)
    assert pixels(second.attrib["src"]) == ((2, 6), lut(role_scale(LIGHT, "key"))[0])
    (mark,) = re.findall(r'class="column" style="left:calc\((.*?)%', markup)
    assert float(mark) == 25.0
    assert "2048 × 256" in markup


def test_png_can_be_read_back():
    image = Image.open(BytesIO(png(PIXELS)))
    assert image.size == (2, 3)
    assert image.getpixel((1, 1)) == (0x12, 0x34, 0x56)
