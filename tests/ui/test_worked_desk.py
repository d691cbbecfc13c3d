"""Cells that are read, told of, kept; sizes that change; presets. Every value made by hand."""

import pytest

from attention.errors import InputError
from attention.ui.worked import presets
from attention.ui.worked.cells import read, read_cell, resized, write_cell
from attention.ui.worked.desk import EXAMPLE, MIX, ROW, Desk, typed, with_sizes, with_words, words_told
from attention.ui.worked.editors import edited

TWO = (("1", "0"), ("0", "1"))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1.0),
        (" -0.5 ", -0.5),
        ("−3", -3.0),
        (".5", 0.5),
        ("2.", 2.0),
        ("1e-3", 0.001),
        ("+7", 7.0),
        ("1000", 1000.0),
    ],
)
def test_a_number_is_read_however_it_is_written(text, number):
    assert read_cell(text) == number


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("abc", "“abc” is not a number"),
        ("nan", "“nan” is not a number"),
        ("1_0", "is not a number"),
        ("0x10", "is not a number"),
        ("١", "is not a number"),
        ("1 2", "is not a number"),
        ("inf", "is infinite"),
        ("-Infinity", "is infinite"),
        ("−∞", "is infinite"),
        ("1e30", "“1e30” is too large: at most 1,000"),
        ("1e999", "is too large"),
        ("-1000.5", "is too large"),
    ],
)
def test_what_is_no_number_says_why(text, what):
    with pytest.raises(InputError) as error:
        read_cell(text)
    told = str(error.value).replace("&#46;", ".").replace("&#45;", "-").replace("&#95;", "_")
    assert what in told


def test_a_decimal_comma_is_met_with_the_point_it_stands_for():
    with pytest.raises(InputError, match=r"is not a number\. Write 0\.5 with a point\."):
        read_cell("0,5")


def test_markup_in_a_cell_reaches_the_sentence_as_text():
    _, (told,) = read((("<b>$x$**",),), "X", ["0"], ["0"])
    assert "<b>" not in told
    assert "**" not in told
    assert "$" not in told


@pytest.mark.parametrize("number", [0.0, -0.0, 1.0, -2.5, 0.1, 1e-7, 1000.0, 1 / 3])
def test_a_written_number_is_read_as_itself(number):
    assert read_cell(write_cell(number)) == number


def test_each_bad_cell_is_named_by_matrix_row_and_column():
    numbers, told = read((("1", "x"), ("", "2")), "W_Q", ["0", "1"], ["0", "1"])
    assert numbers is None
    assert told == (
        "W_Q, row 0, column 1: “x” is not a number.",
        "W_Q, row 1, column 0 is empty: type a number there, 0 for none.",
    )


def test_a_matrix_keeps_its_shape():
    assert read((("1", "2", "3"), ("4", "5", "6")), "X", ["a", "b"], ["0", "1", "2"]) == (
        ((1, 2, 3), (4, 5, 6)),
        (),
    )


def test_a_size_keeps_what_both_have_and_fills_up_with_the_identity():
    assert resized((("7", "8"), ("9", "abc")), 3, 3) == (("7", "8", "0"), ("9", "abc", "0"), ("0", "0", "1"))
    assert resized((("7", "8"), ("9", "abc")), 1, 1) == (("7",),)


def test_typing_a_number_changes_the_numbers():
    desk = typed(Desk(), "q", (("2", "0"), ("0", "1")))
    assert desk.numbers["q"] == ((2, 0), (0, 1))
    assert desk.complaints() == ()
    assert desk.edition == Desk().edition  # an editor that is being typed into does not start afresh


def test_a_bad_cell_keeps_the_text_and_the_last_good_numbers():
    desk = typed(typed(Desk(), "q", (("2", "0"), ("0", "1"))), "q", (("2", "oops"), ("0", "1")))
    assert desk.cells["q"] == (("2", "oops"), ("0", "1"))
    assert desk.numbers["q"] == ((2, 0), (0, 1))
    assert desk.complaints() == ("W_Q, row 0, column 1: “oops” is not a number.",)


def test_the_four_matrices_are_read_together_and_the_rest_alone():
    desk = typed(Desk(), "k", (("", "0"), ("0", "1")))
    desk = typed(desk, "x", (("5", "0"), ("0", "1")))
    desk = typed(desk, "row", (("1", "1", "1", "1"),))
    assert desk.numbers["x"] == ((1, 0), (0, 1))
    assert desk.numbers["row"] == ((1, 1, 1, 1),)
    mended = typed(desk, "k", TWO)
    assert mended.numbers["x"] == ((5, 0), (0, 1))


