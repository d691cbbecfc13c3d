import html as entities
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from attention.export import html
from attention.figures.theme import DARK, LIGHT
from tests.export.views import HOSTILE, view
from tests.figures.pictures import causal, picture


class Reading(HTMLParser):
    """What a browser would make of the page: its elements, and the text outside scripts and styles."""

    def __init__(self, file: bytes):
        super().__init__()
        self.elements, self.addresses, self.text, self.inside = [], [], [], []
        self.feed(file.decode("utf-8"))

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "br"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        assert self.inside.pop() == tag, "elements are well nested"

    def handle_data(self, data):
        if self.inside and self.inside[-1] not in ("script", "style"):
            self.text.append(data)

    def cells(self) -> str:
        return " ".join(" ".join(self.text).split())


@pytest.fixture(scope="module")
def hostile():
    shown = causal(12, query_tokens=HOSTILE, key_tokens=HOSTILE, query=7, key=5)
    text = "</script><script>alert(1)</script> $x$ &amp; **b**"
    return view(shown, text=text, model="<img src=x>", changes="</style><b>")


def test_the_page_needs_no_network():
    page = Reading(html(view()))
    assert page.addresses == []
    assert "link" not in page.elements
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html(view()).decode())
    assert policy.group(1).startswith("default-src 'none'; ")
    assert "http" not in policy.group(1)


def test_plotly_travels_along():
    file = html(view())
    assert len(file) > 1_000_000
    assert b"Plotly.newPlot" in file


def test_facts_and_title_are_text(hostile):
    page = Reading(html(hostile))
    said = page.cells()
    assert "</script><script>alert(1)</script> $x$ &amp; **b**" in said
    assert "<img src=x> · L4 H3 · attention weights" in said
    assert "</style><b>" in said
    assert {"img", "b", "object", "iframe"}.isdisjoint(page.elements)
    assert page.inside == []


def test_tokens_end_no_script(hostile):
    plain, odd = html(view()), html(hostile)
    assert odd.count(b"</script>") == plain.count(b"</script>")
    assert odd.count(b"<script") == plain.count(b"<script")
    assert b"alert(1)" in odd
    assert b"<script>alert(1)" not in odd


def test_the_table_is_the_picture_in_numbers():
    values = np.array([[0.36832, 0], [1e-12, 1]], np.float32)
    allowed = np.array([[True, False], [True, True]])
    page = Reading(html(view(picture(2, values=values, allowed=allowed, key_positions=(1, 2)))))
    said = page.cells()
    assert "[CLS] (1) the (2)" in said
    assert "[CLS] (0) 0.368 masked the (1) 1e−12 1.000" in said


def test_a_table_that_would_drown_the_page_is_left_out():
    page = Reading(html(view(picture(65))))
    assert "table" not in page.elements
    assert "The numbers are in the CSV file." in page.cells()


def test_the_script_is_shown_line_by_line():
    assert "run.attention(4).weights" in entities.unescape(html(view()).decode()).split("\n")


def test_the_picture_is_described():
    assert 'aria-label="Attention weights, 12 queries by 12 keys, 66 cells masked.' in html(view()).decode()


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_page_has_the_colours_of_its_palette(palette):
    assert f"background:{palette.bg};color:{palette.ink}".encode() in html(view(), palette)


def test_the_same_view_gives_the_same_bytes():
    assert html(view()) == html(view())
