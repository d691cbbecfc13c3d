"""What all readers share: models and runs, immutable, in stores bounded by bytes."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from attention.analysis import estimate
from attention.analysis.estimate import Rates
from attention.analysis.head_sums import HeadSums
from attention.analysis.strips import Pooled
from attention.checkpoints.catalog import CATALOG
from attention.checkpoints.fetch import Progress
from attention.engine.settings import Settings
from attention.engine.stack import OnLayer
from attention.model import Model, load
from attention.run import Run
from attention.sites import Site, SiteRun
from attention.ui.asked import Asked, OneHead, Which
from attention.ui.loading import Loading, Loadings
from attention.ui.models import names
from attention.ui.opened import Opened
from attention.ui.overview import Overview, make_overview
from attention.ui.stores import Store
from attention.ui.turns import COSTLY_TOKENS, TURNS, all_cores, on_one_core
from attention.ui.waiting import LAYERS, in_layers

MODEL_BYTES = 2 * 2**30
"""Every model of the catalog at once (1.7 GB), or the largest beside its shuffled control (2.1 GB)."""

N_CONTROLS = 2
"""Shuffled controls kept: anyone may ask for any seed, and each is as large as its model."""

RUN_BYTES = 1536 * 2**20
"""Two runs of SmolLM2 over its whole window (0.6 GB each), as it is and changed."""

OVERVIEW_BYTES = 64 * 2**20
POOLED_BYTES = 32 * 2**20
SUMS_BYTES = 32 * 2**20
N_RATES = 64
"""Models whose speed is kept."""


class _Stores:
    """One server's shared memory. A run keeps its model alive, so the two go together."""

    def __init__(self) -> None:
        self.loadings = Loadings[Model]()
        self.readings = Loadings[Run]()
        self.glances = Loadings[Overview]()
        self.opened = Opened()
        self.models = Store[Which, Model](MODEL_BYTES, _model_bytes, self._drop_runs, lambda which: which[0])
        self.controls = Store[Which, Which](N_CONTROLS, lambda _: 1, self.models.drop)
        self.runs = Store[Asked, Run](RUN_BYTES, _run_bytes, model=lambda asked: asked.model)
        self.overviews = Store[tuple[Asked, Site], Overview](
            OVERVIEW_BYTES, lambda kept: kept.shades.nbytes, model=lambda key: key[0].model
        )
        self.sums = Store[OneHead, HeadSums](
            SUMS_BYTES, lambda kept: 64 * len(kept.received), model=lambda key: key[0].model
        )
        self.pooled = Store[tuple[Any, ...], Pooled](
            POOLED_BYTES, lambda kept: kept.values.nbytes, model=lambda key: key[0].model
        )
        self.rates = Store[str, Rates](N_RATES, lambda _: 1, model=lambda name: name)

    def _drop_runs(self, which: Which) -> None:
        for asked in self.runs.held():
            if asked.which == which:
                self.runs.drop(asked)


@st.cache_resource(show_spinner=False)
def _stores() -> _Stores:
    on_one_core()
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
    return _model(_stores(), name, shuffled, progress)


def found_model(name: str) -> Model | None:
    """A model that is open; None where it would have to be opened."""
    _stores().opened.renew(name)
    return _stores().models.find((name, None))


def _model(stores: _Stores, name: str, shuffled: int | None, progress: Progress | None) -> Model:
    if shuffled is None:
        return _original(stores, name, progress)
    stores.opened.renew(name)
    which = (name, shuffled)
    control = stores.models.once(which, lambda: _original(stores, name, progress).shuffled(shuffled))
    stores.controls.keep(which, which)
    return control


def run(asked: Asked) -> Run:
    """What a model does with a text. A changed run starts from the untouched one.

    Raises:
        AttentionError: The text or a setting is one the model cannot take.
    """
    return _run(_stores(), asked, None)


def found_run(asked: Asked) -> Run | None:
    """A run that is kept; None where it would have to be made."""
    return _stores().runs.find(asked)


