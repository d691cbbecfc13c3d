"""The lit sentence in a file."""

import numpy as np
import pytest

from attention.export import svg
from attention.figures import theme
from attention.figures.theme import DARK, LIGHT
from tests.export import subjects
from tests.export.reading import has_colour, places, texts
from tests.export.subjects import pixels, shown

BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


@BOTH
def test_chips_have_the_shades_of_their_weights(palette):
    array = pixels(subjects.sentence(), palette)
    for light in (0.5, 0.37, 0.13):
        assert has_colour(array, theme.shade(theme.weight_scale(palette), light))
    assert has_colour(array, palette.mask_ground), "the masked one is hatched"
    assert has_colour(pixels(subjects.sentence(light=np.zeros(4)), palette), palette.query), "query framed"


def test_numbers_stand_under_chips_and_pieces_are_joined():
    file = svg(shown(subjects.sentence()))
    assert {"CLS", "lo", "rry", "<b>", ".50", "query", ".13"} <= set(texts(file))
    assert ".37" not in texts(file), "the query has its name there"
    assert file.decode().count("stroke-dasharray") == 1, "one seam"
    received = texts(svg(shown(subjects.sentence(source="receives"))))
    assert ".37" in received
    assert "query" not in received


def test_a_long_sentence_is_broken_between_words():
    chips = tuple(subjects.LitChip("application", False, at % 2 == 1) for at in range(40))
    many = subjects.sentence(
        chips=chips, light=np.full(40, 0.2), allowed=np.ones(40, bool), query=None, key=None
    )
    rows = [y for x, y in places(svg(shown(many)), "application")]
    assert len(set(rows)) > 5
    assert rows[::2] == rows[1::2], "no word is broken between its pieces"
    assert texts(svg(shown(many))).count("application") == 40
