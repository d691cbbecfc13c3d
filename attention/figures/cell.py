"""One query, one key: the products behind a score, the chain from it to the weight, and what is taken away.

Strings of HTML and SVG, to be shown by `ui.components.markup`.
"""

import numpy as np

from attention.figures.chain import chain
from attention.figures.numbers import signed
from attention.figures.operands import Operand, operands, subscript
from attention.figures.strips import Floats, peak, themed
from attention.figures.theme import Palette
from attention.figures.value_mix import value_mix

__all__ = ["chain", "product_bars", "value_mix"]


def product_bars(query_vector: Floats, key_vector: Floats, palette: Palette) -> str:
    """Q and k as rows of cells of one colour range, and their products, one per dimension, as bars.

    Args:
        query_vector: [d_head]
        key_vector: [d_head]
        palette: The theme.
    """
    q, k = query_vector.astype(np.float64), key_vector.astype(np.float64)
    products, limit = q * k, peak(np.stack([q, k]))
    picture = operands(
        Operand(letter="q", role="query", values=q, limit=limit, titles=_entries("q", q)),
        Operand(letter="k", role="key", values=k, limit=limit, titles=_entries("k", k)),
        products,
        [f"q[{i}] · k[{i}] = {signed(float(value), 4)}" for i, value in enumerate(products)],
        palette=palette,
        letter=subscript("q", "i") + subscript("k", "i"),
        label=f"{len(q)} products of query and key, sum {signed(float(products.sum()))}",
    )
    return themed(palette, picture)


def _entries(letter: str, values: Floats) -> list[str]:
    return [f"{letter}[{i}] = {signed(float(value), 4)}" for i, value in enumerate(values)]
