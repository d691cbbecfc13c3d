from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention.figures.frame import frame, notes, tick_size, ticks
from tests.figures.pictures import causal, picture


@pytest.mark.parametrize(
    ("n", "side"), [(1, 200), (3, 200), (5, 260), (8, 416), (9, 460), (40, 460), (200, 460)]
)
def test_the_side_follows_the_number_of_tokens(n, side):
    area = frame(picture(n))
    assert (area.width, area.height) == (side, side)


def test_the_frame_of_the_design():
    area = frame(picture(12))  # the longest label, "application", has 11 characters
    assert (area.left, area.top, area.right, area.bottom) == (96, 92, 34, 44)
    assert area.size == (590, 596)
    assert frame(picture(12, note="x")).bottom == 62


def test_margins_grow_with_the_longest_label_which_is_cut():
    assert frame(picture(2, query_tokens=("a", "w" * 13))).left == 7 * 13 + 16
    assert frame(picture(2, query_tokens=("a", "w" * 99))).left == 7 * 14 + 16
    assert frame(picture(2, query_tokens=("a", "本" * 13))).left == 7 * 26 + 16


def test_the_last_leaning_label_is_not_cut_off():
    assert frame(picture(3, key_tokens=("a", "b", "c"))).right == 34
    assert frame(picture(12, key_tokens=("a",) * 11 + ("w" * 14,))).right > 4.9 * 14 + 10 - 460 / 12
    assert frame(picture(17, key_tokens=("a",) * 16 + ("w" * 14,))).right == 34, (
        "upright labels do not reach out"
    )


def test_a_rectangle_keeps_square_cells_while_both_sides_can_be_read():
    area = frame(picture(6, 8))
    assert area.width / 8 == area.height / 6 == 52
    long = frame(picture(3, 40))
    assert long.width == 460
    assert long.height == 156, "three rows of a readable height"


@given(st.integers(1, 2048), st.floats(50, 460), st.data())
def test_ticks_are_few_in_order_and_hold_the_focus(n, side, data):
    focus = data.draw(st.none() | st.integers(0, n - 1))
    shown = ticks(n, side, focus)
    assert 1 <= len(shown) <= 64
    assert all(a < b for a, b in pairwise(shown))
    assert shown[-1] < n
    assert focus is None or focus in shown
    assert len(shown) == n or len(shown) <= side / 11 or len(shown) == 1
    room = ticks(n, side, None)
    step = min((b - a for a, b in pairwise(room)), default=1)
    assert all(b - a >= step for a, b in pairwise(shown)), "the one in focus crowds no other"


def test_no_label_is_smaller_than_can_be_read():
    assert min(tick_size(n) for n in (1, 20, 21, 40, 41, 512)) == 10.5


def test_every_token_has_a_label_while_there_is_room():
    assert ticks(41, 460, None) == tuple(range(41))
    assert len(ticks(42, 460, None)) == 21, "letters of 10.5 pixels would touch"


def test_notes():
    assert notes(picture(5)) == ()
    assert notes(picture(5, note="hidden")) == ("hidden",)
    blind = causal(100).allowed
    blind[[3, 8]] = False
    assert notes(picture(100, allowed=blind, note="hidden")) == ("hidden", "2 queries see nothing")
    blind[3, 0] = True
    assert notes(picture(100, allowed=blind)) == ("1 query sees nothing",)
    assert notes(picture(100, allowed=blind, block=(2, 2))) == ("1 row sees nothing",)
    assert notes(picture(20, allowed=blind[:20, :20])) == (), "the rows themselves say it"
