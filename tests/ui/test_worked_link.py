"""The worked example in the address bar: a round trip, and bad values told one by one."""

from dataclasses import replace

import pytest

from attention.ui.url import MAX_LINK
from attention.ui.worked import presets
from attention.ui.worked.desk import Desk, typed, with_sizes, with_words
from attention.ui.worked.link import read_link, write_link

CHANGED = replace(
    typed(
        typed(with_sizes(Desk(), n=3, d=2, dk=4, dv=1), "v", (("-0.5",), ("1e-7",))),
        "row",
        (("1", "2", "3", "4"),),
    ),
    causal=True,
    query=2,
    key=1,
)


def same(one, other):
    parts = ("numbers", "tokens", "causal", "pair", "sizes")
    return all(getattr(one, part) == getattr(other, part) for part in parts)


def test_the_start_needs_no_parameters():
    assert write_link(Desk()) == ({}, False)
    assert same(read_link({}), Desk())


@pytest.mark.parametrize(
    "desk",
    [
        CHANGED,
        with_words(Desk(), "the the & <b>"),
        with_sizes(Desk(), n=1, d=1, dk=1, dv=1),
        with_sizes(Desk(), n=6, d=6, dk=6, dv=6),
        replace(Desk(), key=1),
        *(presets.use(Desk(), name) for name in presets.PRESETS),
    ],
)
def test_a_link_brings_the_numbers_back(desk):
    params, too_long = write_link(desk)
    assert not too_long
    assert all(key.startswith("worked.") for key in params)
    back = read_link(params)
    assert same(back, desk)
    assert back.told == ()


def test_matrices_are_written_compactly():
    params, _ = write_link(CHANGED)
    assert params == {
        "worked.n": "3",
        "worked.dk": "4",
        "worked.dv": "1",
        "worked.query": "2",
        "worked.key": "1",
        "worked.mask": "causal",
        "worked.v": "-0.5;1e-07",
        "worked.row": "1,2,3,4",
    }


def test_a_cell_that_cannot_be_read_is_not_in_the_link():
    desk = typed(typed(Desk(), "q", (("2", "0"), ("0", "1"))), "q", (("x", "0"), ("0", "1")))
    assert write_link(desk)[0] == {"worked.q": "2,0;0,1"}


@pytest.mark.parametrize(
    ("key", "text", "told"),
    [
        ("n", "7", "worked.n was ignored: “7” is no whole number from 1 to 6."),
        ("dk", "two", "worked.dk was ignored: “two” is no whole number from 1 to 6."),
        ("d", "٣", "worked.d was ignored"),
        ("q", "1,0;0", "worked.q was ignored: 2 × 2 numbers are wanted."),
        ("q", "1,0;0,1;1,1", "worked.q was ignored: 2 × 2 numbers are wanted."),
        ("q", "1,0;0,one", "worked.q was ignored: W_Q, row 1, column 1: “one” is not a number."),
        ("x", "1,0;0,inf", "worked.x was ignored: X, row 1 (learn), column 1 is infinite"),
        ("v", "1,;0,1", "worked.v was ignored: W_V, row 0, column 1 is empty"),
        ("k", "1e9,0;0,1", "worked.k was ignored: W_K, row 0, column 0: “1e9” is too large"),
        ("row", "1,2,3", "worked.row was ignored: 1 × 4 numbers are wanted."),
        ("mask", "window:2:0", "is not one of none, causal."),
        ("query", "2", "worked.query was ignored: “2” is no position from 0 to 1."),
        ("key", "-1", "worked.key was ignored"),
        ("words", "one two three", "worked.words was ignored: it has 3 words for 2 tokens."),
        ("words", "", "worked.words was ignored: the sentence is blank"),
        ("nonsense", "1", "“worked.nonsense” means nothing here."),
    ],
)
def test_a_bad_value_is_told_and_ignored(key, text, told):
    desk = read_link({f"worked.{key}": text, "worked.k": "3,0;0,3"} if key != "k" else {"worked.k": text})
    (sentence,) = desk.told
    assert told in sentence.replace("&#58;", ":").replace("&#45;", "-").replace("&#46;", ".")
    assert desk.numbers["k"] == (((3, 0), (0, 3)) if key != "k" else ((1, 0), (0, 1)))
    assert same(replace(desk, numbers={**desk.numbers, "k": ((1, 0), (0, 1))}), Desk())


def test_several_bad_values_are_told_one_by_one_and_others_are_left_alone():
    desk = read_link({"worked.n": "0", "worked.mask": "?", "worked.dk": "3", "s": "Hello", "scaling.d": "64"})
    assert len(desk.told) == 2
    assert desk.sizes == {"n": 2, "d": 2, "dk": 3, "dv": 2}


def test_numbers_too_long_for_a_link_are_left_out():
    desk = with_sizes(Desk(), n=6, d=6, dk=6, dv=6)
    long = tuple(tuple(f"0.12345678{row}{column}" for column in range(6)) for row in range(6))
    for name in ("x", "q", "k", "v"):
        desk = typed(desk, name, long)
    params, too_long = write_link(desk, "http://localhost:8501/worked-example")
    assert too_long
    assert set(params) == {"worked.n", "worked.d", "worked.dk", "worked.dv"}
    assert write_link(typed(Desk(), "x", (("5", "0"), ("0", "1"))), "h" * MAX_LINK)[1]
