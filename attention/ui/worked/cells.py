"""Cells as a reader types them: text until it can be read, and told of by its place when it cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from attention.errors import InputError
from attention.figures.labels import markdown_label

Texts: TypeAlias = tuple[tuple[str, ...], ...]
"""A matrix as typed, row by row."""

Numbers: TypeAlias = tuple[tuple[float, ...], ...]
"""A matrix as read."""

LARGEST = 1000.0
"""What a cell may hold at most: six dimensions of it still make scores far from the end of float64."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_INFINITE = re.compile(r"[+-]?(inf|infinity|∞)", re.IGNORECASE)


def read_cell(text: str, largest: float = LARGEST) -> float:
    """The number in a cell.

    >>> read_cell(" −0.5 "), read_cell("1e2")
    (-0.5, 100.0)

    Raises:
        InputError: What is wrong, as the end of a sentence that begins with the cell's place.
    """
    plain = text.strip().replace("−", "-")
    if not plain:
        raise InputError("is empty: type a number there, 0 for none.")
    if _INFINITE.fullmatch(plain):
        raise InputError("is infinite: a cell takes finite numbers only.")
    shown = f"“{markdown_label(plain, 20)}”"
    if not _NUMBER.fullmatch(plain):
        raise InputError(f"{shown} is not a number.{_hint(plain)}")
    number = float(plain)
    if abs(number) > largest:
        raise InputError(f"{shown} is too large: at most {largest:,.0f} above or below zero.")
    return number


def _hint(text: str) -> str:
    """What a reader who writes decimals with a comma meant."""
    pointed = text.replace(",", ".")
    return f" Write {pointed} with a point." if "," in text and _NUMBER.fullmatch(pointed) else ""


def write_cell(number: float) -> str:
    """A number as a cell shows it: the shortest text that is read as the same number.

    >>> write_cell(1.0), write_cell(-0.25)
    ('1', '-0.25')
    """
    return str(int(number)) if number == int(number) else repr(number)


def write(numbers: Numbers) -> Texts:
    """A matrix as its cells show it."""
    return tuple(tuple(write_cell(number) for number in row) for row in numbers)


def read(
    texts: Texts,
    name: str,
    rows: Sequence[str],
    columns: Sequence[str],
    largest: float = LARGEST,
) -> tuple[Numbers | None, tuple[str, ...]]:
    """A matrix out of its cells, or a sentence for each cell that cannot be read.

    Args:
        texts: The cells.
        name: The matrix's name.
        rows: What a sentence calls each row.
        columns: What it calls each column.
        largest: What a cell may hold at most.
    """
    numbers, told = [], []
    for row, cells in enumerate(texts):
        for column, text in enumerate(cells):
            try:
                numbers.append(read_cell(text, largest))
            except InputError as error:
                place = f"row {rows[row]}, column {columns[column]}"
                told.append(_sentence(name, place, str(error)))
    if told:
        return None, tuple(told)
    width = len(texts[0])
    return tuple(tuple(numbers[at : at + width]) for at in range(0, len(numbers), width)), ()


def _sentence(name: str, place: str, what: str) -> str:
    comma = "" if what.startswith("is ") else ":"
    return f"{name}, {place}{comma} {what}"


def resized(texts: Texts, rows: int, columns: int) -> Texts:
    """A matrix of another size: the cells that both have are kept, new ones are the identity's.

    >>> resized((("7", "8"),), 2, 3)
    (('7', '8', '0'), ('0', '1', '0'))
    """
    return tuple(
        tuple(
            texts[row][column] if row < len(texts) and column < len(texts[row]) else str(int(row == column))
            for column in range(columns)
        )
        for row in range(rows)
    )
