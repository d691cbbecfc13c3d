"""How one entry of a query, key or value comes about: a token's vector times one column of W."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from attention.figures.chain import Link, linked
from attention.figures.numbers import signed
from attention.figures.operands import Operand, operands, subscript
from attention.figures.strips import Floats, dims_at, group_size, matrix_uri, peak, strongest, themed
from attention.figures.theme import Palette, Role, role_scale

Side = Literal["query", "key", "value"]

MOST_CELLS = 48
MOST_ROWS, MOST_COLUMNS = 96, 64
_LETTERS: Mapping[Side, str] = {"query": "q", "key": "k", "value": "v"}


def strongest_column(x: Floats, matrix: Floats, bias: Floats | None) -> int:
    """The column whose result is largest in size: the one to show when none is chosen.

    Args:
        x: [d_model]
        matrix: [d_model d_head]
        bias: [d_head], or None.
    """
    return int(np.abs(x @ matrix + (0 if bias is None else bias)).argmax())


def projection(
    x: Floats, matrix: Floats, bias: Floats | None, *, column: int, side: Side, palette: Palette
) -> str:
    """X and one column of W as rows of cells, their products as bars, and the sum that is one entry of q.

    A vector longer than 48 is pooled: cells show the strongest of their group, bars the group's sum, so that
    the bars still add up to the result.

    Args:
        x: [d_model], the token's vector as W sees it.
        matrix: [d_model d_head]
        bias: [d_head], or None where the family has none.
        column: Which entry of the result.
        side: Which of the three projections.
        palette: The theme.
    """
    vector, weights = x.astype(np.float64), matrix[:, column].astype(np.float64)
    products = vector * weights
    picture = operands(
        _operand("x", "ink", vector),
        _operand(subscript("w", str(column)), side, weights),
        _grouped(products),
        _sums(products),
        palette=palette,
        letter="x · w",
        label=f"{len(vector)} products of the vector and one column, sum {signed(float(products.sum()))}",
    )
    offset = None if bias is None else float(bias[column])
    return themed(palette, picture + _result(products, offset, f"{_LETTERS[side]}[{column}]"))


def _operand(letter: str, role: Role, values: Floats) -> Operand:
    """A row of cells with a range of its own: a column's numbers are far smaller than a vector's."""
    pooled, n = strongest(values, MOST_CELLS), len(values)
    titles = [f"[{dims_at(at, n, MOST_CELLS)}] {signed(float(entry), 4)}" for at, entry in enumerate(pooled)]
    return Operand(letter=letter, role=role, values=pooled, limit=peak(pooled), titles=titles)


def _grouped(products: Floats) -> Floats:
    starts = np.arange(0, len(products), group_size(len(products), MOST_CELLS))
    sums: Floats = np.add.reduceat(products, starts)
    return sums


def _sums(products: Floats) -> list[str]:
    n = len(products)
    return [
        f"x · w over [{dims_at(at, n, MOST_CELLS)}] = {signed(float(value), 4)}"
        for at, value in enumerate(_grouped(products))
    ]


def _result(products: Floats, bias: float | None, name: str) -> str:
    total = float(products.sum())
    links = [Link(signed(total), f"sum of {len(products)} products")]
    if bias is not None:
        links.append(Link(signed(bias), "+ b"))
    return linked([*links, Link(signed(total + (bias or 0.0)), f"= {name}", "result")])


def projection_matrices(
    matrices: Mapping[Side, Floats], *, palette: Palette, side: Side = "query", column: int | None = None
) -> str:
    """W_Q, W_K and W_V as small pictures: one set of numbers, used at every position.

    Args:
        matrices: Each [d_model d_head].
        palette: The theme.
        side: The matrix in which a column is marked.
        column: The marked column, or None.
    """
    figures = "".join(
        _matrix(name, matrix, palette, column if name == side else None) for name, matrix in matrices.items()
    )
    return themed(palette, f'<div class="matrices">{figures}</div>')


def _matrix(side: Side, matrix: Floats, palette: Palette, column: int | None) -> str:
    pooled = strongest(strongest(matrix, MOST_COLUMNS).T, MOST_ROWS).T
    limit = (
        float(np.quantile(np.abs(pooled), 0.99)) or 1.0
    )  # a few outliers would leave the rest without colour
    uri = matrix_uri(pooled, limit=limit, scale=role_scale(palette, side))
    name, size = f"W<sub>{_LETTERS[side].upper()}</sub>", f"{matrix.shape[0]} × {matrix.shape[1]}"
    alt = f"The learned matrix for {side} vectors, {size}"
    mark = "" if column is None else _column_mark(column, matrix.shape[1])
    return (
        f'<figure><figcaption><b style="color:var(--{side})">{name}</b> {size}</figcaption>'
        f'<div class="frame"><img src="{uri}" alt="{alt}"/>{mark}</div></figure>'
    )


def _column_mark(column: int, n_columns: int) -> str:
    left, width = 100 * column / n_columns, 100 / n_columns
    return f'<span class="column" style="left:calc({left:.2f}% - 2px);width:calc({width:.2f}% + 4px)"></span>'
