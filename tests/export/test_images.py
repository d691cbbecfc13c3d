import io
import re
import time
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from attention.export import drawing, pdf, png, svg
from attention.export.plan import plan
from attention.figures import theme
from attention.figures.picture import heights
from attention.figures.theme import DARK, LIGHT
from tests.export.reading import pdf_texts
from tests.export.views import HOSTILE, view
from tests.figures.pictures import SENTENCE, causal, picture

BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
SVG = "{http://www.w3.org/2000/svg}"


def pixels(shown, palette=LIGHT):
    """The PNG as an array, and its pixels a point."""
    image = Image.open(io.BytesIO(png(shown, palette))).convert("RGB")
    width, height = plan(shown).page
    assert image.width / width == pytest.approx(image.height / height, rel=0.01)
    return np.asarray(image), image.width / width


def at_cell(shown, row, column, palette=LIGHT, within=(0.2, 0.2)):
    """The colour of a place inside a cell, away from its number in the middle."""
    array, scale = pixels(shown, palette)
    layout, (rows, columns) = plan(shown), shown.picture.values.shape
    x = layout.left + layout.width * (column + within[0]) / columns
    y = layout.top + layout.height * (row + within[1]) / rows
    return "#{:02X}{:02X}{:02X}".format(*array[int(y * scale), int(x * scale)])


def texts(file):
    """Every label of an SVG."""
    return [element.text for element in ElementTree.fromstring(file).iter(f"{SVG}text")]


@BOTH
@pytest.mark.parametrize("chosen", ["fixed", "head", "log"])
def test_a_cell_of_the_bitmap_has_the_colour_of_its_weight(palette, chosen):
    shown = view(causal(5, range=chosen))
    scale = theme.lut(theme.weight_scale(palette))
    for row, column in ((0, 0), (4, 1), (3, 3)):
        height = heights(shown.picture)[row, column]
        assert at_cell(shown, row, column, palette) == scale[round(255 * float(height))]


@pytest.mark.parametrize("n", [40, 100])
def test_cells_are_exact_however_many(n):
    shown = view(picture(n))
    scale = theme.lut(theme.weight_scale(LIGHT))
    for row, column in ((0, 0), (n - 1, 3), (7, n - 1)):
        wanted = scale[round(255 * float(shown.picture.values[row, column]))]
        assert at_cell(shown, row, column, within=(0.5, 0.5)) == wanted


@BOTH
def test_masked_cells_are_hatched(palette):
    shown = view(causal(5))
    array, scale = pixels(shown, palette)
    layout = plan(shown)
    side = layout.width / 5 * scale
    left, top = layout.left * scale, layout.top * scale
    cell = array[int(top) + 3 : int(top + side) - 3, int(left + 4 * side) + 3 : int(left + 5 * side) - 3]
    ground = np.array(list(bytes.fromhex(palette.mask_ground[1:])))
    share = (cell == ground).all(-1).mean()
    assert 0.3 < share < 0.9, "ground and lines"
    lines = cell[(cell != ground).any(-1)].astype(int) - ground
    hatch = np.array(list(bytes.fromhex(palette.hatch[1:]))) - ground
    assert (np.sign(lines) == np.sign(hatch)).all(), "nothing but hatch on its ground"


def test_the_bitmap_is_sharp_and_not_blank():
    image = Image.open(io.BytesIO(png(view())))
    assert image.format == "PNG"
    assert image.width >= 1200
    colours = image.convert("RGB").getcolors(1 << 24)
    assert len(colours) > 200
    assert max(count for count, _ in colours) < 0.9 * image.width * image.height
    assert image.info["Title"] == "minilm · L4 H3 · attention weights"
    assert "changes: causal mask in every layer · L2 H5 off" in image.info["Description"]


def test_the_picture_grows_with_its_tokens():
    sizes = [plan(view(picture(n))) for n in (5, 12, 40, 200)]
    assert [round(layout.width) for layout in sizes] == [150, 360, 480, 1800]
    assert all(layout.label_size >= 6 for layout in sizes)
    assert sizes[2].label_size == 9, "legible on paper at 40 tokens"
    for n, layout in zip((5, 12, 40, 200), sizes, strict=True):
        assert layout.width / n >= 1.2 * layout.label_size, "no label runs into the next"
    assert max(plan(view(picture(1500))).page) < 2400


@pytest.mark.parametrize("n", [12, 40, 200])
def test_every_token_is_labelled_in_the_vector_file(n):
    said = texts(svg(view(picture(n))))
    for word in set(SENTENCE):
        assert said.count(word) == 2 * picture(n).query_tokens.count(word)


def test_the_vector_file_says_what_it_is():
    file = svg(view())
    said = texts(file)
    assert "minilm · L4 H3 · attention weights" in said
    assert "revision c9745ed · float32 · causal mask in every layer · L2 H5 off" in said
    assert "The developer deployed the application because it was ready." in said
    assert {"query, looks ↓", "key, looked at →", "0", "0.5", "1 weight"} <= set(said)
    root = ElementTree.fromstring(file)
    assert root.find(f"{SVG}title").text == "minilm · L4 H3 · attention weights"
    assert root.find(f"{SVG}desc").text.startswith(
        "Attention weights, 12 queries by 12 keys, 66 cells masked."
    )


