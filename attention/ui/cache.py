"""What all readers share: models and runs, immutable, in stores bounded by bytes."""

from __future__ import annotations

import gc
import os
import threading
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from attention.analysis.checks import row_sum_deviation, visible_difference
from attention.analysis.heads import entropy
from attention.checkpoints.catalog import CATALOG
from attention.checkpoints.fetch import Progress
from attention.engine.settings import Settings
from attention.model import Model, load
from attention.run import Run
from attention.sites import Site, SiteRun
from attention.ui.arrays import fixed
from attention.ui.components.head_sheet import pooled, side_for
from attention.ui.loading import Loadings
from attention.ui.models import names
from attention.ui.stores import Store

MODEL_BYTES = 2 * 2**30
"""Every model of the catalog at once (1.7 GB), or the largest beside its shuffled control (2.1 GB)."""

N_CONTROLS = 2
"""Shuffled controls kept: anyone may ask for any seed, and each is as large as its model."""

RUN_BYTES = 256 * 2**20
OVERVIEW_BYTES = 64 * 2**20

COSTLY_TOKENS = 200
"""Runs longer than this take turns, so that one reader's long text does not stall the others."""

Which: TypeAlias = tuple[str, int | None]
"""A model: its name, and the seed where it is a shuffled control."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Everything a run depends on."""

    model: str
    text: str
    pair: str | None = None
    target: str | None = None
    pad: int | None = None
    shuffled: int | None = None
    settings: Settings = field(default_factory=Settings)

    @property
    def which(self) -> Which:
        """The model that reads."""
        return self.model, self.shuffled

    @property
    def untouched(self) -> Asked:
        """The same text under the model's own attention."""
        return replace(self, settings=Settings())


@dataclass(frozen=True, eq=False, kw_only=True)
class Overview:
    """What is shown of one kind of attention of a run, whichever head is chosen.

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


class _Stores:
    """One server's shared memory. A run keeps its model alive, so the two go together."""

    def __init__(self) -> None:
        self.loadings = Loadings[Model]()
        self.models = Store[Which, Model](MODEL_BYTES, _model_bytes, self._drop_runs)
        self.controls = Store[Which, Which](N_CONTROLS, lambda _: 1, self.models.drop)
        self.runs = Store[Asked, Run](RUN_BYTES, _run_bytes)
        self.overviews = Store[tuple[Asked, Site], Overview](OVERVIEW_BYTES, lambda kept: kept.shades.nbytes)
        self._turn = threading.Lock()

    def turn(self, n_tokens: int) -> AbstractContextManager[object]:
        """What is held while that many tokens are worked on."""
        return self._turn if n_tokens > COSTLY_TOKENS else nullcontext()

    def _drop_runs(self, which: Which) -> None:
        for asked in self.runs.held():
            if asked.which == which:
                self.runs.drop(asked)


@st.cache_resource(show_spinner=False)
def _stores() -> _Stores:
    torch.set_num_threads(min(4, os.cpu_count() or 1))
    return _Stores()


def model(name: str, *, shuffled: int | None = None, progress: Progress | None = None) -> Model:
    """A loaded model; fetched first when it is not here, in a thread that outlives this script's run.

    Args:
        name: Its name in the catalog.
        shuffled: Seed of the control model with shuffled parameters; None is the model itself.
        progress: Told how far a download is, whoever began it. It may end the waiting by an exception.

    Raises:
        AttentionError: It cannot be had.
    """
    stores = _stores()
    if shuffled is None:
        return _original(stores, name, progress)
    which = (name, shuffled)
    control = stores.models.once(which, lambda: _original(stores, name, progress).shuffled(shuffled))
    stores.controls.keep(which, which)
    return control


def run(asked: Asked) -> Run:
    """What a model does with a text. A changed run starts from the untouched one.

    Raises:
        AttentionError: The text or a setting is one the model cannot take.
    """
    stores = _stores()
    made = stores.runs.once(asked, lambda: _run(stores, asked))
    # Asked for after the run was kept: a model that went meanwhile took along only what was there.
    if stores.models.find(asked.which) is not made.model:
        stores.runs.drop(asked)
    return made


def overview(asked: Asked, site: Site = "self") -> Overview:
    """All heads of one kind of attention at a glance, and the checks on it."""
    stores = _stores()
    return stores.overviews.once((asked, site), lambda: _overview(stores, SiteRun(run(asked), site)))


def _run(stores: _Stores, asked: Asked) -> Run:
    if asked.settings != Settings():
        base = run(asked.untouched)
        with stores.turn(len(base.tokens)):
            return base.again(asked.settings)
    reader = model(asked.model, shuffled=asked.shuffled)
    n_tokens = len(reader.tokenize(asked.text, asked.pair))
    with stores.turn(max(n_tokens, asked.pad or 0)):
        return reader.run(asked.text, pair=asked.pair, target=asked.target, pad_to=asked.pad)


def _overview(stores: _Stores, of: SiteRun) -> Overview:
    with stores.turn(max(len(of.queries), len(of.keys))):
        shades, entropies = _heads(of)
        return Overview(
            shades=shades,
            entropies=entropies,
            row_sum_deviation=row_sum_deviation(of.run, of.site),
            visible_difference=visible_difference(of.run, of.site),
        )


def _heads(of: SiteRun) -> tuple[NDArray[np.uint8], NDArray[np.floating[Any]]]:
    side = side_for(of.n_layers * of.n_heads)
    shades, entropies = [], []
    for layer in range(of.n_layers):
        weights = of.trace(layer).weights
        shades.append(pooled(weights.numpy(), side))
        entropies.append(entropy(weights).numpy())
    return fixed(np.stack(shades)), fixed(np.stack(entropies))


def _original(stores: _Stores, name: str, progress: Progress | None) -> Model:
    found = stores.models.find((name, None))
    if found is not None:
        return found

    def load_once(report: Progress) -> Model:  # in a thread without a session: no Streamlit in here
        return stores.models.once((name, None), lambda: _load(name, report))

    return stores.loadings.join(name, f"Opening {name}", load_once).watch(progress)


def _load(name: str, progress: Progress) -> Model:
    loaded = load(names.source(name), fetch=name in CATALOG, progress=progress)
    # Streamlit collects garbage after every rerun; over a loaded torch that costs 110 ms each time.
    gc.collect()
    gc.freeze()
    return loaded


def _model_bytes(model: Model) -> int:
    return sum(tensor.nbytes for tensor in model.checkpoint.tensors.values())


def _run_bytes(run: Run) -> int:
    own = sum(resid.nbytes for resid in (*run.resid_pre, run.stack_run.post, run.final))
    return own if run.encoder is None else own + _run_bytes(run.encoder)
