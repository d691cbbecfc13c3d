"""Headings, by which a screen reader finds its way: every title is one, and no level is skipped."""

import re
from itertools import pairwise

import pytest

from attention.ui.navigation import ENTRIES
from tests.app.screen import html, opened

PARTS = ("order", "sinusoidal", "learned", "rotary", "alibi", "relative")
SIGHTS = (
    *((entry.name, {}) for entry in ENTRIES),
    *(("positions", {"positions.part": part}) for part in PARTS),
    ("heads", {"heads.squares": "weights"}),
    ("explore", {"s": ""}),
    ("heads", {"s": ""}),
)


def headings(said):
    """Level and words of each heading, in the order of the page."""
    found = re.findall(r"<h([1-6])[^>]*>(.*?)</h\1>", said, re.DOTALL)
    return [(int(level), re.sub("<[^>]*>", "", words)) for level, words in found]


@pytest.mark.parametrize(("page", "params"), SIGHTS)
def test_a_page_has_one_first_heading_and_skips_no_level(page, params):
    levels = [level for level, _ in headings(html(opened(f"../../pages/{page}.py", **params)))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


@pytest.mark.parametrize(("page", "params"), SIGHTS)
def test_every_title_is_a_heading_that_says_it_without_what_stands_behind(page, params):
    said = html(opened(f"../../pages/{page}.py", **params))
    titles = re.findall(r'class="(?:brand|title)[^>]*>(.{4})', said)
    assert titles
    assert all(re.match("<h[123]>", begun) for begun in titles)
    assert all(words and "class=" not in words for _, words in headings(said))


def test_a_picture_in_a_section_stands_below_its_title():
    found = headings(html(opened("../../pages/scaling.py", s="I learn")))
    assert (2, "What that costs") in found
    at = found.index((2, "What that costs"))
    assert [level for level, _ in found[at + 1 : at + 5]] == [3, 3, 3, 3]
