"""What all readers share: models and runs, immutable, in stores bounded by bytes."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import cachetools
import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from attention.analysis.checks import row_sum_deviation, visible_difference
from attention.analysis.heads import entropy
from attention.checkpoints.fetch import Progress
from attention.engine.settings import Settings
from attention.model import Model, load
from attention.run import Run
from attention.ui.components.head_sheet import pooled, side_for

MODEL_BYTES = 4 * 2**30
RUN_BYTES = 256 * 2**20
OVERVIEW_BYTES = 64 * 2**20
T = TypeVar("T")

COSTLY_CHARACTERS = 1000
"""Texts longer than this take turns, so that one reader's long text does not stall the others."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Everything a run depends on."""

    model: str
    text: str
    pair: str | None = None
    pad: int | None = None
    shuffled: int | None = None
    settings: Settings = field(default_factory=Settings)

    @property
    def untouched(self) -> Asked:
        """The same text under the model's own attention."""
        return replace(self, settings=Settings())


@dataclass(frozen=True, eq=False, kw_only=True)
class Overview:
    """What is shown of a run whichever head is chosen.

    Attributes:
        shades: All heads' weights, [layer head row column], pooled and small enough to send.
        entropies: Mean entropy of each head's rows, in nats.
        row_sum_deviation: How far any row of weights is from summing to 1.
        visible_difference: The largest difference between the forward pass and the visible steps.
    """

    shades: NDArray[np.uint8]
    entropies: NDArray[np.floating[Any]]
    row_sum_deviation: float
    visible_difference: float


@dataclass(frozen=True)
class _Stores:
    """One server's shared memory; the least recently used goes first."""

    models: cachetools.LRUCache[Hashable, Model]
    runs: cachetools.LRUCache[Hashable, Run]
    overviews: cachetools.LRUCache[Hashable, Overview]
    lock: threading.Lock = field(default_factory=threading.Lock)
    loading: threading.Lock = field(default_factory=threading.Lock)
    turn: threading.Lock = field(default_factory=threading.Lock)


@st.cache_resource(show_spinner=False)
def _stores() -> _Stores:
    torch.set_num_threads(min(4, os.cpu_count() or 1))
    return _Stores(
        models=cachetools.LRUCache(MODEL_BYTES, getsizeof=_model_bytes),
        runs=cachetools.LRUCache(RUN_BYTES, getsizeof=_run_bytes),
        overviews=cachetools.LRUCache(OVERVIEW_BYTES, getsizeof=lambda kept: kept.shades.nbytes),
    )


def model(name: str, *, shuffled: int | None = None, progress: Progress | None = None) -> Model:
    """A loaded model; fetched first when it is not here.

    Args:
        name: Its name in the catalog.
        shuffled: Seed of the control model with shuffled parameters; None is the model itself.
        progress: Told how far a download is.

    Raises:
        AttentionError: It cannot be had.
    """
    stores = _stores()
    if shuffled is None:
        return _kept(stores.models, (name, None), lambda: _load(name, progress), stores.loading)
    original = model(name, progress=progress)
    return _kept(stores.models, (name, shuffled), lambda: original.shuffled(shuffled), stores.loading)


def run(asked: Asked) -> Run:
    """What a model does with a text. A changed run starts from the untouched one.

    Raises:
        AttentionError: The text or a setting is one the model cannot take.
    """
    stores = _stores()
    return _kept(stores.runs, asked, lambda: _run(stores, asked))


def overview(asked: Asked) -> Overview:
    """All heads of a run at a glance, and the checks on it."""
    return _kept(_stores().overviews, asked, lambda: _overview(run(asked)))


def _run(stores: _Stores, asked: Asked) -> Run:
    base = None if asked.settings == Settings() else run(asked.untouched)
    reader = model(asked.model, shuffled=asked.shuffled)
    with stores.turn if len(asked.text) > COSTLY_CHARACTERS else nullcontext():
        if base is not None:
            return base.again(asked.settings)
        return reader.run(asked.text, pair=asked.pair, pad_to=asked.pad)


def _overview(of: Run) -> Overview:
    side = side_for(of.n_layers * of.n_heads)
    shades, entropies = [], []
    for layer in range(of.n_layers):
        weights = of.attention(layer).weights
        shades.append(pooled(weights.numpy(), side))
        entropies.append(entropy(weights).numpy())
    return Overview(
        shades=np.stack(shades),
        entropies=np.stack(entropies),
        row_sum_deviation=row_sum_deviation(of),
        visible_difference=visible_difference(of),
    )


def _load(name: str, progress: Progress | None) -> Model:
    loaded = load(name, progress=progress)
    # Streamlit collects garbage after every rerun; over a loaded torch that costs 110 ms each time.
    gc.collect()
    gc.freeze()
    return loaded


def _kept(
    store: cachetools.LRUCache[Hashable, T],
    key: Hashable,
    make: Callable[[], T],
    alone: AbstractContextManager[object] | None = None,
) -> T:
    """What the store holds under a key; made, alone where asked, when it holds nothing."""
    lock = _stores().lock
    with lock:
        if key in store:
            return store[key]
    with alone or nullcontext():
        with lock:
            if key in store:
                return store[key]
        made = make()
        with lock:
            if store.getsizeof(made) <= store.maxsize:
                store[key] = made
    return made


def _model_bytes(model: Model) -> int:
    return sum(tensor.nbytes for tensor in model.checkpoint.tensors.values())


def _run_bytes(run: Run) -> int:
    return sum(resid.nbytes for resid in (*run.resid_pre, run.stack_run.post, run.final))
