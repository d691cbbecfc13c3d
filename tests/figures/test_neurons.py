import xml.etree.ElementTree as ET

import numpy as np
import pytest

from attention.errors import InputError
from attention.figures import neurons as figure
from attention.figures.strips import colours_of
from attention.figures.theme import DARK, LIGHT, role_scale, score_scale
from tests.export.subjects import neurons

BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def rows(drawn, palette=LIGHT):
    return [
        row
        for row in ET.fromstring(figure.neurons_table(drawn, palette)).iter("tr")
        if "data-row" in row.attrib
    ]


def cells(row):
    return ["".join(cell.itertext()) for cell in row if cell.get("class") != "vector"]


def test_the_products_of_a_row_add_up_to_its_raw_score():
    drawn = neurons()
    np.testing.assert_allclose(drawn.products.sum(axis=1), drawn.scores)
    np.testing.assert_allclose(drawn.products, [[2, -2], [0.5, 1], [-1, 0]])


def test_raw_scaled_and_weight_stand_in_columns_of_their_own():
    table = ET.fromstring(figure.neurons_table(neurons(), LIGHT))
    heads = ["".join(head.itertext()) for head in table.find(".//thead/tr")]
    assert heads == ["key", "qj kj", "raw score", "scaled, ÷ √2", "weight α", "α‖v‖"]
    assert cells(rows(neurons())[1]) == ["<b>", "1.500", "1.061", "0.743", "0.371"]


def test_a_masked_key_keeps_its_scores_and_has_no_weight():
    row = rows(neurons())[2]
    assert cells(row) == ["mat", "−1.000", "−0.707", "masked", "0"]
    assert row.get("class") == "closed"


@BOTH
def test_strips_have_the_colours_of_the_products_and_of_the_query(palette):
    drawn = neurons()
    fills = [[rect.get("fill") for rect in row.iter("rect")] for row in rows(drawn, palette)]
    assert fills == [colours_of(products, 2.0, score_scale(palette)) for products in drawn.products]
    head = ET.fromstring(figure.neurons_table(drawn, palette)).find(".//thead")
    wanted = colours_of(drawn.query, 2.0, role_scale(palette, "query"))
    assert [rect.get("fill") for rect in head.iter("rect")] == wanted


def test_each_cell_says_its_operands():
    titles = [title.text for title in rows(neurons())[0].iter("title")]
    assert titles == ["dimension 0: 1.000 · 2.000 = 2.0000", "dimension 1: 2.000 · −1.000 = −2.0000"]


def test_the_key_in_focus_is_marked_and_can_be_reached():
    marks = [(row.get("class"), row.find(".//button").get("aria-pressed")) for row in rows(neurons(key=1))]
    assert marks == [("", "false"), ("focus", "true"), ("closed", "false")]


def test_steps_of_a_family_stand_between_scaled_and_weight():
    drawn = neurons(between=(("Biased", np.array([5.0, 6.0, 7.0])),))
    assert figure.column_names(drawn)[2] == "biased"
    assert cells(rows(drawn)[0])[3] == "5.000"


def test_too_many_cells_for_hovers_are_one_picture_a_row():
    wide = neurons(query=np.ones(2000), keys=np.ones((3, 2000)))
    assert not list(rows(wide)[0].iter("rect"))
    assert rows(wide)[0].find(".//img").get("src").startswith("data:image/png;base64,")


def test_of_many_keys_the_heaviest_and_the_one_in_focus_stay_in_order():
    n = 300
    weights = np.arange(n, dtype=float)
    rows_ = dict.fromkeys(("scores", "scaled", "weights", "lengths"), weights)
    many = neurons(keys=np.ones((n, 2)), allowed=np.ones(n, bool), key_tokens=tuple(map(str, range(n))),
                   key_positions=tuple(range(n)), key=3, n_keys=n, **rows_)  # fmt: skip
    few = figure.shown(many)
    assert few.key_positions == (3, *range(45, 300))
    assert few.key_tokens[few.key] == "3"
    np.testing.assert_array_equal(few.weights, few.key_positions)
    assert figure.rest_note(few) == "the 256 keys with the largest weights, of 300"
    assert figure.shown(neurons()).key_positions == neurons().key_positions


def test_the_picture_in_words():
    said = figure.describe(neurons())
    assert said == (
        "The query it against 3 keys in 2 dimensions. The largest weight, 0.743, is on <b>: "
        "raw score 1.500, scaled 1.061."
    )
    assert figure.describe(neurons(allowed=np.zeros(3, bool))).endswith("it sees none of them.")


def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="scores has 2 rows, but there are 3 keys"):
        neurons(scores=np.zeros(2))
