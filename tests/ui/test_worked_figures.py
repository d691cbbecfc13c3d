"""The board, the small sums and the files of the worked example, against numbers reckoned here."""

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from attention import export
from attention.figures.board import board
from attention.figures.entries import entry, weighted_sum
from attention.figures.reckoning import product_lines, reckoning, softmax_lines
from attention.figures.theme import DARK, LIGHT, contrast, score_scale
from attention.ui.worked.desk import Desk, typed, with_sizes, with_words
from attention.ui.worked.export_menu import steps_csv, view
from attention.ui.worked.further import mixed, softmax
from attention.ui.worked.scene import worked_scene
from attention.ui.worked.script import script
from attention.ui.worked.words import ROW_PRINTED


def drawn(desk, palette=LIGHT):
    scene = worked_scene(desk)
    return board(
        scene.head,
        tokens=scene.tokens,
        query=scene.query,
        key=scene.key,
        palette=palette,
        scale_text=scene.scale_text,
    )


def tables(html):
    """Caption → rows of texts, without the row names."""
    found = {}
    for table in re.findall(r"<table.*?</table>", html, re.DOTALL):
        caption = re.search("<caption>(.*?)</caption>", table)[1]
        body = table.split("<tbody>")[1]
        found[caption] = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr.*?</tr>", body)]
    return found


def uneven():
    """Four sizes of which no two are equal, and numbers of both signs."""
    desk = with_sizes(Desk(), n=4, d=3, dk=2, dv=5)
    rng = np.random.default_rng(3)
    for name, shape in (("x", (4, 3)), ("q", (3, 2)), ("k", (3, 2)), ("v", (3, 5))):
        desk = typed(
            desk, name, tuple(tuple(f"{value:.2f}" for value in row) for row in rng.normal(size=shape) * 2)
        )
    return desk


def by_hand(desk):
    x, w_q, w_k, w_v = (np.array(desk.numbers[name]) for name in ("x", "q", "k", "v"))
    scores = (x @ w_q) @ (x @ w_k).T
    scaled = scores / np.sqrt(w_q.shape[1])
    masked = np.where(np.tri(len(x), dtype=bool) | (not desk.causal), scaled, -np.inf)
    exps = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return {
        "Scores": scores,
        "Scaled": scaled,
        "Masked": masked,
        "Weights": weights,
        "Weighted sum": weights @ (x @ w_v),
    }


def test_the_worked_example_to_three_digits():
    shown = tables(drawn(Desk()))
    assert shown["Scores"] == [["1", "0"], ["0", "1"]]
    assert shown["Scaled"] == [["0.707", "0"], ["0", "0.707"]]
    assert shown["Weights"] == shown["Weighted sum"] == [["0.670", "0.330"], ["0.330", "0.670"]]


@pytest.mark.parametrize("causal", [False, True])
def test_every_step_of_an_uneven_example_equals_plain_numpy(causal):
    desk = replace(uneven(), causal=causal)
    shown = tables(drawn(desk))
    for name, expected in by_hand(desk).items():
        assert shown[name] == [[entry(value) for value in row] for row in expected.tolist()]


def test_seven_steps_in_order_each_with_formula_shape_and_sentence():
    sections = re.findall("<section.*?</section>", drawn(uneven()))
    names = [re.search('aria-label="Step (.*?)"', section)[1] for section in sections]
    assert names == [
        "1, Input",
        "2, Queries, keys, values",
        "3, Scores",
        "4, Scaled",
        "5, Masked",
        "6, Weights",
        "7, Weighted sum",
    ]
    for section in sections:
        for part in ("formula", "shape", "sentence"):
            assert re.search(f'class="{part}">(<i>)?[^<]', section), (part, section)
    assert "XW<sub>Q</sub>" in sections[1]
    assert "S ÷ √2" in sections[3]
    assert "4 × 3" in sections[0]


def test_masked_cells_are_hatched_and_say_so():
    html = drawn(replace(with_sizes(Desk(), n=3), causal=True))
    assert tables(html)["Masked"] == [["0.707", "−∞", "−∞"], ["0", "0.707", "−∞"], ["0", "0", "0"]]
    assert tables(html)["Weights"][0] == ["1", "0", "0"]
    assert html.count('class="masked"') == 6
    assert "3 cells at −∞" in html


def test_the_pair_in_focus_is_marked_and_nothing_else():
    html = drawn(Desk(query=1, key=0))
    marked = re.findall(r'<(tr|td|th)[^>]*aria-current="true"', html)
    assert marked.count("tr") == 9  # one row of each matrix
    assert marked.count("td") == 4  # one cell of each that has a column a key
    assert marked.count("th") == 4
    rows = re.findall(r'<tr data-(.)="(.)" aria-current="true"', html)
    assert rows.count(("q", "1")) == 7  # X, Q, the four squares, Z
    assert rows.count(("k", "0")) == 2  # K and V


def test_tokens_are_text_and_never_markup():
    html = drawn(with_words(Desk(), "<script> & $x$"))
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_long_names_lean_and_short_ones_do_not():
    assert "slanted" not in drawn(Desk()).split(">", 2)[1]
    assert "slanted" in drawn(with_sizes(Desk(), n=6)).split(">", 2)[1]


def test_numbers_in_cells_are_black_or_white_in_both_themes():
    for palette in (LIGHT, DARK):
        colours = set(re.findall(r";color:(#\w+)", drawn(uneven(), palette)))
        assert colours <= {"#000000", "#FFFFFF"}


