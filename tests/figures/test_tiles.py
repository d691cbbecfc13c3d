"""The board of tiles, its running numbers, the squares, the kinds of layer: what stands where and is said."""

import base64
import io
import math
import re
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from attention.figures.kinds import kinds
from attention.figures.squares import Square, Squares, nested_squares
from attention.figures.theme import DARK, LIGHT, score_scale, shade
from attention.figures.tile_rows import MOST, TileRows, tile_rows
from attention.figures.tiles import TileBoard, cuts, describe, tile_board

NAN, GONE = float("nan"), -np.inf
SCORES = np.array([
    [1.0, GONE, GONE, GONE, GONE],
    [0.5, -2.0, GONE, GONE, GONE],
    [2.0, 0.25, 4.0, NAN, NAN],
])  # fmt: skip


def board(**changes):
    parts = dict(
        queries=("<b>", "a & b", "c"), keys=("<b>", "a & b", "c", "d", "e"), scores=SCORES,
        row_cuts=(0, 2, 3), column_cuts=(0, 3, 5), current=(range(2, 3), range(0, 3)), number=3,
    )  # fmt: skip
    return TileBoard(**(parts | changes))


def rects(svg, look):
    found = re.findall(rf'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" {look}', svg)
    return [tuple(map(float, rect)) for rect in found]


