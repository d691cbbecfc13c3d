"""What is on screen besides the heatmap, in every format: read back from the files."""

import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from attention.export import filename, html, pdf, png, svg
from attention.export.subjects import Table
from attention.export.view import facts, title
from attention.figures import lines as figure
from attention.figures import lines_words, theme
from attention.figures.strips import colours_of
from attention.figures.theme import DARK, LIGHT
from tests.export import subjects
from tests.export.reading import pdf_texts
from tests.export.views import view
from tests.figures.heads import head
from tests.figures.pictures import causal

SVG = "{http://www.w3.org/2000/svg}"
ALL = {
    "lines": subjects.lines(),
    "neurons-of-query7": subjects.neurons(),
    "sentence": subjects.sentence(),
    "received": subjects.sentence(source="receives"),
    "step-strip": subjects.steps(),
    "all-heads": subjects.heads(),
}
EACH = pytest.mark.parametrize("name", ALL)
BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def shown(subject):
    return view(subject=subject)


def texts(file):
    return [element.text for element in ElementTree.fromstring(file).iter(f"{SVG}text")]


def places(file, word):
    """Where a word stands each time, in the order of drawing."""
    found = [element for element in ElementTree.fromstring(file).iter(f"{SVG}text") if element.text == word]
    return [(float(element.get("x")), float(element.get("y"))) for element in found]


def style(element):
    return dict(part.strip().split(": ") for part in element.get("style", "").split(";") if ": " in part)


def curves(file):
    """Every curve of an SVG: its four points, its stroke and its opacity."""
    found = []
    for element in ElementTree.fromstring(file).iter(f"{SVG}path"):
        points = [float(number) for number in re.findall(r"-?[\d.]+", element.get("d", ""))]
        if " C " in element.get("d").replace("\n", " ") and len(points) == 8 and "stroke" in style(element):
            look = style(element)
            opacity = float(look.get("opacity", look.get("stroke-opacity", 1)))
            found.append((points, look["stroke"].upper(), float(look.get("stroke-width", 1)), opacity))
    return found


def pixels(subject, palette=LIGHT):
    return np.asarray(Image.open(io.BytesIO(png(shown(subject), palette))).convert("RGB"))


def has_colour(array, colour):
    return bool((array == np.array(list(bytes.fromhex(colour[1:])))).all(-1).any())


@EACH
def test_files_are_named_for_what_they_show(name):
    head_name = "" if name == "all-heads" else "_L4_H3"
    assert filename(shown(ALL[name]), "svg") == f"headlight_minilm{head_name}_{name}.svg"


@EACH
@BOTH
def test_every_format_is_made_in_both_themes(name, palette):
    made = shown(ALL[name])
    image = Image.open(io.BytesIO(png(made, palette))).convert("RGB")
    assert image.getpixel((2, 2)) == tuple(bytes.fromhex(palette.bg[1:]))
    assert len(image.getcolors(1 << 24)) > 50
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


def test_each_line_is_the_curve_of_the_page():
    found = curves(svg(shown(subjects.lines())))
    assert len(found) == 4
    for (start_x, start, *controls, end_x, end), _, _, _ in found:
        middle = (start_x + end_x) / 2
        assert controls == pytest.approx([middle, start, middle, end], abs=1e-4)
    ends = {round(points[0], 3) for points, *_ in found}, {round(points[6], 3) for points, *_ in found}
    assert len(ends[0]) == len(ends[1]) == 1, "two columns"


def test_thickness_opacity_and_colour_are_those_of_the_weights():
    found = curves(svg(shown(subjects.lines())))
    # .7 and .2 are the locked query's own; twice .5 is another's and faint. A pixel is .75 points.
    said = sorted((round(width, 3), round(opacity, 3)) for _, _, width, opacity in found)
    wanted = [(0.6 + 5.5 * w, o) for w, o in ((0.2, 0.48), (0.5, 0.07), (0.5, 0.07), (0.7, 0.805))]
    np.testing.assert_allclose(said, [(0.75 * width, opacity) for width, opacity in wanted], atol=1e-3)
    assert {stroke for _, stroke, *_ in found} == {LIGHT.beam}


def test_a_locked_key_has_the_lines_that_reach_it_and_no_lock_shows_all_alike():
    by_key = [opacity for *_, opacity in curves(svg(shown(subjects.lines(lock="key"))))]
    assert sorted(by_key) == pytest.approx([0.07, 0.07, 0.35 + 0.65 * 0.2, 0.35 + 0.65 * 0.5])
    free = [opacity for *_, opacity in curves(svg(shown(subjects.lines(lock=None))))]
    assert sorted(free) == pytest.approx([0.2 + 0.8 * weight for weight in (0.2, 0.5, 0.5, 0.7)])


@BOTH
def test_heads_have_colours_names_and_places_of_their_own(palette):
    pair = (subjects.strand(), subjects.strand("H7", subjects.WEIGHTS[:, ::-1].copy()))
    file = svg(shown(subjects.lines(strands=pair)), palette)
    first, second = theme.head_colours(palette)[:2]
    assert {stroke for _, stroke, *_ in curves(file)} == {first, second}
    starts = {
        stroke: {points[1] for points, other, *_ in curves(file) if other == stroke}
        for _, stroke, *_ in curves(file)
    }
    assert starts[first].isdisjoint(starts[second]), "one head's lines do not hide another's"
    said = texts(file)
    assert said.count("H4") == said.count("H7") == 2, "in the legend and at its heaviest line"


