"""A link brings the same view back; bad values are told one by one and ignored."""

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention.engine.masks import (
    BlockLocal,
    Causal,
    Cells,
    Dilated,
    Fixed,
    Full,
    Global,
    Keys,
    Own,
    Prefix,
    Random,
    Strided,
    Window,
)
from attention.ui.mask_text import format_indices, format_mask, parse_indices, parse_mask
from attention.ui.url import ENTRIES, FORMER, MAX_LINK, read_link, write_link
from attention.ui.view import START, Changes, ViewState

FULL_VIEW = ViewState(
    text="We sat & waited = 100 % <b>",
    pair="river bank?",
    model="worked-example",
    layer=2,
    head=11,
    query=3,
    key=0,
    mask=(Own(), Window(2, 0), Keys({4, 1}), Cells({(0, 3), (0, 4)})),
    mask_layers=frozenset({0, 3, 4, 5}),
    heads_off=frozenset({(2, 5), (3, 1)}),
    site="cross",
    target="Wir saßen, & 100 % <b>;",
    elsewhere=(
        ("self", Changes(mask=(Causal(), Keys({2})), mask_layers=frozenset({1}))),
        ("encoder", Changes(heads_off=frozenset({(0, 1)}))),
    ),
    pad=20,
    shuffled=7,
    view="lines",
    range="log",
    special="renormalise",
    words=True,
    sheet_pool="mean",
    sheet_shade="head",
    rows=(2, 40),
    columns=(0, 7),
    pool="mean",
    vector="value",
    entry=5,
    light="receives",
    lines_heads=frozenset({0, 3, 5}),
    lines_mass=75,
    lines_block="ab",
    lines_lock="none",
)


def through_the_address_bar(view):
    params, _ = write_link(view)
    return read_link(dict(parse_qsl(urlencode(params), keep_blank_values=True)))


@pytest.mark.parametrize("view", [FULL_VIEW, START, ViewState(text="I learn"), ViewState(pair="")])
def test_every_field_makes_the_round_trip(view):
    assert through_the_address_bar(view) == (view, ())


def test_the_keys_and_grammar_are_the_documented_ones():
    assert write_link(FULL_VIEW)[0] == {
        "s": "We sat & waited = 100 % <b>",
        "pair": "river bank?",
        "target": "Wir saßen, & 100 % <b>;",
        "site": "cross",
        "model": "worked-example",
        "layer": "2",
        "head": "11",
        "query": "3",
        "key": "0",
        "mask": "own+window:2:0+hide:1.4+block:0-3.0-4",
        "layers": "0.3-5",
        "off": "2-5.3-1",
        "elsewhere": "self;causal+hide:2;1;,encoder;;;0-1",
        "pad": "20",
        "shuffled": "7",
        "view": "lines",
        "range": "log",
        "special": "renormalise",
        "words": "1",
        "sheet.pool": "mean",
        "sheet.shade": "head",
        "rows": "2-40",
        "columns": "0-7",
        "pool": "mean",
        "explore.vector": "value",
        "explore.entry": "5",
        "strip": "receives",
        "lines.heads": "0.3.5",
        "lines.mass": "75",
        "lines.pair": "ab",
        "lines.lock": "none",
    }
    assert set(ENTRIES) == set(write_link(FULL_VIEW)[0])


def test_no_link_is_the_start_view():
    assert read_link({}) == (START, ())
    assert read_link({"layer": "2"})[0].query == START.query


@given(st.text())
def test_any_sentence_makes_the_round_trip_or_is_left_out(text):
    view = ViewState(text=text)
    params, left_out = write_link(view)
    assert left_out == ("s" not in params)
    if not left_out and not any(
        "\ud800" <= character <= "\udfff" or character in "\r\n" for character in text
    ):
        assert read_link(params) == (view, ())


def test_a_long_sentence_leaves_the_link_and_says_so():
    params, left_out = write_link(ViewState(text="ü" * 400, layer=3))
    assert left_out
    assert params == {"model": "minilm", "layer": "3", "head": "4", "cut": "1"}
    kept, left_out = write_link(ViewState(text="u" * 1900))
    assert not left_out
    assert len("?" + urlencode(kept)) <= MAX_LINK
    assert write_link(ViewState(text="u" * 1900), "https://example.org/" + "path/" * 20)[1]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("layer", "-1", "“-1” is no whole number from 0 up."),
        ("layer", "four", "“four” is no whole number"),
        ("layer", "٣", "no whole number"),
        ("head", "99999999", "99999999 is too large."),
        ("model", "/etc/passwd", "not one of minilm"),
        ("model", "gpt2", "not one of minilm"),
        ("mask", "casual", "“casual” is no mask; known: own, full, causal"),
        ("mask", "window:2", "no whole number"),
        ("mask", "window:2:0:1", "“2:0:1” has 3 numbers; 2 are read"),
        ("mask", "dilated:2:0", "A dilated window takes step from 1 up; got 0."),
        ("mask", "random:2:12", "no whole number"),
        ("mask", "window:1:1,", "“” is no mask"),
        ("mask", "+".join(["causal"] * 9 + ["full,own"] * 4), "17 rules; at most 16"),
        ("mask", "global:x", "“x” is no whole number"),
        ("mask", "hide:", "“hide:” is no mask"),
        ("mask", "causal:3", "“causal:3” is no mask"),
        ("mask", "block:3", "no list of pairs"),
        ("layers", "5-3", "“5-3” is no run"),
        ("layers", "0-99999", "no run of indices"),
        ("off", "2.5", "no list of pairs"),
        ("view", "<script>", "not one of heatmap, lines, neurons, table"),
        ("rows", "7-3", "7 comes after 3"),
        ("columns", "7-", "no whole number"),
        ("strip", "takes", "not one of gives, receives"),
        ("lines.mass", "x", "“x” is no whole number from 1 to 100."),
        ("lines.mass", "0", "0 is not from 1 to 100"),
        ("lines.mass", "101", "101 is not from 1 to 100"),
        ("lines.pair", "ac", "not one of all, aa, ab, ba, bb"),
        ("lines.heads", "H3", "no whole number"),
        ("lines.lock", "both", "not one of query, key, none"),
        ("range", "", "not one of fixed, head, log"),
        ("pad", "1e3", "no whole number"),
        ("site", "both", "not one of self, cross, encoder"),
        ("elsewhere", "cross", "“cross” is no attention;mask;layers;heads"),
        ("elsewhere", "across;;;1-2", "“across;;;1-2” is no attention"),
        ("elsewhere", "cross;casual;;", "“casual” is no mask"),
    ],
)
def test_a_bad_value_is_told_and_the_rest_is_kept(key, value, said):
    view, told = read_link({"s": "I learn", "head": "2", key: value})
    assert len(told) == 1
    assert told[0].startswith(f"The link's {key} was ignored")
    assert said in told[0]
    assert view == ViewState(text="I learn", head=4 if key == "head" else 2)


