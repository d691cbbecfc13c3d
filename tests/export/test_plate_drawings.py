"""Drawings in files: what stands where, in numbers read off the vector file and the bitmap."""

import io
import json
import math
import re
from dataclasses import replace
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from attention.export import plate
from attention.export.plate import Plate
from attention.figures.block_layout import Block, Sublayer
from attention.figures.dials import Dial, Dials, dials_svg
from attention.figures.drawings import describe
from attention.figures.grid import Grid
from attention.figures.mask_gallery import MaskGallery, MaskTile
from attention.figures.squares import Square, Squares
from attention.figures.theme import DARK, LIGHT
from tests.export.reading import pdf_texts

SVG = "{http://www.w3.org/2000/svg}"
DIALS = Dials((Dial("pair 0", math.pi / 2, math.pi), Dial("pair 1", 9.0, 0.0), Dial("pair 2", 0.25, 1.0)))
TRI = np.tri(6, dtype=bool)
GALLERY = MaskGallery(
    (
        MaskTile("full", "Full", "All.", np.ones((6, 6), dtype=bool)),
        MaskTile("causal", "Causal", "What came before.", TRI),
        MaskTile("closed", "Closed", "Nothing.", np.zeros((6, 6), dtype=bool)),
    ),
    "causal",
)
SQUARES = Squares((Square(500, "250,000 scores", "1 MB"), Square(2000, "4,000,000 scores", "16 MB")))
SUBLAYERS = (
    Sublayer(kind="attention", detail=("12 heads", "0.59 M parameters"), after_add="LayerNorm"),
    Sublayer(kind="cross", before="RMSNorm"),
    Sublayer(kind="mlp", after_sublayer="RMSNorm"),
)
BLOCK = Block(sublayers=SUBLAYERS)
EACH = pytest.mark.parametrize(
    ("drawing", "said"),
    [
        (DIALS, {"pair 0", "pair 1", "pair 2"}),
        (GALLERY, {"Full", "Causal", "Closed"}),
        (SQUARES, {"500 tokens", "250,000 scores · 1 MB", "2,000 tokens", "4,000,000 scores · 16 MB"}),
        (BLOCK, {"Self-attention", "12 heads", "0.59 M parameters", "Cross-attention", "MLP", "memory"}),
    ],
    ids=["dials", "gallery", "squares", "block"],
)


def made(drawing, **changes):
    numbers = Grid("Numbers of it", np.eye(2), ("a", "b"), ("c", "d"), "row", "column")
    given = {"key": "page-drawing", "facts": {"model": "minilm"}, "caption": "<b>Notice</b> it."}
    return Plate(picture=numbers, drawing=drawing, **(given | changes))


def paths(file, *looks):
    """The corners of each path whose style has all of these."""
    found = ElementTree.fromstring(file).iter(f"{SVG}path")
    drawn = [path.get("d") for path in found if all(look in (path.get("style") or "") for look in looks)]
    return [np.array(re.findall(r"-?[\d.]+", shape), dtype=float).reshape(-1, 2) for shape in drawn]


@EACH
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_a_drawing_is_drawn_with_its_words_and_not_its_numbers(drawing, said, palette):
    root = ElementTree.fromstring(plate.svg(made(drawing), palette))
    written = {element.text for element in root.iter(f"{SVG}text")}
    assert said | {"Numbers of it", "model: minilm", "Notice it."} <= written
    assert not {"a", "b", "c", "d", "row ↓"} & written
    assert root.find(f"{SVG}desc").text == describe(drawing)
    assert palette.bg.lower() in plate.svg(made(drawing), palette).decode()


@EACH
def test_the_bitmap_and_the_page_of_paper_hold_the_same(drawing, said):
    assert said <= set(pdf_texts(plate.pdf(made(drawing))))
    image = np.asarray(Image.open(io.BytesIO(plate.png(made(drawing)))).convert("L"))
    assert (image < 250).mean() > 0.01


def test_hands_of_a_dial_point_where_the_angles_say():
    file = plate.svg(made(DIALS))
    queries, keys = (
        paths(file, f"stroke: {colour.lower()}", "fill: none") for colour in (LIGHT.query, LIGHT.key)
    )
    assert len(queries) == len(keys) == 3
    for dial, query, key in zip(DIALS.shown, queries, keys, strict=True):
        for angle, (start, end) in ((dial.query, query), (dial.key, key)):
            x, y = (end - start) / np.linalg.norm(end - start)
            assert (x, -y) == pytest.approx((math.cos(angle), math.sin(angle)), abs=0.02)


