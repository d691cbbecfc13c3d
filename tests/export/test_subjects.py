"""What is on screen besides the heatmap, in every format."""

import re

import numpy as np
import pytest

from attention.export import filename, html, pdf, png, svg
from attention.export.subjects import Table
from attention.export.view import title
from attention.figures.lit_sentence import LitChip
from attention.figures.theme import DARK, LIGHT
from tests.export import subjects
from tests.export.reading import pdf_texts, texts
from tests.export.subjects import pixels, shown
from tests.export.views import HOSTILE, view
from tests.figures.pictures import causal

BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])

ALL = {
    "lines": subjects.lines(),
    "neurons-of-query7": subjects.neurons(),
    "sentence": subjects.sentence(),
    "received": subjects.sentence(source="receives"),
    "step-strip": subjects.steps(),
    "all-heads": subjects.heads(),
}
HOSTILE_ALL = ALL | {
    "lines": subjects.lines(query_tokens=HOSTILE[:2], key_tokens=HOSTILE[:3]),
    "neurons-of-query7": subjects.neurons(query_token=HOSTILE[0], key_tokens=HOSTILE[1:4]),
    "sentence": subjects.sentence(
        query_name=HOSTILE[0], chips=tuple(LitChip(word, False, False) for word in HOSTILE[:4])
    ),
    "step-strip": subjects.steps(tokens=HOSTILE[:5], key_tokens=HOSTILE[1:6]),
}
EACH = pytest.mark.parametrize("name", ALL)


@EACH
def test_files_are_named_for_what_they_show(name):
    head_name = "" if name == "all-heads" else "_L4_H3"
    assert filename(shown(ALL[name]), "svg") == f"headlight_minilm{head_name}_{name}.svg"


@EACH
@BOTH
def test_every_format_is_made_in_both_themes(name, palette):
    made = shown(ALL[name])
    array = pixels(ALL[name], palette)
    assert tuple(array[2, 2]) == tuple(bytes.fromhex(palette.bg[1:]))
    assert len(np.unique(array.reshape(-1, 3), axis=0)) > 50
    assert "c9745ed" in " ".join(pdf_texts(pdf(made, palette)))
    assert title(made) in texts(svg(made, palette))
    assert "<svg" in html(made, palette).decode()


@EACH
def test_the_page_holds_the_drawing_and_asks_no_one(name):
    file = html(shown(ALL[name])).decode()
    drawn = file[file.index("<svg") : file.index("</svg>") + 6]
    assert texts(drawn) == texts(svg(shown(ALL[name])))
    assert "Plotly" not in file
    assert not re.search(r'(src|href)="(?!#|data:)', file)


@EACH
@pytest.mark.parametrize("kind", [png, svg, pdf])
def test_the_same_view_gives_the_same_bytes(name, kind):
    assert kind(shown(ALL[name])) == kind(shown(ALL[name]))


def test_a_table_is_a_page_of_numbers_and_a_heatmap_where_a_picture_is_asked_for():
    picture = causal(5)
    table = view(picture, subject=Table(picture))
    file = html(table).decode()
    assert "<svg" not in file
    assert "Plotly" not in file
    assert file.index("<table>") > 0
    assert "<summary>The numbers" not in file, "it is not folded away"
    assert png(table) == png(view(picture))


@EACH
def test_tokens_are_text_in_every_page(name):
    """Whatever a token or a sentence holds, the page has as many elements as with plain words."""
    odd = view(subject=HOSTILE_ALL[name], text="</svg><script>alert(1)</script>", model="<img src=x>")
    file = html(odd).decode()
    assert "<script" not in file
    assert "<img src=x>" not in file
    drawn = file[file.index("<svg") : file.index("</svg>") + 6]
    assert "<svg" in drawn[:4]
    assert texts(drawn) == texts(svg(odd))