def test_keys_of_older_links_are_read_and_no_longer_written():
    former = {"s": "I learn", "heads.words": "1", "heads.pool": "mean", "heads.shade": "head"}
    view, told = read_link(former)
    assert (view.words, view.sheet_pool, view.sheet_shade) == (True, "mean", "head")
    assert not told
    assert not set(FORMER) & set(write_link(view)[0])


@pytest.mark.parametrize("present", ["0", "maybe"])
@pytest.mark.parametrize("first", ["words", "heads.words"])
def test_a_present_key_wins_over_its_former_one(present, first):
    link = {"heads.words": "1", "words": present}
    view, told = read_link({"s": "I learn", first: link.pop(first), **link})
    assert not view.words
    assert len(told) == (present == "maybe")


def test_a_bad_value_of_a_former_key_is_told_by_the_name_it_has_in_the_link():
    _, told = read_link({"s": "I learn", "heads.pool": "least"})
    assert told == ("The link's heads.pool was ignored: “least” is not one of max, mean.",)


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "a\rb"])
def test_line_breaks_are_read_as_spaces_and_told(text):
    view, told = read_link({"s": text, "pair": text})
    assert (view.text, view.pair) == ("a b", "a b")
    assert told == (
        "The link's sentence had line breaks; each is read as a space.",
        "The link's second sentence had line breaks; each is read as a space.",
    )


def test_a_link_without_its_sentence_says_so_to_who_opens_it():
    params, left_out = write_link(ViewState(text="ü" * 400, layer=3))
    assert left_out
    view, told = read_link(params)
    assert (view.text, view.layer) == (START.text, 3)
    assert told == ("The sentence was too long for this link and is not in it: an example is shown instead.",)


def test_a_link_without_its_sentence_names_no_single_token():
    rules = (Causal(), Keys({3}))
    params, left_out = write_link(ViewState(text="ü" * 400, query=5, key=2, mask=rules, pad=300, range="log"))
    assert left_out
    assert params == {
        "model": "minilm",
        "layer": "4",
        "head": "4",
        "mask": "causal",
        "range": "log",
        "cut": "1",
    }


def test_several_bad_values_are_told_one_by_one():
    _, told = read_link({"layer": "x", "head": "y", "colour": "red", "scaling.d": "64"})
    assert [sentence.split(" was")[0] for sentence in told] == [
        "The link's layer",
        "The link's head",
        "The link's “colour” means nothing here.",
    ]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("own", ()),
        ("full", (Full(),)),
        ("causal", (Causal(),)),
        ("causal+hide:1.4-6", (Causal(), Keys({1, 4, 5, 6}))),
        ("own hide:0", (Own(), Keys({0}))),
        ("window:0:3", (Window(0, 3),)),
        ("prefix:3", (Prefix(3),)),
        ("block:0-3.1-4", (Cells({(0, 3), (1, 4)}),)),
        ("dilated:2:3", (Dilated(2, 3),)),
        ("blocks:4", (BlockLocal(4),)),
        ("strided:4", (Strided(4),)),
        ("fixed:4:1", (Fixed(4, 1),)),
        ("causal+global:0.5", (Causal(), Global({0, 5}))),
        ("random:2:12:7", (Random(2, 12, 7),)),
        ("causal+window:3:0,global:0", (Causal(), Window(3, 0) | Global({0}))),
        (
            "window:1:1,global:0.1,random:2:12:7",
            (Window(1, 1) | Global({0, 1}) | Random(2, 12, 7, Window(1, 1) | Global({0, 1})),),
        ),
    ],
)
def test_the_mask_grammar(text, rules):
    assert parse_mask(text) == rules
    assert parse_mask(format_mask(rules)) == rules


@given(st.sets(st.integers(0, 200), min_size=1))
def test_indices_make_the_round_trip(indices):
    assert parse_indices(format_indices(indices)) == indices