def test_the_row_whose_exp_is_shown_takes_smaller_numbers():
    assert "at most 100 " in typed(Desk(), "row", (("101", "0", "0", "0"),)).complaints(("row",))[0]


def test_a_complaint_about_x_names_the_token_and_one_about_the_values_the_column():
    assert (
        typed(Desk(), "x", (("1", "0"), ("0", "?"))).complaints()[0].startswith("X, row 1 (learn), column 1:")
    )
    bad = (("heavy", "1", "0", "2"), *Desk().cells["mix"][1:])
    assert typed(Desk(), "mix", bad).complaints(("mix",)) == (
        "Weighted sum, row key 0, column weight: “heavy” is not a number.",
    )


@pytest.mark.parametrize("size", [1, 6])
def test_every_size_from_one_to_six(size):
    desk = with_sizes(Desk(), n=size, d=size, dk=size, dv=size)
    identity = tuple(tuple(float(r == c) for c in range(size)) for r in range(size))
    assert [desk.numbers[name] for name in EXAMPLE] == [identity] * 4
    assert desk.tokens == ("I", "learn", "from", "every", "example", "here")[:size]


def test_sizes_of_their_own_for_queries_and_values():
    desk = with_sizes(Desk(), n=4, d=3, dk=5, dv=1)
    assert desk.sizes == {"n": 4, "d": 3, "dk": 5, "dv": 1}
    shapes = {name: (len(desk.numbers[name]), len(desk.numbers[name][0])) for name in EXAMPLE}
    assert shapes == {"x": (4, 3), "q": (3, 5), "k": (3, 5), "v": (3, 1)}


def test_a_size_loses_nothing_that_was_typed_where_both_have_it():
    desk = typed(Desk(), "q", (("abc", "0"), ("0", "1")))
    grown = with_sizes(desk, dk=3)
    assert grown.cells["q"] == (("abc", "0", "0"), ("0", "1", "0"))
    assert grown.base["q"] == grown.cells["q"]
    assert grown.edition > desk.edition
    assert grown.sizes["dk"] == 3
    assert len(grown.numbers["q"][0]) == 2  # the last numbers that could be read


def test_the_pair_in_focus_stays_among_the_tokens():
    assert with_sizes(Desk(query=1, key=1), n=1).pair == (0, 0)


def test_words_make_the_tokens_and_their_number():
    desk = with_words(Desk(), "the cat the dog")
    assert desk.tokens == ("the", "cat", "the", "dog")
    assert len(desk.numbers["x"]) == 4
    assert with_words(desk, "one").tokens == ("one",)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "blank"),
        ("  ", "blank"),
        ("a b c d e f g", "7 words; at most 6"),
        ("b" * 201, "201 characters; at most 200"),
    ],
)
def test_a_sentence_that_cannot_be_used_is_kept_and_told(words, told):
    desk = with_words(Desk(), words)
    assert desk.words == words
    assert told in words_told(desk)
    assert desk.tokens == ("I", "learn")
    assert not words_told(Desk())


def test_every_preset_is_recognised_and_can_be_read():
    for name, preset in presets.PRESETS.items():
        desk = presets.use(typed(Desk(), "row", (("9", "9", "9", "9"),)), name)
        assert presets.shown(desk) is preset
        assert desk.pair == preset.pair == (1, 0)
        assert not desk.complaints()
        assert desk.numbers["row"] == ((9, 9, 9, 9),)
    assert presets.shown(typed(Desk(), "x", (("1", "0"), ("0", "3")))) is None


def test_the_start_holds_the_numbers_that_were_asked_for():
    start = Desk()
    assert [start.numbers[name] for name in EXAMPLE] == [((1, 0), (0, 1))] * 4
    assert ROW == ((1.2, 2.5, 1.0, 2.0),)
    assert [row[0] for row in MIX] == [0.10, 0.50, 0.15, 0.25]


def test_what_an_editor_reports_is_laid_over_what_it_began_with():
    assert edited(TWO, {"1": {"0": "7"}, 0: {"1": None}}, ("0", "1")) == (("1", ""), ("7", "1"))
    assert edited(TWO, {}, ("0", "1")) == TWO