def images(svg):
    """Each picture inside the board: where it stands, and its pixels."""
    place = r'<image x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"'
    found = re.findall(place + r' href="data:image/png;base64,([^"]+)"', svg)
    return [
        (tuple(map(float, place)), np.array(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")))
        for *place, data in found
    ]


def hexes(pixels):
    return ["#" + "".join(f"{channel:02X}" for channel in pixel) for pixel in pixels]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_each_score_has_its_shade_and_what_was_not_met_the_ground(palette):
    past, now = images(tile_board(board(), palette))
    scale = score_scale(palette)
    assert hexes(past[1][2]) == [shade(scale, 0.5 + x / 8) for x in (2, 0.25, 4)] + [shade(scale, 0.5)] * 2
    assert hexes(now[1][0]) == hexes(past[1][2])[:3]
    assert now[1].shape[:2] == (1, 3)


def test_the_tile_that_is_held_is_outlined_where_its_cells_are():
    svg = tile_board(board(), LIGHT)
    ((x, y, width, height),) = rects(svg, f'fill="none" stroke="{LIGHT.ink}" stroke-width="2.5"')
    (left, top, whole, high), _ = images(svg)[0]
    pitch = whole / 5
    assert (x, y, width, height) == pytest.approx((left, top + 2 * pitch, 3 * pitch, pitch))
    assert high == pytest.approx(3 * pitch)


def test_masked_cells_are_hatched_and_no_others():
    svg = tile_board(board(), LIGHT)
    (left, top, whole, _), _ = images(svg)[0]
    pitch = whole / 5
    hatched = rects(svg, re.escape('fill="url(#tile-hatch)"'))
    first = (left + pitch, top, 4 * pitch, pitch)
    np.testing.assert_allclose(hatched, [first, (left + 2 * pitch, top + pitch, 3 * pitch, pitch)])
    masked = tile_board(board(current=(range(0, 2), range(0, 3)), number=1), LIGHT)
    assert len(rects(masked, re.escape('fill="url(#tile-hatch)"'))) == 4
    assert "&lt;b&gt; (0), a &amp; b (1): −∞, masked" in masked


def test_the_held_cells_say_their_numbers_and_tokens_are_text():
    svg = tile_board(board(), LIGHT)
    assert re.findall(r"<title>([^<]*)</title>", svg) == [
        "c (2), &lt;b&gt; (0): 2.0000", "c (2), a &amp; b (1): 0.2500", "c (2), c (2): 4.0000",
    ]  # fmt: skip
    assert "<b>" not in svg
    assert f'fill="{LIGHT.query}" font-weight="600">c<' in svg
    assert f'fill="{LIGHT.text2}">a &amp; b<' in svg
    assert len(re.findall(f'fill="{LIGHT.key}" font-weight="600"', svg)) == 3


def test_large_tiles_have_no_numbers_and_few_labels():
    n = 200
    large = board(queries=("tok",) * n, keys=("tok",) * n, scores=np.zeros((n, n)), row_cuts=(0, n),
                  column_cuts=(0, n), current=(range(n), range(n)), number=1)  # fmt: skip
    svg = tile_board(large, LIGHT)
    assert "<title>" not in svg
    assert svg.count(">tok<") <= 2 * 420 // 11
    assert len(svg) < 40_000


def test_the_board_in_words():
    assert describe(board()) == (
        "3 × 5 scores cut into 4 tiles. Tile 3 is held: queries 2 to 2, keys 0 to 2."
    )
    assert describe(board()) in tile_board(board(), LIGHT)


def test_pieces_that_do_not_follow_one_another_are_no_cuts():
    assert cuts([range(0, 3), range(3, 4)]) == (0, 3, 4)
    with pytest.raises(ValueError, match="do not follow"):
        cuts([range(0, 3), range(4, 5)])
    with pytest.raises(ValueError, match="do not follow"):
        cuts([])


def rows(before, maxima, corrections, sums, tokens=("a", "a", "<i>")):
    return TileRows(
        tokens=tokens, positions=range(len(maxima)), before=np.array(before), maxima=np.array(maxima),
        corrections=np.array(corrections), sums=np.array(sums),
    )  # fmt: skip


def test_only_a_query_whose_past_is_corrected_stands_out():
    told = tile_rows(rows([1.0, 2.0, GONE], [2.0, 2.0, 3.0], [0.367879, 1.0, 0.0], [1.5, 1.25, 1.0]), LIGHT)
    lines = re.findall(r"<tr[^>]*data-query.*?</tr>", told)
    assert ['class="corrected"' in line for line in lines] == [True, False, False]
    assert "1.000 → <b>2.000</b>" in lines[0]
    assert "<b>0.3679</b>" in lines[0]
    assert "stays <b>2.000</b>" in lines[1]
    assert "−∞ → <b>3.000</b>" in lines[2]
    assert "nothing to correct" in lines[2]
    assert "&lt;i&gt;" in lines[2]
    assert ">a⁰<" in lines[0]


def test_a_query_that_has_seen_nothing_is_told():
    told = tile_rows(rows([GONE], [GONE], [0.0], [0.0], tokens=("a",)), LIGHT)
    assert "sees nothing yet" in told
    assert "nan" not in told


def test_a_large_tile_s_table_is_cut_and_says_by_how_much():
    n = MOST + 7
    told = tile_rows(
        rows([0.0] * n, [1.0] * n, [0.5] * n, [1.0] * n, tokens=tuple(map(str, range(n)))), LIGHT
    )
    assert told.count("data-query") == MOST
    assert "7 more, in the table" in told


def test_squares_are_drawn_to_scale_and_say_what_they_hold():
    squares = [Square(n, f"{n * n:,} scores", "<1 MB") for n in (10, 500, 1000, 2000)]
    svg = nested_squares(Squares(tuple(squares)), LIGHT)
    sides = [float(side) for side in re.findall(r'<rect x="0" y="0" width="([\d.]+)"', svg)]
    assert sides == pytest.approx([250, 125, 62.5, 1.25], abs=0.06)
    assert "4,000,000 scores · &lt;1 MB" in svg
    heights = [float(y) for y in re.findall(r'<text x="270" y="([\d.]+)" font-size="13.5"', svg)]
    assert all(low - high >= 38 for high, low in pairwise(heights))
    leaders = re.findall(r'points="[\d.]+,([\d.]+) \d+,([\d.]+) \d+,([\d.]+)"', svg)
    level = [len(set(ends)) == 1 for ends in leaders]
    assert level == [False, False, True, True], "wherever there is room"


def test_kinds_are_a_table_with_names():
    told = kinds([("self <x>", ("O(1)", "O(N)"), 1, 2000, 3)], LIGHT)
    assert '<th scope="row">self &lt;x&gt;</th>' in told
    assert "<b>2,000</b><small>O(N)</small>" in told


def test_names_of_many_tokens_do_not_run_into_one_another():
    n = 170
    names = tuple(f"word{at}" for at in range(n))
    part = (range(86, 129), range(44, 87))
    held = TileBoard(
        queries=names,
        keys=names,
        scores=np.zeros((n, n)),
        row_cuts=(0, 43, 86, 129, n),
        column_cuts=(0, 44, 87, n),
        current=part,
        number=1,
    )
    svg = tile_board(held, LIGHT)
    beside = [float(y) for y in re.findall(r'y="([\d.]+)" text-anchor="end"', svg)]
    above = [float(x) for x in re.findall(r'<text x="([\d.]+)" y="[\d.]+" text-anchor="start"', svg)]
    assert len(beside) > len(above) > 10
    assert min(b - a for a, b in pairwise(beside)) >= 12
    assert min(b - a for a, b in pairwise(above)) >= 12 * math.sqrt(2), "they lean by 45°"
