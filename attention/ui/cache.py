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

from attention.analysis.heads import entropy
from attention.checkpoints.fetch import Progress
from attention.engine.settings import Settings
from attention.model import Model, load
from attention.run import Run
from attention.ui.components.head_sheet import pooled, side_for

MODEL_BYTES = 4 * 2**30
RUN_BYTES = 256 * 2**20
SHEET_BYTES = 64 * 2**20
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


@dataclass(frozen=True, eq=False)
class Sheet:
    """All heads of one run, small enough to send.

    Attributes:
        shades: [layer head row column], pooled.
        entropies: Mean entropy of each head's rows, in nats.
    """

    shades: NDArray[np.uint8]
    entropies: NDArray[np.floating[Any]]


@dataclass(frozen=True)
class _Stores:
    """One server's shared memory; the least recently used goes first."""

    models: cachetools.LRUCache[Hashable, Model]
    runs: cachetools.LRUCache[Hashable, Run]
    sheets: cachetools.LRUCache[Hashable, Sheet]
    lock: threading.Lock = field(default_factory=threading.Lock)
    loading: threading.Lock = field(default_factory=threading.Lock)
    turn: threading.Lock = field(default_factory=threading.Lock)


@st.cache_resource(show_spinner=False)
def _stores() -> _Stores:
    torch.set_num_threads(min(4, os.cpu_count() or 1))
    return _Stores(
        models=cachetools.LRUCache(MODEL_BYTES, getsizeof=_model_bytes),
        runs=cachetools.LRUCache(RUN_BYTES, getsizeof=_run_bytes),
        sheets=cachetools.LRUCache(SHEET_BYTES, getsizeof=lambda sheet: sheet.shades.nbytes),
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


def sheet(asked: Asked) -> Sheet:
    """All heads of a run, pooled for the sheet."""
    return _kept(_stores().sheets, asked, lambda: _sheet(run(asked)))


def _run(stores: _Stores, asked: Asked) -> Run:
    base = None if asked.settings == Settings() else run(asked.untouched)
    reader = model(asked.model, shuffled=asked.shuffled)
    with stores.turn if len(asked.text) > COSTLY_CHARACTERS else nullcontext():
        if base is not None:
            return base.again(asked.settings)
        return reader.run(asked.text, pair=asked.pair, pad_to=asked.pad)


def _sheet(of: Run) -> Sheet:
    side = side_for(of.n_layers * of.n_heads)
    layers = [of.attention(layer).weights for layer in range(of.n_layers)]
    return Sheet(
        shades=np.stack([pooled(weights.numpy(), side) for weights in layers]),
        entropies=np.stack([entropy(weights).numpy() for weights in layers]),
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
