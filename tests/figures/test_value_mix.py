import base64
import re
import xml.etree.ElementTree as ET
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from attention.figures.cell import value_mix
from attention.figures.theme import DARK, LIGHT, lut, role_scale
from tests.figures.heads import head, words
from tests.figures.reading import names, number, visible_rows

NASTY = ["<script>", "</script>", "&amp;", "$x$", "**b**", "\"'", "a\nb"]


def mix(n=12, *, query=3, key=5, allowed=None, tokens=None, palette=LIGHT, d_value=4):
    arrays = head(n, allowed=allowed, d_value=d_value)
    markup = value_mix(
        words(n) if tokens is None else tokens,
        arrays.weights[query],
        arrays.values,
        arrays.head_output[query],
        key=key,
        allowed=arrays.allowed[query],
        palette=palette,
    )
    return markup, arrays.weights[query], arrays.values, arrays.head_output[query]


def test_the_eight_largest_stand_first_then_the_rest_then_the_sum():
    markup, weights, _, _ = mix()
    order = [f"w{i}" for i in np.argsort(-weights)]
    assert names(markup) == [*order[:8], "4 more", "sum"]
    numbers = [row.findall("td")[2].text for row in visible_rows(markup)]
    assert numbers[:8] == [f"{w:.3f}" for w in np.sort(weights)[::-1][:8]]
    assert numbers[8] == f"{np.sort(weights)[:4].sum():.3f}"
    assert numbers[9] == "1.000"


def test_each_row_carries_what_it_is_sorted_by():
    markup, weights, values, _ = mix()
    rows = [row for row in ET.fromstring(markup).iter("tr") if row.attrib.get("class", "").startswith("pair")]
    assert len(rows) == 12
    for row in rows:
        at = int(row.attrib["data-position"])
        assert float(row.attrib["data-weight"]) == pytest.approx(weights[at], rel=1e-6)
        assert float(row.attrib["data-norm"]) == pytest.approx(
            weights[at] * np.linalg.norm(values[at]), rel=1e-6
        )


@pytest.mark.parametrize("by", ["weight", "position", "norm"])
def test_whatever_the_order_the_first_eight_and_the_rest_are_all(by):
    markup, weights, values, _ = mix()
    size = {"weight": -weights, "position": np.arange(12), "norm": -weights * np.linalg.norm(values, axis=1)}[
        by
    ]
    beyond = np.argsort(size)[8:]
    (rest,) = [
        row
        for row in ET.fromstring(markup).iter("tr")
        if row.attrib.get("data-sort") == by and row.attrib["class"] == "rest"
    ]
    assert rest.findall("td")[2].text == f"{weights[beyond].sum():.3f}"
    assert rest.findall("td")[4].text == f"{np.linalg.norm((weights[:, None] * values)[beyond].sum(0)):.3f}"
    end = float(ET.fromstring(markup).find("table").attrib[f"data-end-{by}"])
    assert end == pytest.approx(max(weights.max(), weights[beyond].sum()), rel=1e-6)


def strip_titles(row):
    return [number(rect.find("title").text.rpartition(" = ")[2]) for rect in row.iter("rect")]


def test_strips_show_each_weighted_value_and_add_up_to_the_sum():
    markup, weights, values, output = mix(6, query=2, key=1)
    rows = visible_rows(markup)
    order = np.argsort(-weights)
    for row, at in zip(rows, order, strict=False):
        np.testing.assert_allclose(strip_titles(row), weights[at] * values[at], atol=5.1e-5)
    np.testing.assert_allclose(strip_titles(rows[-1]), output, atol=5.1e-5)
    total = np.sum([strip_titles(row) for row in rows[:-1]], axis=0)
    np.testing.assert_allclose(total, output, atol=6 * 5.1e-5)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_strips_share_one_range_with_the_sum(palette):
    markup, weights, values, output = mix(6, query=2, key=1, palette=palette)
    limit = max(np.abs(weights[:, None] * values).max(), np.abs(output).max())
    for row, colours, data in [
        (
            visible_rows(markup)[0],
            lut(role_scale(palette, "value")),
            (weights[:, None] * values)[weights.argmax()],
        ),
        (visible_rows(markup)[-1], lut(role_scale(palette, "output")), output),
    ]:
        expected = [colours[round((0.5 + 0.5 * x / limit) * 255)] for x in data]
        assert [rect.attrib["fill"] for rect in row.iter("rect")] == expected