def test_lines_say_what_they_are_and_show_tokens_as_themselves():
    said = texts(svg(shown(subjects.lines(note="special tokens hidden, rows left as they are"))))
    assert {"I", "learn", "je", "##ta", "<b>", "query, looks →", "key, looked at"} <= set(said)
    assert "lines for the largest weights up to 90 % of each row; thickness: weight" in said
    assert "special tokens hidden, rows left as they are" in said
    assert facts(shown(subjects.lines()))["heads drawn"] == "H4"


def test_what_the_query_may_not_see_is_struck_out():
    closed = np.array([[True, True, False], [True, True, True]])
    open_, shut = (svg(shown(subjects.lines(allowed=mask))).decode() for mask in (closed | True, closed))
    stroke = f"stroke: {LIGHT.masked.lower()}"
    assert (open_.count(stroke), shut.count(stroke)) == (0, 1)


def test_a_rectangle_of_lines_has_both_columns():
    said = texts(svg(shown(subjects.lines())))
    assert sum(token in said for token in subjects.QUERIES + subjects.KEYS) == 5


def test_more_lines_than_can_be_drawn_are_told():
    n = 60
    flat = subjects.strand(weights=np.full((n, n), 1 / n), drawn=np.ones((n, n), bool))
    many = figure.Lines(strands=(flat,), allowed=flat.drawn, query_tokens=("x",) * n, key_tokens=("y",) * n,
                        query=3, mass=100)  # fmt: skip
    assert len(curves(svg(shown(many)))) == 1200 + n
    assert "the 2,340 lightest of them are left out" in lines_words.said(many)


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


def test_every_step_is_there_with_its_number():
    arrays = head(5, allowed=np.tril(np.ones((5, 5), bool)))
    said = texts(svg(shown(subjects.steps(arrays, query=3, key=1))))
    assert {"Input", "Queries, keys, values", "Scores", "Scaled", "Masked", "Weights", "Weighted sum"} <= set(
        said
    )
    for value in (arrays.scores[3, 1], arrays.scaled[3, 1]):
        assert f"{value:.3f}".replace("-", "−") in said
    assert f"{arrays.weights[3, 1]:.3f}" in said
    assert said.count("−∞") == 10, "in each closed cell of the masked scores"
    assert {f"q{at}" for at in range(5)} <= set(said)


def test_steps_of_a_rectangle_and_of_a_masked_pair():
    closed = np.ones((3, 6), bool)
    closed[1, 4] = False
    said = texts(svg(shown(subjects.steps(head(3, 6, allowed=closed), query=1, key=4))))
    assert "−∞" in said
    assert "k4" not in said, "rows are queries"


@BOTH
def test_steps_take_the_colours_of_the_file_not_of_the_page(palette):
    array = pixels(subjects.steps(palette=DARK if palette is LIGHT else LIGHT), palette)
    for role in ("query", "key", "value", "output"):
        assert has_colour(array, getattr(palette, role))


def test_a_window_of_a_long_sequence_is_told():
    said = texts(svg(shown(subjects.steps(head(100), query=50, key=3))))
    assert any("queries 30–69 and keys 0–39 of 100" in text for text in said)
    assert "q50" in said
    assert "q10" not in said


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


@BOTH
def test_products_have_their_colours_and_each_number_its_column(palette):
    drawn = subjects.neurons()
    said = texts(svg(shown(drawn), palette))
    for name in ("raw score", "scaled, ÷ √2", "weight α", "α‖v‖", "it", "cat", "<b>"):
        assert name in said
    at = {
        text: places(svg(shown(drawn), palette), text)[0][0] for text in ("1.500", "1.061", "0.743", "0.371")
    }
    assert list(at.values()) == sorted(at.values()), "raw, scaled, weight, length from left to right"
    assert said.count("masked") == 1
    array = pixels(drawn, palette)
    for colour in colours_of(drawn.products[0], 2.0, theme.score_scale(palette)):
        assert has_colour(array, colour)


def test_layers_that_see_a_window_are_ringed():
    said = texts(svg(shown(subjects.heads(local=frozenset({1})))))
    assert {"L0", "○ L1"} <= set(said)
    assert any("○ layers see a window of the text" in text for text in said if text)


def test_a_table_is_a_page_of_numbers_and_a_heatmap_where_a_picture_is_asked_for():
    picture = causal(5)
    table = view(picture, subject=Table(picture))
    file = html(table).decode()
    assert "<svg" not in file
    assert "Plotly" not in file
    assert file.index("<table>") > 0
    assert "<summary>The numbers" not in file, "it is not folded away"
    assert png(table) == png(view(picture))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"strands": ()}, "lines are drawn for 1 to 8 heads, not for 0"),
        ({"strands": (subjects.strand(),) * 9}, "lines are drawn for 1 to 8 heads, not for 9"),
        ({"query_tokens": ("a",)}, r"lines between 1 × 3 tokens cannot show \(2, 3\) weights"),
    ],
)
def test_lines_that_do_not_fit_are_refused(changes, sentence):
    from attention.errors import InputError

    with pytest.raises(InputError, match=sentence):
        subjects.lines(**changes)
