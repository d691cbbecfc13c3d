"""What the drawings of a file say where a pointer rests: in the SVG, and in the page that holds it."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from attention.export import html, svg
from attention.figures import head_grid
from attention.figures.head_grid import HeadNumbers
from tests.export import subjects
from tests.export.reading import SVG, places, shown_numbers
from tests.export.subjects import shown

NUMBERS = (
    HeadNumbers(layer=0, head=1, entropy=0.0, query="", key="", weight=0.0),
    HeadNumbers(layer=1, head=2, entropy=1.5, query="it (7)", key="<b> (1)", weight=0.75),
)


def said(file):
    """Every title of a shape, with how it listens and the corners of its shape."""
    groups = [
        group
        for group in ElementTree.fromstring(file).iter(f"{SVG}g")
        if group.find(f"{SVG}title") is not None
    ]
    return [
        (
            group.find(f"{SVG}title").text,
            group.get("pointer-events"),
            shown_numbers(group.find(f"{SVG}path").get("d")),
        )
        for group in groups
    ]


def titles(subject):
    return [text for text, _, _ in said(svg(shown(subject)))]


def test_a_line_says_whose_it_is_and_its_weight_and_only_its_stroke_listens():
    found = said(svg(shown(subjects.lines())))
    assert {text for text, _, _ in found} == {
        "H4: I looks at je, weight 0.700",
        "H4: I looks at ##ta, weight 0.200",
        "H4: learn looks at je, weight 0.500",
        "H4: learn looks at ##ta, weight 0.500",
    }
    assert {listens for _, listens, _ in found} == {"stroke"}


def test_a_chip_says_its_token_and_its_light_where_it_stands():
    file = svg(shown(subjects.sentence()))
    assert [text for text, _, _ in said(file)] == [
        "CLS (0): 0.500",
        "lo (1): 0.370",
        "rry (2): 0.130",
        "<b> (3): masked",
    ]
    for word, (_, listens, corners) in zip(("CLS", "lo", "rry"), said(file), strict=False):
        (x, y), (across, down) = places(file, word)[0], (corners[::2], corners[1::2])
        assert listens == "all"
        assert min(across) <= x <= max(across)
        assert min(down) <= y <= max(down)


def test_a_query_by_dimension_says_every_product_and_every_number():
    found = titles(subjects.neurons())
    assert "it, query, dimension 1: 2.000" in found
    assert "it · cat, dimension 0: 2.000" in found
    assert "it · mat, dimension 0: −1.000" in found
    (row,) = [text for text in found if text.startswith("<b>: ")]
    assert row.startswith("<b>: raw score 1.500, scaled, ÷ √2 1.061, weight α 0.743, ")
    assert "mat: raw score −1.000, scaled, ÷ √2 −0.707, weight α masked, α‖v‖ 0" in found


def test_a_head_of_the_sheet_says_its_entropy_and_its_largest_weight():
    assert titles(subjects.heads(numbers=NUMBERS)) == [
        "L0 H1: mean entropy 0.00 bits, no weight",
        "L1 H2: mean entropy 1.50 bits, largest weight 0.750, it (7) looks at <b> (1)",
    ]


def test_a_head_in_which_no_row_sees_anything_has_no_entropy_to_tell():
    blind = HeadNumbers(layer=1, head=0, entropy=float("nan"), query="", key="", weight=0.0)
    assert head_grid.said(blind) == "L1 H0: no row sees anything"


def test_the_cells_of_the_steps_say_their_numbers_and_rows_their_tokens():
    strip = subjects.steps()
    found = titles(strip)
    weights = next(step for step in strip.header["steps"] if step["name"] == "Weights")
    values = strip.arrays[weights["matrices"][0]["array"]]
    assert f"Weights: q3 looks at k1, {values[3, 1]:.3f}" in found
    assert "Weights: q1 looks at k3, masked" in found
    assert [text for text in found if text.startswith("Weights: ")] == list(
        dict.fromkeys(text for text in found if text.startswith("Weights: "))
    )
    assert sum(text.startswith("Weights: ") for text in found) == 25
    assert any(re.fullmatch(r".*: k3", text) for text in found), "a row of the keys"


def test_of_many_tokens_each_row_says_its_own():
    from tests.figures.heads import head

    found = titles(subjects.steps(head(30, allowed=np.ones((30, 30), bool))))
    assert sum(text.startswith("Weights: ") for text in found) == 30
    assert "Weights: q29" in found


@pytest.mark.parametrize(
    "subject",
    [
        subjects.lines(),
        subjects.sentence(),
        subjects.neurons(),
        subjects.steps(),
        subjects.heads(numbers=NUMBERS),
    ],
    ids=["lines", "sentence", "neurons", "steps", "sheet"],
)
def test_the_page_of_a_drawing_has_the_hovers_of_its_file(subject):
    page = html(shown(subject)).decode()
    found = re.findall(r'<g pointer-events="(?:all|stroke)"><title>([^<]*)</title>', page)
    assert len(found) == len(titles(subject)) > 0
    assert "hover-" not in page


def test_a_token_cannot_leave_its_title():
    tokens = ('"><script>', "a\nb", "</title>")
    file = svg(shown(subjects.lines(key_tokens=tokens)))
    assert {text.split(" looks at ")[1].split(", weight")[0] for text, _, _ in said(file)} == {
        '"><script>',
        "a↵b",
    }
    assert b"<script" not in file
