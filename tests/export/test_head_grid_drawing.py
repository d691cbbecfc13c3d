"""The sheet of all heads in a file."""

import pytest

from attention.export import svg
from attention.export.view import facts
from attention.figures import theme
from attention.figures.theme import DARK, LIGHT
from tests.export import subjects
from tests.export.reading import has_colour, texts
from tests.export.subjects import pixels, shown

BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


@BOTH
def test_squares_have_their_shades_their_names_and_their_frame(palette):
    array = pixels(subjects.heads(), palette)
    scale = theme.lut(theme.weight_scale(palette))
    for shade in (0, 130, 247):
        assert has_colour(array, scale[shade])
    file = svg(shown(subjects.heads()), palette)
    assert {"L0", "L1", "H0", "H1", "H2"} <= set(texts(file))
    assert file.decode().count(f"stroke: {palette.masked.lower()}") == 2, "one cross"
    assert f"stroke: {palette.ink.lower()}; stroke-width: 1.6" in file.decode()


def test_pooled_squares_say_so():
    said = " ".join(texts(svg(shown(subjects.heads(n_queries=200, n_keys=200)))))
    assert "largest weights of blocks of its 200 × 200 cells" in said
    assert facts(shown(subjects.heads())).keys().isdisjoint({"head", "layer"})


def test_layers_that_see_a_window_are_ringed():
    said = texts(svg(shown(subjects.heads(local=frozenset({1})))))
    assert {"L0", "○ L1"} <= set(said)
    assert any("○ layers see a window of the text" in text for text in said if text)
