import csv as reader
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention.export import csv
from attention.export.tables import safe
from attention.figures.head_grid import HeadNumbers
from tests.export import subjects
from tests.export.views import HOSTILE, view
from tests.figures.pictures import causal, picture


def read(file: bytes) -> tuple[dict[str, str], list[list[str]]]:
    lines = list(reader.reader(io.StringIO(file.decode("utf-8-sig"), newline="")))
    empty = lines.index([])
    return {line[0]: line[1] for line in lines[:empty]}, lines[empty + 1 :]


def test_the_weights_come_back_to_the_last_digit():
    shown = causal(12)
    _, (head, *rows) = read(csv(view(shown)))
    values = np.array([[float(value) for value in row[2:]] for row in rows])
    np.testing.assert_array_equal(values, shown.values.astype(float))
    assert head[:4] == ["query position", "query token", "0 [CLS]", "1 the"]
    assert [row[:2] for row in rows[:3]] == [["0", "[CLS]"], ["1", "the"], ["2", "developer"]]


def test_pandas_reads_it():
    shown = picture(3, 5, query_positions=(1, 2, 4))
    file = csv(view(shown))
    above = file.decode("utf-8-sig").split("\r\n").index("")
    table = pd.read_csv(io.BytesIO(file), skiprows=above)
    np.testing.assert_array_equal(table.iloc[:, 2:].to_numpy(), shown.values.astype(float))
    assert list(table["query position"]) == [1, 2, 4]
    assert table.columns[2] == "0 [CLS]"


def test_repeated_words_keep_their_columns():
    _, (head, *rows) = read(csv(view(picture(12))))
    assert [name for name in head if name.endswith(" the")] == ["1 the", "4 the"]
    assert len(rows) == 12


def test_infinities_and_precise_numbers():
    values = np.array([[-np.inf, 1 / 3], [1e-30, np.float64(0.1) + 1e-17]])
    _, (_, *rows) = read(csv(view(picture(2, values=values))))
    assert rows[0][2:] == ["-inf", repr(1 / 3)]
    assert [float(value) for value in rows[1][2:]] == values[1].tolist()


def test_facts_come_first():
    said, _ = read(csv(view(picture(2, note="special tokens hidden, rows renormalised"), pair="=cmd()")))
    assert said["# model"] == "minilm"
    assert said["# changes"] == "causal mask in every layer · L2 H5 off"
    assert said["# tokens shown"] == "special tokens hidden, rows renormalised"
    assert said["# second sentence"] == "'=cmd()"


def test_every_fact_keeps_to_its_line():
    said, rows = read(csv(view(picture(2), text="one\r\n\r\ntwo")))
    assert said["# text"] == "one␍↵␍↵two"
    assert len(rows) == 3


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])
def test_no_cell_starts_a_formula(start):
    token = f"{start}HYPERLINK(1)"
    _, (head, *rows) = read(csv(view(picture(2, query_tokens=(token, "b"), key_tokens=("a", token)))))
    assert rows[0][1] == f"'{token}"
    assert head[3] == f"1 {token}", "a digit stands before it"


def test_excel_sees_that_it_is_utf_8():
    assert csv(view()).startswith(b"\xef\xbb\xbf#")


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=8), min_size=1, max_size=4))
def test_any_token_survives(tokens):
    _, (_, *rows) = read(
        csv(view(picture(len(tokens), query_tokens=tuple(tokens), key_tokens=tuple(tokens))))
    )
    assert [row[1] for row in rows] == [safe(token) for token in tokens]
    whole = [token.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for token in tokens]
    assert [row[1].removeprefix("'").replace("␀", "\0") for row in rows] == [
        token.removeprefix("'").replace("␀", "\0") for token in whole
    ]


def test_the_hostile_tokens():
    _, (_, *rows) = read(csv(view(causal(12, query_tokens=HOSTILE))))
    assert [row[1] for row in rows] == [
        "'=1+1" if t == "=1+1" else "'\n" if t == "\n" else t for t in HOSTILE
    ]


def test_a_query_by_dimension_is_a_table_of_its_keys():
    _, rows = read(csv(view(subject=subjects.neurons())))
    assert rows[0][:7] == ["key position", "key token", "may be looked at", "raw score", "scaled", "weight",
                           "length of weight times value"]  # fmt: skip
    assert rows[0][7:] == ["q times k in dimension 0", "q times k in dimension 1"]
    assert rows[1][:4] == ["0", "cat", "True", "0.0"]
    assert [float(number) for number in rows[2][7:]] == [0.5, 1.0]
    assert rows[3][2] == "False"


def test_the_sheet_is_a_table_of_its_heads():
    numbers = (
        HeadNumbers(layer=0, head=1, entropy=1.5, query="=it (7)", key="the (1)", weight=0.75),
        HeadNumbers(layer=1, head=2, entropy=1 / 3, query="", key="", weight=0.0),
    )
    said, rows = read(csv(view(subject=subjects.heads(numbers=numbers))))
    assert said["# Headlight"].startswith("one row a head")
    assert "# head" not in said
    assert rows[0] == ["layer", "head", "switched off", "mean entropy in bits", "strongest query",
                       "strongest key", "its weight"]  # fmt: skip
    assert rows[1:] == [
        ["0", "1", "True", "1.5", "'=it (7)", "the (1)", "0.75"],
        ["1", "2", "False", repr(1 / 3), "", "", "0.0"],
    ]


def test_a_lit_sentence_is_a_table_of_its_tokens():
    _, rows = read(csv(view(subject=subjects.sentence(source="receives"))))
    assert rows[0] == ["position", "token", "may be looked at", "receives"]
    assert rows[1:3] == [["0", "CLS", "True", "0.5"], ["1", "lo", "True", "0.37"]]
    assert rows[4] == ["3", "<b>", "False", "0.0"]
