"""The numbers of a head's steps as tables: every matrix of the strip in full width, for the shown tokens."""

from collections.abc import Iterator, Sequence
from typing import Literal

from attention.figures.head_arrays import BetweenStep
from attention.figures.named_matrix import NamedMatrix
from attention.figures.strip_look import Look, Rows
from attention.figures.strips import Floats

Columns = Literal["key", "dimension"]


def numbers_of(
    look: Look, between: Sequence[BetweenStep], tokens: Sequence[str], key_tokens: Sequence[str]
) -> tuple[NamedMatrix, ...]:
    """All matrices in the order of the steps, each named with its axes, rows first."""
    names = {"query": _named(look.queries, tokens), "key": _named(look.keys, key_tokens)}
    return tuple(
        NamedMatrix(
            name=f"{name} ({rows} × {columns})",
            rows=names[rows],
            columns=names["key"] if columns == "key" else tuple(map(str, range(values.shape[1]))),
            values=look.square(values) if columns == "key" else look.rows(values, rows),
        )
        for name, values, rows, columns in _matrices(look, between)
    )


def _named(places: range, tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{at} {tokens[at]}" for at in places)


def _matrices(look: Look, between: Sequence[BetweenStep]) -> Iterator[tuple[str, Floats, Rows, Columns]]:
    of = look.arrays
    yield "X, input", of.input, "query", "dimension"
    if of.memory is not None:
        yield "M, the source", of.memory, "key", "dimension"
    yield "Q, queries", of.queries, "query", "dimension"
    yield "K, keys", of.keys, "key", "dimension"
    yield "V, values", of.values, "key", "dimension"
    squares = [("S, scores", of.scores), ("Scaled", of.scaled)]
    squares += [(step.name, step.scores) for step in between]
    squares += [("Masked", of.masked), ("A, weights", of.weights)]
    yield from ((name, values, "query", "key") for name, values in squares)
    yield "Z, weighted sum", of.head_output, "query", "dimension"
    if of.contribution is not None:
        yield "ZWᴼ, handed on", of.contribution, "query", "dimension"