def test_a_vocabulary_of_equal_words():
    scene = worked_scene(with_words(Desk(), "the cat the"))
    assert scene.tokens == ("the", "cat", "the")
    assert scene.head.weights.shape == (3, 3)
    assert list(np.load(io.BytesIO(export.npz(view(scene))))["tokens"]) == ["the", "cat", "the"]


def texts(html):
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>.*?</tr>", html)]


def test_the_row_through_softmax_in_full():
    html = reckoning("row", softmax_lines([1.2, 2.5, 1.0, 2.0], softmax([1.2, 2.5, 1.0, 2.0]), LIGHT))
    assert texts(html) == [
        ["1.200", "2.500", "1.000", "2.000", ""],
        ["3.320", "12.182", "2.718", "7.389", "25.610"],
        ["0.130", "0.476", "0.106", "0.289", "1.000"],
    ]


def test_the_sentence_on_the_printed_row_is_true():
    exps = np.exp([1.2, 2.5, 1.0, 2.0])
    shares = exps / exps.sum()
    assert f"{shares[1]:.4f}" == "0.4757"
    assert ", ".join(f"{share:.3f}" for share in shares) in ROW_PRINTED
    assert round(sum(round(float(share), 2) for share in shares), 2) == 1.01
    assert [round(float(share), 2) for share in shares] == [0.13, 0.48, 0.11, 0.29]


def test_products_stand_under_their_operands():
    lines = product_lines(np.array([1.0, -2.0, 0.5]), np.array([3.0, 0.25, 4.0]), 4.5, LIGHT)
    assert texts(reckoning("score", lines, ["0", "1", "2"]))[1:] == [
        ["1", "−2", "0.500", ""],
        ["3", "0.250", "4", ""],
        ["3", "−0.500", "2", "4.500"],
    ]


def test_products_above_and_below_zero_are_lit_as_scores_are():
    (*_, products) = product_lines(np.array([1.0, -2.0, 0.0]), np.array([3.0, 1.5, 4.0]), 0.0, LIGHT)
    ends = score_scale(LIGHT)
    assert products.fills[:2] == [ends[-1][1], ends[0][1]]
    assert contrast(products.fills[2], LIGHT.bg) < 1.02


def test_a_weighted_sum_takes_the_weights_as_they_are():
    assert mixed([0.5, 0.7], [[1.0, 0.0], [0.0, 10.0]]).tolist() == [0.5, 7.0]
    said = re.sub("<[^>]+>", "", weighted_sum([0.5, -1.0], [[1.0, 0.0], [0.0, 1.0]], [0.5, -1.0]))
    assert said == "z = 0.500 × (1, 0) + (−1) × (0, 1) = (0.500, −1)"


def test_the_csv_holds_every_step_and_is_safe_to_open():
    scene = worked_scene(with_words(uneven(), "=1+1 learn from every"))
    rows = list(csv.reader(io.StringIO(steps_csv(scene).decode("utf-8-sig"))))
    names = [row[0] for at, row in enumerate(rows) if at and not rows[at - 1]]
    assert names == [
        "X", "W_Q", "W_K", "W_V", "Q = X W_Q", "K = X W_K", "V = X W_V", "Scores = Q K^T",
        "Scaled = Scores / sqrt(d_k)", "Masked", "Weights = softmax by row", "Output = Weights V",
    ]  # fmt: skip
    at = [row[:1] for row in rows].index(["Weights = softmax by row"])
    assert rows[at][1] == "'=1+1"
    weights = np.array([[float(value) for value in row[1:]] for row in rows[at + 1 : at + 5]])
    np.testing.assert_allclose(weights, by_hand(scene.desk)["Weights"], rtol=0, atol=1e-14)


def test_the_arrays_hold_every_step():
    scene = worked_scene(uneven())
    held = np.load(io.BytesIO(export.npz(view(scene))), allow_pickle=False)
    np.testing.assert_allclose(held["scaled"], by_hand(scene.desk)["Scaled"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(held["head_outputs"], by_hand(scene.desk)["Weighted sum"], rtol=0, atol=1e-13)
    np.testing.assert_array_equal(held["w_v"], np.array(scene.desk.numbers["v"]))
    assert list(held["tokens"]) == list(scene.tokens)
    assert json.loads(export.json(view(scene)))["facts"]["model"] == "worked-example"


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("changed", [False, True])
def test_the_script_makes_the_weights_again(causal, changed):
    desk = replace(uneven() if changed else Desk(), causal=causal)
    names = {}
    exec(script(desk), names)
    expected = by_hand(desk)["Weights"]
    np.testing.assert_allclose(names["weights"].numpy(), expected, rtol=0, atol=1e-13 if changed else 1e-7)
    if not changed:
        assert len(script(desk).splitlines()) == 3


def test_a_hidden_step_shows_question_marks_and_neither_range_nor_shade_nor_hover():
    arrays = worked_scene(replace(Desk(), causal=True)).head
    drawn = board(
        arrays,
        tokens=("I", "learn"),
        query=1,
        key=0,
        palette=LIGHT,
        scale_text="÷ √2",
        hidden={"Scaled", "Weights"},
    )
    for number, name in ((4, "Scaled"), (6, "Weights")):
        (section,) = re.findall(rf'<section[^>]*aria-label="Step {number}, {name}".*?</section>', drawn)
        assert section.count(">?</td>") == 4
        assert "±" not in section
        assert "masked" not in section
        assert "background" not in section
        assert "0.7" not in section
    assert drawn.count(">?</td>") == 8
