"""What is drawn for one seed: queries and keys of every size, measured once and shared by all readers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from attention.analysis.scaling import Drawn, density, divided, drawn_scores, measured, shares
from attention.ui.arrays import fixed
from attention.ui.scaling.choices import SIZES
from attention.ui.stores import Store

N_ROWS, N_KEYS = 4000, 16
"""Queries drawn for each size, and the keys of each."""

N_EXAMPLES = 8
"""Rows of weights that are shown."""

_STEPS, _REACH = 25, 3.5
_MOST_KEPT = 64


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """One size, drawn and measured.

    Attributes:
        drawn: The numbers.
        at: Middles of the histogram's bins, in the scaled scores' unit: multiples of √d_k for the raw ones.
        density: The scaled scores' histogram there; the raw ones' is √d_k times as wide and as low.
        raw_rows: The first rows of weights as they come, [row key].
        scaled_rows: The same rows with scores times 1/√d_k.
    """

    drawn: Drawn
    at: NDArray[np.floating[Any]]
    density: NDArray[np.floating[Any]]
    raw_rows: NDArray[np.floating[Any]]
    scaled_rows: NDArray[np.floating[Any]]


@st.cache_resource(show_spinner=False)
def _kept() -> Store[int, Mapping[int, Experiment]]:
    """A seed's experiments take 40 kB."""
    return Store(_MOST_KEPT, lambda _: 1)


def experiments(seed: int) -> Mapping[int, Experiment]:
    """Every size under one seed."""
    return _kept().once(seed, lambda: {d_k: _experiment(d_k, seed) for d_k in SIZES})


def _experiment(d_k: int, seed: int) -> Experiment:
    scores = drawn_scores(d_k, n_rows=N_ROWS, n_keys=N_KEYS, seed=seed)
    scaled = divided(scores, d_k)
    edges = torch.linspace(-_REACH, _REACH, _STEPS + 1, dtype=scores.dtype)
    return Experiment(
        drawn=measured(scores, d_k),
        at=fixed(((edges[1:] + edges[:-1]) / 2).numpy()),
        density=fixed(density(scaled, edges).numpy()),
        raw_rows=fixed(shares(scores[:N_EXAMPLES]).numpy()),
        scaled_rows=fixed(shares(scaled[:N_EXAMPLES]).numpy()),
    )