def begin_run(asked: Asked) -> Loading[Run]:
    """A run on its way, in a thread of its own; whoever asks meanwhile watches the same one."""
    stores, reader = _stores(), model(asked.model, shuffled=asked.shuffled)
    n_layers = reader.config.n_layers + (reader.encoder_config.n_layers if reader.encoder_config else 0)

    def make(report: Progress) -> Run:  # in a thread without a session: no Streamlit in here
        with in_layers(report, n_layers) as on_layer:
            return _run(stores, asked, on_layer)

    return stores.readings.join(asked, LAYERS, make)


def overview(asked: Asked, site: Site = "self") -> Overview:
    """All heads of one kind of attention at a glance, and the checks on it."""
    return _overview(_stores(), asked, site, None)


def found_overview(asked: Asked, site: Site = "self") -> Overview | None:
    """An overview that is kept; None where it would have to be made."""
    return _stores().overviews.find((asked, site))


def begin_overview(asked: Asked, site: Site = "self") -> Loading[Overview]:
    """An overview on its way, in a thread of its own."""
    stores, reader = _stores(), model(asked.model, shuffled=asked.shuffled)
    config = (reader.encoder_config if site == "encoder" else None) or reader.config

    def make(report: Progress) -> Overview:  # as above
        with in_layers(report, config.n_layers) as on_layer:
            return _overview(stores, asked, site, on_layer)

    return stores.glances.join((asked, site), LAYERS, make)


def rates(name: str) -> Rates:
    """How fast this machine is at a model, tried out once."""

    def make() -> Rates:
        with all_cores():
            return estimate.rates(model(name))

    return _stores().rates.once(name, make)


def head_sums(of: OneHead, make: Callable[[], HeadSums]) -> HeadSums:
    """What the rows of one head come to, made once."""
    return _stores().sums.once(of, make)


def pooled(of: tuple[Any, ...], make: Callable[[], Pooled]) -> Pooled:
    """A head's weights in blocks, made once.

    Args:
        of: What they depend on; the run first.
        make: Makes them.
    """

    def in_turn() -> Pooled:
        with TURNS.turn(COSTLY_TOKENS + 1):  # only long texts are pooled
            return make()

    return _stores().pooled.once(of, in_turn)


def _run(stores: _Stores, asked: Asked, on_layer: OnLayer | None) -> Run:
    made = stores.runs.once(asked, lambda: _made_run(stores, asked, on_layer))
    # Asked for after the run was kept: a model that went meanwhile took along only what was there.
    if stores.models.find(asked.which) is not made.model:
        stores.runs.drop(asked)
    return made


def _made_run(stores: _Stores, asked: Asked, on_layer: OnLayer | None) -> Run:
    if asked.settings != Settings():
        base = _run(stores, asked.untouched, on_layer)
        with TURNS.turn(len(base.tokens)):
            return base.again(asked.settings, on_layer=on_layer)
    reader = _model(stores, asked.model, asked.shuffled, None)
    n_tokens = len(reader.tokenize(asked.text, asked.pair))
    with TURNS.turn(max(n_tokens, asked.pad or 0)):
        return reader.run(
            asked.text, pair=asked.pair, target=asked.target, pad_to=asked.pad, on_layer=on_layer
        )


def _overview(stores: _Stores, asked: Asked, site: Site, on_layer: OnLayer | None) -> Overview:
    def make() -> Overview:
        of = SiteRun(_run(stores, asked, on_layer), site)
        with TURNS.turn(max(len(of.queries), len(of.keys))):
            return make_overview(of, on_layer)

    return stores.overviews.once((asked, site), make)


def _original(stores: _Stores, name: str, progress: Progress | None) -> Model:
    files = stores.opened.renew(name)
    found = stores.models.find((name, None))
    if found is not None:
        return found

    def load_once(report: Progress) -> Model:  # in a thread without a session: no Streamlit in here
        read = partial(stores.opened.read, name, lambda: _load(name, report))
        return stores.models.once((name, None), read)

    # Who comes when the files have been replaced meanwhile is not handed the load of the old ones.
    return stores.loadings.join((name, files), f"Opening {name}", load_once).watch(progress)


def _load(name: str, progress: Progress) -> Model:
    with all_cores():
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
