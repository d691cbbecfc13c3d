"""A query by dimension in a file."""

import pytest

from attention.export import svg
from attention.figures import theme
from attention.figures.strips import colours_of
from attention.figures.theme import DARK, LIGHT
from tests.export import subjects
from tests.export.reading import has_colour, places, texts
from tests.export.subjects import pixels, shown

BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


@BOTH
def test_products_have_their_colours_and_each_number_its_column(palette):
    drawn = subjects.neurons()
    said = texts(svg(shown(drawn), palette))
    for name in ("raw score", "scaled, ÷ √2", "weight α", "α‖v‖", "it", "cat", "<b>"):
        assert name in said
    at = {
        text: places(svg(shown(drawn), palette), text)[0][0] for text in ("1.500", "1.061", "0.743", "0.371")
    }
    assert list(at.values()) == sorted(at.values()), "raw, scaled, weight, length from left to right"
    assert said.count("masked") == 1
    array = pixels(drawn, palette)
    for colour in colours_of(drawn.products[0], 2.0, theme.score_scale(palette)):
        assert has_colour(array, colour)
