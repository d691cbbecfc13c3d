"""Dials: where the hands point, what they say, and that nothing is told by colour alone."""

import math
import re
import xml.etree.ElementTree as ET

import pytest

from attention.figures.dials import RADIUS, Dial, Dials, degrees, describe, dials, dials_svg
from attention.figures.theme import DARK, LIGHT


def drawn(*shown, palette=LIGHT):
    return list(ET.fromstring(dials(shown, palette=palette)).iter("svg"))


def test_the_hands_point_where_the_angles_say():
    (dial,) = drawn(Dial("pair 0", math.pi / 2, math.pi))
    key, query = dial.iter("line")
    assert (float(query.get("x2")), float(query.get("y2"))) == pytest.approx((0, -(RADIUS - 2)), abs=0.01)
    assert (float(key.get("x2")), float(key.get("y2"))) == pytest.approx((-(RADIUS - 3), 0), abs=0.01)


def test_query_and_key_differ_by_more_than_colour():
    (dial,) = drawn(Dial("pair 0", 1.0, 0.5))
    key, query = dial.iter("line")
    assert key.get("stroke-dasharray")
    assert not query.get("stroke-dasharray")
    assert len(list(dial.iter("rect"))) == 1


def test_each_dial_says_its_angles():
    (dial,) = drawn(Dial("pair 7", 3.0, 1.0))
    assert dial.find("title").text == "pair 7: query 171.9°, key 57.3°, 114.6° apart"
    assert degrees(-0.5) == "−28.6°"


@pytest.mark.parametrize(
    ("query", "key", "large", "sweep"),
    [(1.0, 0.0, 0, 0), (4.0, 0.0, 1, 0), (0.0, 1.0, 0, 1), (0.0, 4.0, 1, 1)],
)
def test_the_shaded_sector_goes_the_way_they_turned_apart(query, key, large, sweep):
    (dial,) = drawn(Dial("pair 0", query, key))
    flags = re.search(r"A 16 16 0 (\d) (\d)", dial.find("path").get("d"))
    assert (int(flags[1]), int(flags[2])) == (large, sweep)


def test_more_than_a_whole_turn_fills_the_dial():
    (dial,) = drawn(Dial("pair 0", 9.0, 0.0))
    assert dial.find("path").get("d").count("A ") == 2


def test_it_is_told_in_words_and_in_the_theme_s_colours():
    markup = dials([Dial("pair 0", 2.0, 0.0), Dial("pair 1", 0.5, 0.25)], palette=DARK)
    said = describe([Dial("pair 0", 2.0, 0.0), Dial("pair 1", 0.5, 0.25)])
    assert said in markup
    assert said.endswith("2.000 radians apart, in pair 1 0.250.")
    assert DARK.query in markup
    assert LIGHT.query not in markup


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_drawing_for_a_file_has_the_same_hands_and_colours_of_its_own(palette):
    shown = [Dial(f"pair {at}", 3.0 / (at + 1), 1.0 / (at + 1)) for at in range(20)]
    file = dials_svg(Dials(tuple(shown)), palette)
    assert "var(" not in file
    assert palette.query in file
    space = "{http://www.w3.org/2000/svg}"
    root = ET.fromstring(file)
    cells = root.findall(f"{space}g")
    for cell, dial in zip(cells, drawn(*shown), strict=True):
        assert cell.find(f"{space}title").text == dial.find("title").text
        ends = [(line.get("x2"), line.get("y2")) for line in cell.iter(f"{space}line")]
        assert ends == [(line.get("x2"), line.get("y2")) for line in dial.iter("line")]
    places = [tuple(map(float, re.findall(r"[\d.]+", cell.get("transform")))) for cell in cells]
    assert len(set(places)) == 20
    assert max(x for x, _ in places) < float(root.get("width"))
    assert max(y for _, y in places) < float(root.get("height"))