def test_the_sector_of_a_dial_lies_between_its_hands_and_fills_it_after_a_turn():
    quarter, whole, back = paths(plate.svg(made(DIALS)), "opacity: 0.18")
    areas = [shoelace(corners) for corners in (quarter, whole, back)]
    assert areas[0] / areas[1] == pytest.approx(1 / 4, abs=0.01)
    assert areas[2] / areas[1] == pytest.approx(0.75 / math.tau, abs=0.01)


def shoelace(corners):
    x, y = corners.T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


def test_each_mask_of_the_gallery_is_filled_where_it_is_open():
    filled = paths(plate.svg(made(GALLERY)), f"fill: {LIGHT.text2.lower()}", f"stroke: {LIGHT.text2.lower()}")
    assert len(filled) == 2, "nothing is filled in a mask that is closed"
    full, causal = (sum(shoelace(run) for run in corners.reshape(-1, 4, 2)) for corners in filled)
    assert causal / full == pytest.approx(TRI.mean(), abs=0.01)
    widths = np.ptp(filled[1].reshape(-1, 4, 2)[..., 0], axis=1)
    np.testing.assert_allclose(widths / widths[-1], np.arange(1, 7) / 6, atol=0.01)


def test_the_chosen_mask_alone_has_a_frame_of_ink():
    (frame,) = paths(plate.svg(made(GALLERY)), "fill: none", f"stroke: {LIGHT.ink.lower()}")
    (_, causal) = paths(plate.svg(made(GALLERY)), f"fill: {LIGHT.text2.lower()}", "stroke: #")[:2]
    assert (frame.min(axis=0) < causal.min(axis=0)).all()
    assert (frame.max(axis=0) > causal.max(axis=0)).all()
    assert not paths(
        plate.svg(made(replace(GALLERY, chosen="none"))), "fill: none", f"stroke: {LIGHT.ink.lower()}"
    )


def test_squares_are_to_scale_and_have_a_corner_in_common():
    large, small = paths(plate.svg(made(SQUARES)), f"stroke: {LIGHT.text2.lower()}", "fill: #")
    sides = [np.ptp(corners, axis=0) for corners in (large, small)]
    np.testing.assert_allclose(sides[0], sides[1] * 4, rtol=0.01)
    np.testing.assert_allclose(large.min(axis=0), small.min(axis=0), atol=0.01)


def test_the_frames_of_a_block_stand_beside_the_stream_and_norms_where_they_belong():
    file = plate.svg(made(BLOCK))
    (stream,) = paths(file, "fill: none", "stroke-width: 2.25")
    norms = paths(file, f"fill: {LIGHT.panel.lower()}", f"stroke: {LIGHT.hatch.lower()}")
    middles = [(corners.min(axis=0)[0] + corners.max(axis=0)[0]) / 2 for corners in norms]
    on_stream = [abs(middle - stream[0, 0]) < 0.5 for middle in middles]
    assert on_stream == [True, False, False], "after the sum; before cross-attention; after the MLP"


def test_a_drawing_that_the_page_has_as_markup_is_its_own_file_and_page():
    held = made(DIALS, markup=partial(dials_svg, DIALS))
    assert plate.svg(held, DARK).decode() == dials_svg(DIALS, DARK)
    page = plate.html(held, DARK).decode()
    assert "<title>pair 2: query 14.3°, key 57.3°, −43.0° apart</title>" in page
    assert "<summary>The numbers</summary>" in page
    assert "plotly" not in page.lower()


def test_more_arrays_stand_beside_the_numbers():
    held = made(GALLERY, arrays={"allowed_causal": TRI, "words": np.array(["a", "猫"])})
    with np.load(io.BytesIO(plate.npz(held)), allow_pickle=False) as file:
        np.testing.assert_array_equal(file["allowed_causal"], TRI)
        np.testing.assert_array_equal(file["values"], np.eye(2))
        assert file["words"].tolist() == ["a", "猫"]
    arrays = json.loads(plate.json(held))["arrays"]
    assert arrays["allowed_causal"]["values"] == TRI.tolist()
    assert arrays["words"]["values"] == ["a", "猫"]


@EACH
def test_the_same_drawing_gives_the_same_bytes(drawing, said):
    assert plate.svg(made(drawing)) == plate.svg(made(drawing))
