import io
import json
import re
from csv import reader
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from attention.export import plate
from attention.export.plate import Plate
from attention.figures import theme
from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid, heights
from attention.figures.theme import DARK, LIGHT
from tests.export.reading import pdf_texts
from tests.figures.charts import HOSTILE, growth, scores

SVG = "{http://www.w3.org/2000/svg}"
FACTS = {"model": "minilm", "revision": "c9745ed", "sentence": "The bank approved the loan.", "empty": ""}
ALL = pytest.mark.parametrize("picture", [growth(), scores()], ids=["chart", "grid"])


def made(picture, **changes):
    given = {"key": "scaling-variance", "facts": FACTS, "caption": "<b>Notice</b> the line &amp; the dots."}
    return Plate(picture=picture, **(given | changes))


def texts(file):
    return [element.text for element in ElementTree.fromstring(file).iter(f"{SVG}text")]


@ALL
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_a_vector_file_says_what_it_shows(picture, palette):
    file = plate.svg(made(picture), palette)
    said = texts(file)
    assert picture.title in said
    assert "model: minilm · revision: c9745ed · sentence: The bank approved the loan." in said
    assert "Notice the line & the dots." in said
    assert b"@font-face{font-family:'DejaVu Sans'" in file
    assert palette.bg.lower().encode() in file


def test_a_chart_s_axes_and_legend_are_in_the_vector_file():
    said = texts(plate.svg(made(growth())))
    for text in ("4", "16", "64", "d", "variance", "measured", "theory", "scaled"):
        assert text in said
    assert len([text for text in said if text == "theory"]) == 1


def test_points_of_the_vector_file_stand_where_the_numbers_are():
    line = Chart("t", Axis("x", range=(0, 4)), Axis("y", range=(0, 8)), (Series("a", [1, 2, 3], [2, 4, 0]),))
    root = ElementTree.fromstring(plate.svg(made(line)))
    strokes = [
        path.get("d") for path in root.iter(f"{SVG}path") if LIGHT.ink.lower() in (path.get("style") or "")
    ]
    (drawn,) = [stroke for stroke in strokes if stroke.count("L") == 2]
    x, y = np.array([float(part) for part in drawn.replace("M", "").replace("L", "").split()]).reshape(3, 2).T
    assert x[1] - x[0] == pytest.approx(x[2] - x[1], abs=0.01)
    assert (y[2] - y[0]) / (y[2] - y[1]) == pytest.approx(2 / 4, abs=0.01), "in the ratio of the numbers"


def test_a_grid_s_names_numbers_and_scale_are_in_the_vector_file():
    shown = scores(4)
    said = texts(plate.svg(made(shown)))
    assert said.count("word0") == said.count("word3") == 2
    assert said.count("−∞") == 6
    assert {"query, looks ↓", "key, looked at →", "0"} <= set(said)


def test_a_part_of_a_grid_has_its_outline_on_paper():
    names = tuple("abcdefghi")
    shown = Grid("t", np.zeros((9, 9)), names, names, "row", "column", part=(range(1, 3), range(2, 6)))
    frames = outlines(plate.svg(made(shown)), LIGHT.ink)
    assert len(frames) == 1
    (left, top), (right, bottom) = frames[0].min(axis=0), frames[0].max(axis=0)
    assert (right - left) / (bottom - top) == pytest.approx(4 / 2, abs=0.01), "four columns, two rows"
    assert not outlines(plate.svg(made(scores(9))), LIGHT.ink)


def outlines(file, colour):
    """The corners of each unfilled frame in a colour."""
    frames = [
        path.get("d")
        for path in ElementTree.fromstring(file).iter(f"{SVG}path")
        if "fill: none" in (style := path.get("style") or "") and f"stroke: {colour.lower()}" in style
    ]
    return [np.array(re.findall(r"-?[\d.]+", frame), dtype=float).reshape(-1, 2) for frame in frames]


def test_a_cell_of_the_bitmap_has_the_colour_of_its_number():
    names = tuple("abcdefghijklmnopqrst")
    weights = np.random.default_rng(0).dirichlet(np.ones(20), 20)
    shown = Grid("w", weights, names, names, "query", "key", "weights", limit=0.5)
    image = np.asarray(Image.open(io.BytesIO(plate.png(made(shown)))).convert("RGB"))
    scale = theme.lut(theme.weight_scale(LIGHT))
    wanted = {scale[round(255 * float(height))] for height in heights(shown).ravel()}
    seen = {f"#{colour:06X}" for colour in np.unique(image.astype(int) @ [1 << 16, 1 << 8, 1])}
    assert wanted <= seen