def test_notes_and_blind_queries_are_in_the_vector_file():
    allowed = np.ones((5, 5), bool)
    allowed[2] = False
    note = "special tokens hidden, rows left as they are"
    said = texts(svg(view(picture(5, allowed=allowed, note=note))))
    assert said.count("sees nothing") == 1
    assert note in said


def test_focus_is_marked_in_its_colours():
    file = svg(view(picture(12, query=7, key=5)), DARK).decode()
    for colour in (DARK.query, DARK.ink):
        assert re.search(rf"fill: none; stroke: {colour.lower()}; stroke-width: 1.6", file)
    labels = re.findall(r'style="([^"]*)"[^>]*>(it|application)</text>', file)
    bold = {word: style for style, word in labels if "font-weight: 700" in style}
    assert f"fill: {DARK.query.lower()}" in bold["it"]
    assert f"fill: {DARK.key.lower()}" in bold["application"]
    assert len(labels) == 4, "each is also a label of the other axis, in plain ink"


def test_cells_are_shapes_and_labels_carry_their_letters():
    file = svg(view(picture(40))).decode()
    assert len(ElementTree.fromstring(file).findall(f".//{SVG}image")) == 1, "the colour bar"
    assert len(re.findall("<path|<use", file)) >= 1600
    assert file.count("@font-face{font-family:'DejaVu Sans'") == 2, "regular and bold"
    assert "src:url(data:font/woff;base64,d09GR" in file
    assert len(file) < 600_000


@pytest.mark.parametrize("kind", [png, svg, pdf])
def test_the_same_view_gives_the_same_bytes(kind):
    assert kind(view()) == kind(view())


def test_the_pdf_embeds_its_fonts_and_keeps_its_text():
    file = pdf(view())
    assert file.startswith(b"%PDF-")
    assert file.rstrip().endswith(b"%%EOF")
    assert b"/Type3" not in file
    assert file.count(b"/FontFile2") >= 2, "regular and bold, as outlines"
    assert b"/CreationDate" not in file
    said = pdf_texts(file)
    for word in ("developer", "application", "because", "[CLS]", "1 weight"):
        assert word in said
    assert "minilm · L4 H3 · attention weights" in said


HOSTILE_SHOWN = [
    *["<script>", "</script>", "<b>", "&amp;", "$x$", "**b**", "↵", "∅", "שלום", "=1+1", "⟨732B⟩⟨1F642⟩"],
    "a" * 23 + "…",
]


def test_tokens_are_drawn_as_themselves():
    said = texts(svg(view(causal(12, query_tokens=HOSTILE, key_tokens=HOSTILE), text="$\\frac{x}$ </text>")))
    for label in HOSTILE_SHOWN:
        assert said.count(label) == 2
    assert "$\\frac{x}$ </text>" in said


@pytest.mark.parametrize("kind", [png, pdf])
def test_no_token_is_too_odd_to_draw(kind):
    tokens = ("\ud800", "\x00", "猫", "🙂", "\u202e", "👩\u200d💻", "ก็", "$", "$$", "\\", "", " ")
    shown = view(causal(12, query_tokens=tokens, key_tokens=tokens), text="\ud800\x00 猫 $", model="$\\bad{")
    assert len(kind(shown)) > 10_000


def test_a_rectangle_is_drawn_with_queries_down():
    said = texts(svg(view(picture(3, 6, query_tokens=("x1", "x2", "x3")))))
    assert [said.count(token) for token in ("x1", "x2", "x3")] == [1, 1, 1]
    layout = plan(view(picture(3, 6)))
    assert layout.width == 2 * layout.height


def test_a_hundred_thousand_characters_make_three_lines():
    said = texts(svg(view(picture(3), text="x" * 100_000, pair="word " * 20_000)))
    assert sum(text.startswith("xxx") for text in said if text) == 1


def test_long_text_is_wrapped_and_cut():
    said = texts(svg(view(picture(3), text="word " * 2000, changes="no mask")))
    lines = [text for text in said if text and text.startswith("word word")]
    assert len(lines) == 3
    assert lines[-1].endswith("…")


def test_readers_take_turns_with_matplotlib(monkeypatch):
    drawing_now, most = [], []
    turn = drawing.draw

    def watched(*given, **options):
        drawing_now.append(1)
        most.append(len(drawing_now))
        time.sleep(0.02)  # long enough for another thread to come in
        figure = turn(*given, **options)
        drawing_now.pop()
        return figure

    monkeypatch.setattr(drawing, "draw", watched)
    views = [view(causal(5)), view(picture(6))] * 2
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(svg, views))
    assert max(most) == 1
    assert together == [svg(shown) for shown in views]


@pytest.mark.parametrize(("kind", "n"), [(png, 12), (svg, 30), (svg, 70)])
def test_nothing_shines_through_the_hatch(kind, n):
    hidden = causal(n)
    values = np.where(hidden.allowed, hidden.values, 0.8).astype(np.float32)
    assert kind(view(causal(n, values=values))) == kind(view(hidden))


def test_drawing_leaves_matplotlib_as_it_was():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    png(view(causal(3)))
    assert dict(mpl.rcParams) == before
