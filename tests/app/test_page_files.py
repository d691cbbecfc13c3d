"""Files of what a page draws by itself: tiles, running numbers, dials, layers, word order."""

import csv
import io
import json
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from attention.ui import shown
from tests.app.by_hand import TEXT
from tests.app.screen import html, markup, opened, packed
from tests.export.reading import pdf_texts

SVG = "{http://www.w3.org/2000/svg}"
TILES = {"s": TEXT, "cost.rows": "5", "cost.keys": "4", "cost.tile": "5"}


@pytest.fixture
def offered(monkeypatch):
    """What makes each file that the page offers, by the key of its button."""
    found = {}
    real = shown.st.download_button

    def button(label, *, data, key, **given):
        found[key.removeprefix("shown.")] = data
        return real(label, data=data, key=key, **given)

    monkeypatch.setattr(shown.st, "download_button", button)
    return found


def kinds(offered, key):
    return {name.removeprefix(f"{key}.") for name in offered if name.startswith(f"{key}.")}


def sheet(file):
    """The facts of a CSV file, and its rows by their names."""
    lines = list(csv.reader(io.StringIO(file.decode("utf-8-sig"))))
    about = {name[2:]: value for name, value in (line for line in lines if line and line[0][:1] == "#")}
    head, *rows = [line for line in lines if line and line[0][:1] != "#"]
    assert not [name for name in (*head, *(row[0] for row in rows)) if "…" in name]
    return about, {row[0]: row[1:] for row in rows}


def shown_number(text):
    return float(re.sub(r"<.*?>", "", text).replace("−", "-").replace(",", ""))


def test_the_board_of_tiles_is_a_picture_a_page_and_numbers(offered):
    app = opened("../../pages/cost.py", **TILES)
    assert kinds(offered, "cost-tiles") == set(shown.FILES)
    assert offered["cost-tiles.png"]().startswith(b"\x89PNG")
    assert "outlined: held, queries 5–9, keys 4–7" in offered["cost-tiles.html"]().decode().lower()
    assert offered["cost-tiles.pdf"]().startswith(b"%PDF")
    assert offered["cost-tiles.svg"]().decode() == markup(app, "tiles")
    about, rows = sheet(offered["cost-tiles.csv"]())
    assert about["tile"] == "queries 5–9, keys 4–7"
    assert about["text"] == TEXT
    met = np.array([[bool(text) for text in row] for row in rows.values()])
    assert met[:5].all()
    assert met[5:10, :8].all()
    assert not met[5:10, 8:].any()
    assert not met[10:].any()
    titles = re.findall(r"<title>.*? \((\d+)\), .*? \((\d+)\): (−?[\d.]+)</title>", markup(app, "tiles"))
    table = list(rows.values())
    assert len(titles) == 20
    for query, key, value in titles:
        assert float(table[int(query)][int(key)]) == pytest.approx(shown_number(value), abs=6e-5)


def test_the_running_numbers_of_a_tile_are_those_on_the_page(offered):
    app = opened("../../pages/cost.py", **TILES)
    assert kinds(offered, "cost-running") == {"csv", "npz", "json"}
    _, rows = sheet(offered["cost-running.csv"]())
    lines = re.findall(r"<tr[^>]*data-query.*?</tr>", markup(app, "running"))
    assert len(rows) == len(lines) == 5
    for line, (before, largest, alpha, total) in zip(lines, rows.values(), strict=True):
        rise, said_alpha, said_total = re.findall(r'<td class="number">(.*?)</td>', line)
        assert float(largest) == pytest.approx(shown_number(re.search("<b>.*?</b>", rise)[0]), abs=6e-4)
        assert float(alpha) == pytest.approx(math.exp(float(before) - float(largest)))
        assert float(alpha) == pytest.approx(shown_number(said_alpha), rel=6e-4)
        assert float(total) == pytest.approx(shown_number(said_total), rel=6e-4)


