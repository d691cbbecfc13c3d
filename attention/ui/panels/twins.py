"""Numbers of the smaller pictures as tables: projections, products, shares of weight, likeliest tokens.

Each frame is made from arrays alone, and only when its box is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from attention.analysis.heads import Share
from attention.analysis.next_tokens import Next
from attention.figures.projection import Side

TALL = 16
Floats = NDArray[np.floating[Any]]


def twin(make: Callable[[], pd.DataFrame], key: str) -> None:
    """A box with the table of the picture above it."""
    with st.expander("As a table", key=key, type="compact", on_change="rerun") as box:
        if box.open:
            shown(make(), f"{key}.numbers")


def shown(frame: pd.DataFrame, key: str) -> None:
    """A table, as tall as it is or with a scroll of its own."""
    st.dataframe(frame, height=520 if len(frame) > TALL else "content", key=key)


def matrix_frame(matrix: Floats) -> pd.DataFrame:
    """A learned matrix whole: a row for each entry of x, a column for each of q, k or v."""
    return pd.DataFrame(matrix, [f"x[{at}]" for at in range(len(matrix))], map(str, range(matrix.shape[1])))


def entry_frame(x: Floats, matrix: Floats, bias: Floats | None, column: int, side: Side) -> pd.DataFrame:
    """One entry of q, k or v with its operands; at the end the bias, where there is one, and the sum."""
    letter = {"query": "q", "key": "k", "value": "v"}[side]
    operands = matrix[:, column]
    rows = [(f"x[{at}]", x[at], operands[at], x[at] * operands[at]) for at in range(len(x))]
    added = 0.0 if bias is None else float(bias[column])
    rows += [] if bias is None else [("b", None, None, added)]
    rows += [(f"{letter}[{column}]", None, None, float(x @ operands) + added)]
    names, *columns = zip(*rows, strict=True)
    return pd.DataFrame(dict(zip(("x", f"W_{letter.upper()}", "product"), columns, strict=True)), list(names))


def product_frame(query: Floats, key: Floats) -> pd.DataFrame:
    """Query times key, dimension by dimension, and their sum: the score."""
    frame = pd.DataFrame({"q": query, "k": key, "q · k": query * key}, map(str, range(len(query))))
    frame.loc["sum"] = [np.nan, np.nan, query @ key]
    return frame


def place_frame(shares: Sequence[Share]) -> pd.DataFrame:
    """Where the rows of a head put their weight."""
    return pd.DataFrame({"mean weight of a row": [part.share for part in shares]},
                        [part.place for part in shares])  # fmt: skip


def next_frame(found: Sequence[Next], names: Sequence[str], *, changed: bool) -> pd.DataFrame:
    """The likeliest tokens; before the reader's changes too, where there are any."""
    columns = {"id": [one.id for one in found], "probability": [one.probability for one in found]}
    before = {"before your changes": [one.before for one in found]} if changed else {}
    return pd.DataFrame({"token": list(names), **columns, **before})