def test_masked_keys_are_counted_apart():
    allowed = np.tril(np.ones((12, 12), bool))
    markup, _, _, _ = mix(query=3, key=1, allowed=allowed)
    assert len(names(markup)) == 4 + 2
    assert names(markup)[4:] == ["8 masked", "sum"]


def test_a_query_that_sees_nothing_takes_nothing_away():
    allowed = np.ones((12, 12), bool)
    allowed[3] = False
    markup, _, _, _ = mix(query=3, allowed=allowed)
    assert names(markup) == ["sees nothing: all 12 masked", "sum"]
    assert visible_rows(markup)[-1].findall("td")[2].text == "0"


def test_the_key_in_focus_is_marked_and_repeated_words_are_numbered():
    markup, _, _, _ = mix(4, query=2, key=1, tokens=["the", "dog", "the", "cat"])
    assert set(names(markup)) == {"the⁰", "dog", "the²", "cat", "sum"}
    (focus,) = [row for row in visible_rows(markup) if row.attrib["class"] == "pair focus"]
    assert "".join(focus.find("td").itertext()) == "dog"


def test_tokens_are_literal():
    markup, _, _, _ = mix(len(NASTY), query=2, key=1, tokens=NASTY)
    assert set(names(markup)) == {*NASTY[:-1], "a↵b", "sum"}
    assert "<script" not in markup.lower()


def test_many_keys_stay_light_and_unfold_whole():
    markup, _, _, _ = mix(300, query=2, key=1, d_value=32)
    rows = [row for row in ET.fromstring(markup).iter("tr") if row.attrib.get("class", "").startswith("pair")]
    assert len(rows) == 300
    assert len(names(markup)) == 8 + 2
    assert names(markup)[8] == "292 more"
    assert len(markup) < 180_000


def test_a_row_without_cells_of_its_own_shows_its_row_of_one_picture():
    markup, weights, values, _ = mix(300, query=2, key=1, d_value=32)
    table = ET.fromstring(markup).find("table")
    (uri,) = re.findall(r"--sheet:url\(data:image/png;base64,(.*?)\)", table.attrib["style"])
    sheet = np.asarray(Image.open(BytesIO(base64.b64decode(uri))))
    assert sheet.shape == (300, 32, 3)
    assert table.attrib["style"].endswith("--rows:300")
    parts, scale = weights[:, None] * values, lut(role_scale(LIGHT, "value"))
    largest = np.abs(np.vstack([parts, parts.sum(axis=0)])).max()
    pairs = [row for row in table.iter("tr") if "data-position" in row.attrib]
    strips = {int(row.attrib["data-position"]): row.find("td/i") for row in pairs}
    plain = {at: strip for at, strip in strips.items() if strip is not None}
    assert len(plain) > 250
    for at, strip in plain.items():
        assert strip.attrib["style"] == f"--row:{at}"
        wanted = [scale[round(255 * (0.5 + 0.5 * entry / largest))] for entry in parts[at]]
        assert [f"#{bytes(pixel.tolist()).hex().upper()}" for pixel in sheet[at]] == wanted


def test_long_values_are_pooled_to_64_cells():
    markup, _, _, _ = mix(4, query=2, key=1, d_value=256)
    assert {len(list(row.iter("rect"))) for row in visible_rows(markup)} == {64}


def test_a_head_that_is_off_shows_its_sum_and_that_nothing_of_it_goes_on():
    arrays = head(6, d_value=4)
    markup = value_mix(
        words(6),
        arrays.weights[2],
        arrays.values,
        np.zeros(4),
        key=1,
        allowed=arrays.allowed[2],
        palette=LIGHT,
        off=True,
    )
    *_, total, off = visible_rows(markup)
    np.testing.assert_allclose(strip_titles(total), arrays.weights[2] @ arrays.values, atol=5.1e-5)
    assert "".join(off.itertext()) == "head off\n× 0 before WO0"
    assert "head off" not in mix()[0]