def test_a_query_that_has_seen_nothing_has_minus_infinity_in_its_file(offered):
    opened("../../pages/cost.py", **{**TILES, "cost.tile": "1"})
    _, rows = sheet(offered["cost-running.csv"]())
    assert {row[0] for row in rows.values()} == {"-inf"}


def test_the_kinds_of_layer_are_a_file_too(offered):
    app = opened("../../pages/cost.py", **{"cost.apart": "100"})
    about, rows = sheet(offered["cost-kinds.csv"]())
    assert about["distance"] == "100"
    read = {name: [float(x) for x in row] for name, row in rows.items()}
    assert read == {
        "self-attention": [1, 1, 1],
        "recurrent": [2000, 100, 1],
        "convolutions, plain": [1, 50, 50],
        "convolutions, dilated": [1, 5, 5],
    }
    on_page = [shown_number(count) for count in re.findall(r"<b>([\d,]+)</b>", markup(app, "kinds"))]
    assert on_page == [count for row in read.values() for count in row]


def test_the_dials_are_a_drawing_and_their_angles(offered):
    opened("../../pages/positions.py", **{"positions.part": "rotary", "positions.query": "12"})
    assert kinds(offered, "positions-dials") == set(shown.FILES)
    assert "pair 7" in pdf_texts(offered["positions-dials.pdf"]())
    assert "<title>pair 0: query 687.5°" in offered["positions-dials.html"]().decode()
    file = offered["positions-dials.svg"]().decode()
    names = [text.text for text in ET.fromstring(file).iter(f"{SVG}text")]
    assert names == [f"pair {at}" for at in range(8)]
    held = json.loads(offered["positions-dials.json"]())
    assert held["facts"]["query at"] == "12"
    _, rows = sheet(offered["positions-dials.csv"]())
    for at, row in enumerate(rows.values()):
        angle = 12 * 10000 ** (-2 * at / 16)
        expected = [angle, 0, angle, *np.degrees([angle, 0, angle])]
        np.testing.assert_allclose([float(x) for x in row], expected, rtol=1e-5)


