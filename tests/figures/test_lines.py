import numpy as np
import pytest

from attention.figures import lines as figure
from attention.figures import lines_words
from attention.figures.lines import Lines, Strand
from attention.figures.theme import LIGHT

WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.5, 0.5, 0.0], [0.05, 0.15, 0.8]])


def strand(name="H4", weights=WEIGHTS, least=0.12):
    return Strand(name=name, weights=weights, drawn=weights > least)


def lines(*strands, **changes):
    n_queries, n_keys = WEIGHTS.shape
    given = {
        "query_tokens": ("a", "<b>", "c")[:n_queries],
        "key_tokens": ("x", "y", "z")[:n_keys],
        "query": 1,
    }
    return Lines(strands=strands or (strand(),), allowed=WEIGHTS > 0, **(given | changes))


def rows(table):
    return [(int(head), int(query), int(key), round(float(weight), 2)) for head, query, key, weight in table]


def test_every_line_is_there_once_and_the_heaviest_lies_on_top():
    others, own = figure.drawn(lines())
    assert rows(others) == [(0, 2, 1, 0.15), (0, 0, 1, 0.2), (0, 0, 0, 0.7), (0, 2, 2, 0.8)]
    assert rows(own) == [(0, 1, 0, 0.5), (0, 1, 1, 0.5)]
    assert rows(figure.table(lines())) == rows(others) + rows(own)


def test_a_locked_key_owns_what_reaches_it_and_without_a_lock_nothing_is_owned():
    _, own = figure.drawn(lines(key=1, lock="key"))
    assert [query for _, query, _, _ in rows(own)] == [2, 0, 1]
    others, own = figure.drawn(lines(lock=None))
    assert (len(others), len(own)) == (6, 0)
    assert figure.drawn(lines(query=None))[1].size == 0, "a hidden query has no lines"


@pytest.mark.parametrize(("weight", "thick"), [(0.0, 0.6), (1.0, 6.1), (0.5, 3.35)])
def test_thickness_grows_with_the_weight(weight, thick):
    assert figure.width(weight) == pytest.approx(thick)


def test_the_locked_token_s_lines_stand_out():
    assert figure.opacity(0.1, own=True, locked=True) > 5 * figure.opacity(0.9, own=False, locked=True)
    assert figure.opacity(0.9, own=False, locked=False) > figure.opacity(0.1, own=False, locked=False) > 0.2


def test_heads_are_shifted_apart_round_the_middle():
    three = lines(strand(), strand("H5"), strand("H6"))
    shifts = [figure.shift(three, at) for at in range(3)]
    assert shifts == pytest.approx([-3, 0, 3])
    assert figure.shift(lines(), 0) == 0
    assert max(shifts) < figure.rows_of(three).pitch / 2


def test_names_stand_at_the_heaviest_line_and_share_a_place():
    three = lines(strand(), strand("H5", WEIGHTS[::-1].copy()), strand("H6"))
    assert lines_words.tags(three, "query", 0) == {0: "H4 H6", 2: "H5"}
    assert lines_words.tags(three, "key", 2) == {2: "H4 H6", 0: "H5"}
    assert lines_words.tags(lines(), "query", 0) == {}, "one head has its name in the title"
    five = lines(*(strand(f"H{at}") for at in range(5)))
    assert lines_words.tags(five, "query", 0) == {0: "H0 H1 H2 +2"}


def test_what_has_a_line_is_said():
    assert lines_words.said(lines(mass=90)) == "lines for the largest weights up to 90 % of each row"
    assert lines_words.said(lines(block="ab")) == "lines for every weight above 0, A → B only"
    said = lines_words.describe(lines(mass=90))
    assert said.startswith("6 lines of H4 from 3 queries to 3 keys")
    assert said.endswith("Those from <b> stand out.")
    assert lines_words.describe(lines(lock=None, mass=90)).endswith("of each row.")


def test_legend_names_every_head_and_its_colour():
    pairs = lines_words.legend(lines(strand(), strand("H7")), LIGHT)
    assert [name for name, _ in pairs] == ["H4", "H7"]
    assert pairs[0][1] == LIGHT.beam != pairs[1][1]
