"""The pictures' twins for readers who would rather have numbers: tables, made when they are opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from attention.analysis.bits import in_bits
from attention.figures.labels import plain_label
from attention.ui.between import Axis, axes, strongest_text
from attention.ui.overview import Sheet
from attention.ui.panels.twins import shown
from attention.ui.scene import Scene
from attention.ui.scene_steps import between_steps

SHEETS = ("Mean entropy in bits", "Strongest pair", "One row a head")


class StepTable(NamedTuple):
    """One matrix of the steps, [query or key, entry], or [query, key] where its columns are tokens."""

    values: NDArray[np.floating[Any]]
    columns_are_keys: bool
    rows_are_keys: bool = False


def steps_table(scene: Scene) -> None:
    """A table of any matrix of the strip, whole and with all its columns."""
    with st.expander("As a table", key="steps.table", type="compact", on_change="rerun") as box:
        if box.open:
            tables = step_tables(scene)
            chosen = _choice("Matrix", list(tables), "steps.table.matrix")
            queries = scene.query_texts[scene.head.held.start : scene.head.held.stop]
            frame = step_frame(tables[chosen], queries, scene.key_texts, scene.head.first_query)
            shown(frame, "steps.table.numbers")


def sheet_table(scene: Scene, sheet: Sheet) -> None:
    """A table of the sheet: heads where they stand on it, each with a number or a pair, or a row for each."""
    with st.expander("As a table", key="sheet.table", type="compact", on_change="rerun") as box:
        if box.open:
            make = dict(zip(SHEETS, (entropy_frame, strongest_frame, head_frame), strict=True))
            chosen = _choice("In each cell", SHEETS, "sheet.table.what")
            shown(make[chosen](sheet, axes(scene)), "sheet.table.numbers")


def step_tables(scene: Scene) -> Mapping[str, StepTable]:
    """The matrices of the strip in order, by the names they have there."""
    head = scene.head
    of_queries = {"X, input": head.input, "Q, queries": head.queries}
    of_keys = {} if head.memory is None else {"M, the source": head.memory}
    of_keys |= {"K, keys": head.keys, "V, values": head.values}
    squares = {"S, scores": head.scores, "Scaled": head.scaled}
    squares |= {step.name: step.scores for step in between_steps(scene)}
    squares |= {"Masked": head.masked, "A, weights": head.weights}
    outputs = {"Z, weighted sum": head.head_output}
    outputs |= {} if head.contribution is None else {"ZWᴼ, handed on": head.contribution}
    return (
        {name: StepTable(values, False) for name, values in of_queries.items()}
        | {name: StepTable(values, False, True) for name, values in of_keys.items()}
        | {name: StepTable(values, True) for name, values in squares.items()}
        | {name: StepTable(values, False) for name, values in outputs.items()}
    )


def step_frame(
    table: StepTable, queries: Sequence[str], keys: Sequence[str], first_query: int = 0
) -> pd.DataFrame:
    """A matrix with its tokens at the side, and above it where its columns are keys."""
    rows = _names(keys) if table.rows_are_keys else _names(queries, first_query)
    columns = _names(keys) if table.columns_are_keys else [str(at) for at in range(table.values.shape[1])]
    return pd.DataFrame(table.values, index=rows, columns=columns)


def _names(tokens: Sequence[str], first: int = 0) -> list[str]:
    return [f"{at} {plain_label(token)}" for at, token in enumerate(tokens, start=first)]


def entropy_frame(sheet: Sheet, sides: tuple[Axis, Axis]) -> pd.DataFrame:
    """How widely each head spreads its rows' weight: 0 for one key, log₂ n for n keys alike."""
    return _of_heads(in_bits(sheet.entropies))


def strongest_frame(sheet: Sheet, sides: tuple[Axis, Axis]) -> pd.DataFrame:
    """The query and key of each head's largest weight, and that weight."""
    return _of_heads([[strongest_text(pair, *sides) for pair in row] for row in sheet.strongest])


def head_frame(sheet: Sheet, sides: tuple[Axis, Axis]) -> pd.DataFrame:
    """Both, a row for each head, to be sorted by a click on a column's head."""
    queries, keys = sides
    places = list(np.ndindex(sheet.entropies.shape))
    pairs = [sheet.strongest[layer][head] for layer, head in places]
    return pd.DataFrame(
        {
            "layer": [layer for layer, _ in places],
            "head": [head for _, head in places],
            "mean entropy in bits": in_bits(sheet.entropies).ravel(),
            "strongest query": [queries.named(pair.query) if pair.weight else "" for pair in pairs],
            "strongest key": [keys.named(pair.key) if pair.weight else "" for pair in pairs],
            "its weight": [pair.weight for pair in pairs],
        }
    )


def _of_heads(rows: Any) -> pd.DataFrame:
    values = np.asarray(rows)
    n_layers, n_heads = values.shape
    return pd.DataFrame(values, [f"L{at}" for at in range(n_layers)], [f"H{at}" for at in range(n_heads)])


def _choice(label: str, names: Sequence[str], key: str) -> str:
    return st.selectbox(label, names, key=key, width=260, persist_state="session")