def test_the_gallery_of_masks_is_a_picture_and_every_mask_counted(offered):
    app = opened("../../pages/masks.py", s=TEXT, **{"masks.pattern": "blocks", "masks.size": "3"})
    key = "masks-gallery"
    assert kinds(offered, key) == set(shown.FILES) - {"html"}
    header, pictures = packed(app, "mask-gallery")
    titles = {tile["name"]: tile["title"] for tile in header["tiles"]}
    drawn = [text.text for text in ET.fromstring(offered[f"{key}.svg"]()).iter(f"{SVG}text")]
    assert all(title in " ".join(drawn) for title in titles.values())
    assert "Longformer" in pdf_texts(offered[f"{key}.pdf"]())
    about, rows = sheet(offered[f"{key}.csv"]())
    assert about["tokens of a block"] == "3"
    assert about["text"] == TEXT
    assert list(rows) == list(titles.values())
    with np.load(io.BytesIO(offered[f"{key}.npz"]())) as held:
        for name, picture in pictures.items():
            allowed = held[f"allowed_{name.replace('-', '_')}"]
            np.testing.assert_array_equal(allowed, picture)
            per_row = picture.astype(int).sum(axis=1)
            ends = [min(per_row), per_row.mean(), max(per_row)]
            np.testing.assert_array_equal(held[f"keys_{name.replace('-', '_')}"], per_row)
            counted = [
                len(per_row),
                per_row.sum(),
                picture.mean(),
                *ends,
            ]
            np.testing.assert_allclose([float(x) for x in rows[titles[name]]], counted)
    blocks = np.add.outer(np.arange(12) // 3, -(np.arange(12) // 3)) == 0
    assert json.loads(offered[f"{key}.json"]())["arrays"]["allowed_blocks"]["values"] == blocks.tolist()


def test_the_batch_is_in_its_files_as_it_stands_in_the_table(offered):
    app = opened("../../pages/masks.py", **{"masks.batch": "I learn.\nDogs bark and run."})
    assert kinds(offered, "masks-batch") == {"csv", "npz", "json"}
    about, rows = sheet(offered["masks-batch.csv"]())
    assert about["sentence 2"] == "Dogs bark and run."
    lines = re.findall(r"<tr><th[^>]*>\d</th>.*?</tr>", html(app))
    with np.load(io.BytesIO(offered["masks-batch.npz"]())) as held:
        arrays = {name: held[name] for name in ("ids", "mask", "tokens", "difference_without_mask")}
    assert len(lines) == len(rows) == len(arrays["ids"]) == 2
    for at, line in enumerate(lines):
        found = re.findall(r"<bdi>(.*?)</bdi><i>(\d+)</i><i>(\d)</i>", line)
        assert [token for token, _, _ in found] == arrays["tokens"][at].tolist()
        assert [int(token) for _, token, _ in found] == arrays["ids"][at].tolist()
        assert [int(real) for _, _, real in found] == arrays["mask"][at].tolist()
        without = shown_number(re.search(r"data-without>(.*?)<", line)[1])
        assert arrays["difference_without_mask"][at] == pytest.approx(without, abs=6e-4)
    n_own, _, without, *places = map(float, rows["sentence 1"])
    assert n_own == sum(arrays["mask"][0])
    assert places == [*arrays["ids"][0], *arrays["mask"][0]]
    assert without == arrays["difference_without_mask"][0]


def test_the_steps_of_a_layer_are_in_the_files_as_on_the_page(offered):
    app = opened("../../pages/block.py", layer="2", query="3")
    assert kinds(offered, "block-steps") == {"csv", "npz", "json"}
    about, rows = sheet(offered["block-steps.csv"]())
    assert about["layer"] == "L2"
    table = re.search('<table class="chain">.*?</table>', html(app))[0]
    written = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', table)
    assert len(written) == len(rows) == 5
    for (name, cells), (row, numbers) in zip(written, rows.items(), strict=True):
        assert row.startswith(name)
        said = re.findall("<td>(.*?)</td>", cells)
        assert [text == "" for text in said] == [text == "" for text in numbers]
        for shown_text, number in zip(said, numbers, strict=True):
            assert not number or float(number) == pytest.approx(shown_number(shown_text), abs=6e-4)


def test_the_drawing_of_a_block_says_where_its_norms_stand(offered):
    opened("../../pages/block.py")
    assert kinds(offered, "block-drawing") == set(shown.FILES) - {"html"}
    assert {"Self-attention", "MLP", "LayerNorm"} <= set(pdf_texts(offered["block-drawing.pdf"]()))
    _, rows = sheet(offered["block-drawing.csv"]())
    assert {name: [float(x) for x in row] for name, row in rows.items()} == {
        "Self-attention": [0, 0, 1],
        "MLP": [0, 0, 1],
    }


def test_the_squares_are_files_and_their_numbers_are_squares(offered):
    app = opened("../../pages/cost.py")
    assert kinds(offered, "cost-squares") == set(shown.FILES)
    assert offered["cost-squares.svg"]().decode() == markup(app, "squares")
    assert offered["cost-squares.png"]().startswith(b"\x89PNG")
    _, rows = sheet(offered["cost-squares.csv"]())
    assert [float(row[0]) for row in rows.values()] == [500**2, 1000**2, 2000**2]
    assert [float(row[1]) / float(row[0]) for row in rows.values()] == [4, 4, 4]


def test_the_verdicts_on_word_order_are_in_the_files(offered):
    app = opened("../../pages/positions.py")
    about, _ = sheet(offered["positions-order.csv"]())
    said = re.findall(r'<th scope="row">(.*?)</th><td class="number">(.*?)</td>', html(app))
    assert [name for name, _ in said] == ["with its positions", "positions taken away"]
    for name, number in said:
        assert shown_number(about[f"largest difference, {name}"]) == pytest.approx(
            shown_number(number), rel=0.5, abs=6e-4
        )
    assert shown_number(about["largest difference, with its positions"]) > 0.01
    assert shown_number(about["largest difference, positions taken away"]) <= 1e-10
