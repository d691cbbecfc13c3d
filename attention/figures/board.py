"""The steps of one head with every number in its cell: for matrices small enough to reckon by hand.

Tables of HTML, so that the picture is its own table: rows and columns have their names, and a screen reader
walks through the cells. `attention/ui/components/board.js` moves the marks.
"""

import html
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention.figures.entries import entry
from attention.figures.labels import columns, plain_label
from attention.figures.numbers import signed
from attention.figures.strip_steps import HeadArrays, Look, Matrix, Step, steps_of
from attention.figures.strips import colours_of, themed
from attention.figures.theme import Palette, Scale, role_scale, score_scale, shade, text_on, weight_scale

MOST = 6
"""Tokens, and columns of a vector, for which the board is made."""

LABEL_LIMIT = 10
_TINY = 3

# The strip says XW + b of all families; what is set by hand here has no bias.
_PROJECTIONS = "Queries, keys, values"
_FORMULAS = {_PROJECTIONS: "Q = XW<sub>Q</sub> &ensp;K = XW<sub>K</sub> &ensp;V = XW<sub>V</sub>"}


@dataclass(frozen=True)
class _Look:
    """What every table of a board needs: names, marks, colours."""

    names: tuple[str, ...]
    query: int
    key: int
    allowed: np.ndarray
    palette: Palette
    hidden: bool = False


def board(
    arrays: HeadArrays,
    *,
    tokens: Sequence[str],
    query: int,
    key: int,
    palette: Palette,
    scale_text: str,
    hidden: Collection[str] = (),
) -> str:
    """All steps in order, each with formula, shape and one sentence.

    Args:
        arrays: The head's steps.
        tokens: Raw tokens; queries and keys are the same here.
        query: The query in focus.
        key: The key in focus.
        palette: The theme.
        scale_text: What scaling does, such as "÷ √2".
        hidden: Names of steps whose numbers are not shown: a question mark in each cell, and no hover.
    """
    n = len(tokens)
    steps = steps_of(Look(arrays, range(n), range(n), query, key), scale_text, (), 1.0)
    look = _Look(
        tuple(plain_label(token, LABEL_LIMIT) for token in tokens), query, key, arrays.allowed, palette
    )
    looks = (replace(look, hidden=step.name in hidden) for step in steps)
    numbered = enumerate(zip(steps, looks, strict=True), start=1)
    sections = "".join(_section(number, step, one) for number, (step, one) in numbered)
    return themed(palette, f"<div {_frame(arrays, look)}>{sections}</div>")


def _frame(arrays: HeadArrays, look: _Look) -> str:
    """Everything the style sheet needs to fit the cells to the width there is."""
    cells = 2 * arrays.queries.shape[1] + arrays.values.shape[1]
    most = max(len(look.names), arrays.input.shape[1], arrays.queries.shape[1], arrays.values.shape[1])
    widest = max(columns(name) for name in look.names)
    kind = "tiny" if most <= _TINY else "large"
    slanted = " slanted" if widest * 7 > (44 if kind == "tiny" else 30) else ""
    sizes = f"--cells:{cells};--most:{most};--label:{min(84, widest * 7 + 12)}px;--q:{look.query}"
    data = f'data-n="{len(look.names)}" data-query="{look.query}" data-key="{look.key}"'
    return f'class="grid {kind}{slanted}" {data} style="{sizes}"'


def _section(number: int, step: Step, look: _Look) -> str:
    wide = " wide" if step.name == _PROJECTIONS else ""
    tables = "".join(_table(step, matrix, look) for matrix in step.matrices)
    shape = step.shape.partition("  ·  ")[0] if look.hidden else step.shape  # its range would tell too much
    formula = _FORMULAS.get(step.name, html.escape(step.formula))
    return (
        f'<section class="step{wide}" aria-label="Step {number}, {step.name}">'
        f'<h3 style="color:var(--{step.role})"><span class="order">{number}</span>{step.name}</h3>'
        f'<div class="matrices">{tables}</div><div class="line"></div>'
        f'<p class="formula"><i>{formula}</i><span class="shape">{html.escape(shape)}</span></p>'
        f'<p class="sentence">{html.escape(step.sentence)}</p></section>'
    )


def _table(step: Step, matrix: Matrix, look: _Look) -> str:
    square = matrix.width is None
    name = f"{step.name}, {matrix.label}" if matrix.label else step.name
    heads = look.names if square else [str(at) for at in range(matrix.values.shape[1])]
    top = "".join(_column_head(text, at if square else None, look) for at, text in enumerate(heads))
    letter = f'<span class="letter" style="color:var(--{matrix.role})">{matrix.label}</span>'
    body = "".join(_row(matrix, at, look) for at in range(len(matrix.values)))
    return (
        f'<table class="{"square" if square else "vectors"}"><caption>{name}</caption>'
        f"<thead><tr><td>{letter}</td>{top}</tr></thead><tbody>{body}</tbody></table>"
    )


def _column_head(text: str, key: int | None, look: _Look) -> str:
    label = f"<span><bdi>{html.escape(text)}</bdi></span>"
    if key is None:
        return f'<th scope="col">{label}</th>'
    return f'<th scope="col" data-k="{key}"{_focus(key == look.key)}>{label}</th>'


def _row(matrix: Matrix, at: int, look: _Look) -> str:
    of_key = matrix.rows == "key"
    side, focus = ("k", look.key) if of_key else ("q", look.query)
    mark = f' style="--mark:var(--{matrix.role if of_key else "query"})"'
    name = html.escape(look.names[at])
    cells = "".join(_cell(matrix, at, column, look) for column in range(matrix.values.shape[1]))
    label = f'<th scope="row"><bdi>{name}</bdi></th>'
    return f'<tr data-{side}="{at}"{_focus(at == focus)}{mark}>{label}{cells}</tr>'


def _cell(matrix: Matrix, row: int, column: int, look: _Look) -> str:
    value = float(matrix.values[row, column])
    square = matrix.width is None
    place = f' data-k="{column}"' if square else ""
    chosen = _focus(square and row == look.query and column == look.key)
    if look.hidden:
        return f'<td class="hidden"{place}{chosen} title="hidden until you have guessed">?</td>'
    if matrix.hatched and not look.allowed[row, column]:
        return f'<td class="masked"{place}{chosen} title="masked">{entry(value)}</td>'
    fill = _fill(matrix, value, look.palette)
    where = f"{look.names[row]} → {look.names[column]}" if square else f"{look.names[row]} [{column}]"
    title = html.escape(f"{where}: {signed(value, 4)}")
    look_of = f'style="background:{fill};color:{text_on(fill)}" title="{title}"'
    return f"<td{place}{chosen} {look_of}>{entry(value)}</td>"


def _focus(on: bool) -> str:
    return ' aria-current="true"' if on else ""


def _fill(matrix: Matrix, value: float, palette: Palette) -> str:
    if matrix.ramp == "weights":
        return shade(weight_scale(palette), value / matrix.limit)
    return colours_of(np.array([value]), matrix.limit, _scale(matrix, palette))[0]


def _scale(matrix: Matrix, palette: Palette) -> Scale:
    ramp = matrix.ramp
    if ramp == "scores" or ramp == "weights":
        return score_scale(palette)
    return role_scale(palette, ramp)