@ALL
def test_the_pdf_embeds_its_fonts_and_keeps_its_text(picture):
    file = plate.pdf(made(picture))
    assert file.startswith(b"%PDF-")
    assert b"/Type3" not in file
    assert file.count(b"/FontFile2") >= 2, "regular and bold"
    said = pdf_texts(file)
    assert picture.title in said
    assert any("c9745ed" in text for text in said)


@ALL
def test_the_page_needs_no_network_and_holds_the_numbers(picture):
    file = plate.html(made(picture), DARK).decode()
    assert "default-src 'none'" in file
    assert "<dt>revision</dt><dd>c9745ed</dd>" in file
    assert "<summary>The numbers</summary>" in file
    assert ("<td>15.9</td>" in file) == isinstance(picture, Chart)
    assert ("<td>−∞</td>" in file) == isinstance(picture, Grid)
    assert DARK.bg in file


def table(file):
    lines = list(reader(io.StringIO(file.decode("utf-8-sig"))))
    end = lines.index([])
    return lines[:end], lines[end + 1 :]


def test_the_table_has_every_number_in_full():
    about, lines = table(plate.csv(made(growth())))
    assert ["# model", "minilm"] in about
    assert not any("empty" in line[0] for line in about)
    assert lines[0] == ["d", "measured", "theory", "scaled"]
    assert lines[2] == ["16", "15.9", "16.0", "0.98"]
    shown = scores(3)
    lines = table(plate.csv(made(shown)))[1]
    assert [float(cell) for cell in lines[2][1:]] == [*shown.values[1, :2], -np.inf]


def test_no_cell_of_the_table_is_a_formula():
    shown = Grid("=sum(1)", np.eye(8), HOSTILE, HOSTILE, "row", "column")
    about, lines = table(plate.csv(made(shown, facts={"sentence": "=1+1"})))
    assert about == [["# Headlight", "'=sum(1)"], ["# sentence", "'=1+1"]]
    assert lines[0][3] == "'=1+1"
    assert lines[3][0] == "'=1+1"


def test_arrays_come_back_as_they_were():
    shown = scores(3, rows=("a", "b", "b"))
    with np.load(io.BytesIO(plate.npz(made(shown))), allow_pickle=False) as held:
        np.testing.assert_array_equal(held["values"], shown.values)
        np.testing.assert_array_equal(held["allowed"], np.tri(3, dtype=bool))
        assert held["rows"].tolist() == ["a", "b", "b"]
        assert json.loads(str(held["facts"]))["revision"] == "c9745ed"
    with np.load(io.BytesIO(plate.npz(made(growth())))) as held:
        np.testing.assert_array_equal(held["y_0"], [4.1, 15.9, 66.0])
        assert held["series"].tolist() == ["measured", "theory", "scaled"]


def test_json_is_strict():
    held = json.loads(plate.json(made(scores(2))), parse_constant=lambda name: pytest.fail(name))
    assert held["arrays"]["values"]["values"][0][1] == "-inf"
    assert held["title"] == "Masked scores"
    assert held["facts"] == {name: text for name, text in FACTS.items() if text}


def test_names_of_files_say_page_picture_and_title():
    assert plate.filename(made(growth()), "svg") == "headlight_scaling-variance_variance-of-q-k.svg"
    assert plate.filename(made(scores(2, title="Wörter/..\\ 猫"), key="masks"), "csv") == (
        "headlight_masks_w-rter.csv"
    )


@pytest.mark.parametrize("kind", [plate.png, plate.svg, plate.pdf, plate.html])
def test_no_word_is_too_odd_to_draw(kind):
    odd = ("\ud800", "\x00", "猫", "🙂", "\u202e", "$", "\\", "")
    shown = Grid("$\\bad{", np.eye(8), odd, odd, "<b>", "$x$")
    chart = Chart("</script>", Axis("$", labels=odd), Axis(""), (Series("\ud800", range(8), range(8)),))
    for picture in (shown, chart):
        assert len(kind(made(picture, facts={"sentence": "\ud800\x00 猫"}))) > 10_000


@ALL
@pytest.mark.parametrize("kind", [plate.svg, plate.pdf])
def test_the_same_picture_gives_the_same_bytes(picture, kind):
    assert kind(made(picture)) == kind(made(picture))


def test_every_name_has_room_on_paper_and_at_most_64_are_written():
    names = tuple(f"n{at}" for at in range(200))
    said = texts(plate.svg(made(Grid("t", np.eye(200), names, names, "row", "column", "weights"))))
    written = [text for text in said if text in names]
    assert 40 <= len(written) / 2 <= 64
