"""CSV of the numbers on screen, for spreadsheets and for pandas.

The file begins with the facts, one a line and each beginning with ``#``, then an empty line, then the table;
of weights one row a query and one column a key, every column headed by position and token. It is UTF-8 with
a byte-order mark, without which Excel takes it for Latin-1; Python reads it as "utf-8-sig", pandas by itself
(``pandas.read_csv(file, skiprows=n)`` where n is the number of lines up to the empty one).
"""

import io
from collections.abc import Iterable, Iterator
from csv import writer
from typing import Any, TypeAlias

from attention.export.view import View, facts, printable
from attention.figures.head_grid import HeadGrid
from attention.figures.labels import visible
from attention.figures.lit_sentence import LitSentence
from attention.figures.named_matrix import NamedMatrix
from attention.figures.neurons import Neurons
from attention.figures.picture import Picture
from attention.figures.step_strip import StepStrip

Rows: TypeAlias = Iterator[list[Any]]

_STARTS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def csv(view: View) -> bytes:
    """The numbers of what is shown, to full precision; a masked weight is the 0 that it is.

    A query by dimension is a table of its keys, a lit sentence one of its tokens, the sheet one of all heads;
    the strip is a table for each of its matrices. All else is the weights.
    """
    sheet = io.StringIO(newline="")
    lines = writer(sheet)
    what, rows = _table(view)
    lines.writerow(["# Headlight", what])
    for name, value in facts(view).items():
        lines.writerow([f"# {name}", safe(visible(value))])
    sheet.write("\r\n")
    lines.writerows(rows)
    return sheet.getvalue().encode("utf-8-sig")


def _table(view: View) -> tuple[str, Rows]:
    match shown := view.shown:
        case Neurons():
            return "one query against every key, products by dimension", _neurons(shown)
        case LitSentence():
            whose = "of its word" if shown.by_words else "it has"
            return f"one row a token, and the light {whose}", _sentence(shown)
        case HeadGrid():
            return "one row a head, its mean entropy and its largest weight", _heads(shown)
        case StepStrip():
            return "the steps of one head, each matrix under its name and its axes", matrices(shown.numbers)
    return "attention weights, rows look and columns are looked at", _weights(view.picture)


def _weights(picture: Picture) -> Rows:
    keys = zip(picture.key_positions, picture.key_tokens, strict=True)
    yield ["query position", "query token", *(safe(f"{at} {token}") for at, token in keys)]
    rows = zip(picture.query_positions, picture.query_tokens, picture.values.tolist(), strict=True)
    for position, token, values in rows:
        yield [position, safe(token), *map(repr, values)]


def _neurons(neurons: Neurons) -> Rows:
    between = [name.lower() for name, _ in neurons.between]
    steps = ["raw score", "scaled", *between, "weight", "length of weight times value"]
    dimensions = [f"q times k in dimension {j}" for j in range(len(neurons.query))]
    yield ["key position", "key token", "may be looked at", *steps, *dimensions]
    passed = [after for _, after in neurons.between]
    columns = [neurons.scores, neurons.scaled, *passed, neurons.weights, neurons.lengths]
    for row, (position, token) in enumerate(zip(neurons.key_positions, neurons.key_tokens, strict=True)):
        values = [*(column[row] for column in columns), *neurons.products[row]]
        yield [position, safe(token), bool(neurons.allowed[row]), *(repr(float(value)) for value in values)]


def _sentence(sentence: LitSentence) -> Rows:
    yield ["position", "token", "may be looked at", sentence.source]
    for at, chip in enumerate(sentence.chips):
        yield [at, safe(chip.shown), bool(sentence.allowed[at]), repr(float(sentence.light[at]))]


def _heads(grid: HeadGrid) -> Rows:
    pair = ["strongest query", "strongest key", "its weight"]
    yield ["layer", "head", "switched off", "mean entropy in bits", *pair]
    for one in grid.numbers:
        off = (one.layer, one.head) in grid.heads_off
        strongest = safe(one.query), safe(one.key), repr(one.weight)
        yield [one.layer, one.head, off, repr(one.entropy), *strongest]


def matrices(found: Iterable[NamedMatrix]) -> Rows:
    """Each matrix under its name, an empty line between two."""
    for at, matrix in enumerate(found):
        if at:
            yield []
        yield [matrix.name, *map(safe, matrix.columns)]
        for row, values in zip(matrix.rows, matrix.values.tolist(), strict=True):
            yield [safe(row), *map(repr, values)]


def safe(text: str) -> str:
    """A text that a spreadsheet shows and does not reckon, with what no CSV reader takes left readable.

    >>> safe("=1+1"), safe("loan"), safe("##s")
    ("'=1+1", 'loan', '##s')
    """
    held = printable(text).replace("\0", "␀")
    return f"'{held}" if held.startswith(_STARTS_A_FORMULA) else held
