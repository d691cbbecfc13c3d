import re
from pathlib import Path

import numpy as np
import pytest

from attention.figures.theme import LIGHT, lut, weight_scale
from attention.ui.components import wire

FOLDER = Path(wire.__file__).parent
SCRIPTS = sorted(FOLDER.glob("*.js"))


def test_what_is_packed_can_be_unpacked():
    header = {"tokens": ["é", "\ud800", "</script>"], "query": 3}
    arrays = {
        "weights": np.arange(6, dtype=np.float32).reshape(2, 3),
        "allowed": np.array([[1, 0, 1]], dtype=np.uint8),
        "masked": np.array([-np.inf], dtype=np.float32),
    }
    got_header, got = wire.unpack(wire.pack(header, arrays))
    assert got_header == header
    assert list(got) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(got[name], array)


@pytest.mark.parametrize("letters", range(5))
def test_every_array_starts_at_a_multiple_of_four(letters):
    arrays = {name: np.ones(3, kind) for name, kind in (("a", np.uint8), ("b", np.float32), ("c", np.uint8))}
    data = wire.pack({"x": "y" * letters}, arrays)
    length = int.from_bytes(data[:4], "little")
    assert length % 4 == 0
    assert [wire.unpack(data)[1][name].tolist() for name in arrays] == [[1, 1, 1]] * 3


def test_an_array_scripts_cannot_read_is_refused():
    with pytest.raises(TypeError, match="weights is float64"):
        wire.pack({}, {"weights": np.ones(2)})


def test_a_ramp_is_256_colours():
    assert wire.ramp(weight_scale(LIGHT)) == "".join(colour[1:] for colour in lut(weight_scale(LIGHT)))


@pytest.mark.parametrize("value", [-1, 12, 1.0, "1", None, True, [1]])
def test_a_position_that_is_none_is_refused(value):
    assert wire.position(value, 12) is None


@pytest.mark.parametrize("value", [[6, 0], [0], [0, -1], "00", {"0": 0}, None, [0, "0"], [[0], 0]])
def test_a_pair_that_is_none_is_refused(value):
    assert wire.positions(value, 6, 12) is None


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_know_no_colour(path):
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgba?\(\d", path.read_text("utf-8"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_make_markup_of_nothing_but_our_own_figures(path):
    if path.name not in ("markup.js", "value_table.js", "board.js", "neurons.js"):
        assert "innerHTML" not in path.read_text("utf-8")
