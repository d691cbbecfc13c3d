"""What sessions share: bounded by bytes, made once for all who ask."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from attention import Settings, masks
from attention.checkpoints import CATALOG
from attention.model import load
from attention.ui import cache
from attention.ui.asked import Asked
from attention.ui.loading import CancelledError
from attention.ui.scene import scene
from attention.ui.scene_steps import projection_params, states
from attention.ui.stores import Store
from attention.ui.turns import COSTLY_TOKENS, Turns
from attention.ui.view import ViewState
from tests.app.translators import SOURCE, TARGET, write

TOY = "worked-example"
LEARN = Asked(model=TOY, text="I learn")
PATIENCE = 20


@pytest.fixture
def stores(monkeypatch):
    """Fresh stores; call it again after the limits have changed."""

    def fresh():
        made = cache._Stores()
        monkeypatch.setattr(cache, "_stores", lambda: made)
        return made

    fresh()
    return fresh


@pytest.fixture
def loads(monkeypatch):
    """Every load there was; any name gives the toy under that name."""
    names = []

    def loaded(name, progress):
        names.append(name)
        return replace(load(TOY), name=name)

    monkeypatch.setattr(cache, "_load", loaded)
    return names


def toy_bytes():
    return cache._model_bytes(load(TOY))


def both(ask):
    """What two threads get that ask at the same time."""
    gate = threading.Barrier(2)

    def wait_and_ask(_):
        gate.wait(PATIENCE)
        return ask()

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(wait_and_ask, range(2)))


def test_a_store_keeps_what_was_used_last_within_its_bytes():
    dropped = []
    store = Store(10, len, dropped.append)
    store.keep("a", "12345")
    store.keep("b", "12345")
    assert store.find("a") == "12345"
    store.keep("c", "1234")
    assert set(store.held()) == {"a", "c"}
    assert dropped == ["b"]
    store.keep("d", "12345678901")
    assert set(store.held()) == {"a", "c"}


def test_every_model_of_the_catalog_fits_and_the_largest_beside_its_control():
    sizes = [model.n_bytes_in_memory for model in CATALOG.values()]
    assert max(sum(sizes), 2 * max(sizes)) <= cache.MODEL_BYTES


def test_a_model_that_goes_takes_its_runs_along(stores, loads, monkeypatch):
    monkeypatch.setattr(cache, "MODEL_BYTES", 2 * toy_bytes())
    kept = stores()
    first, second, third = (Asked(model=name, text="I learn") for name in ("one", "two", "three"))
    in_use = cache.run(first)
    cache.run(replace(first, settings=Settings(mask=masks.Causal())))
    cache.run(second)
    cache.run(third)
    assert set(kept.models.held()) == {("two", None), ("three", None)}
    assert set(kept.runs.held()) == {second, third}
    assert in_use.attention(0).weights.shape == (1, 2, 2)
    assert cache.run(first) is not in_use


def test_reading_a_kept_run_counts_as_using_its_model(stores, loads, monkeypatch):
    monkeypatch.setattr(cache, "MODEL_BYTES", 2 * toy_bytes())
    kept = stores()
    for name in ("one", "two", "one", "three"):
        cache.run(Asked(model=name, text="I learn"))
    assert set(kept.models.held()) == {("one", None), ("three", None)}
    assert loads == ["one", "two", "three"]


def test_a_run_is_not_kept_when_its_model_went_meanwhile(stores, monkeypatch):
    kept = stores()
    read = cache._made_run

    def read_and_lose(of, asked, on_layer):
        made = read(of, asked, on_layer)
        of.models.drop(asked.which)
        return made

    monkeypatch.setattr(cache, "_made_run", read_and_lose)
    assert cache.run(LEARN).tokens
    assert not kept.runs.held()


def test_few_shuffled_controls_are_kept_the_last_used_ones(stores):
    kept = stores()
    for seed in (0, 1, 0, 2):
        cache.run(replace(LEARN, shuffled=seed))
        cache.model(TOY, shuffled=seed)
    assert set(kept.models.held()) == {(TOY, None), (TOY, 0), (TOY, 2)}
    assert {asked.shuffled for asked in kept.runs.held()} == {0, 2}


def test_an_overview_is_made_once_for_two_who_ask_at_once(stores, monkeypatch):
    made, own = [], cache.make_overview

    def slowly(of, on_layer):
        made.append(of)
        threading.Event().wait(0.2)
        return own(of, on_layer)

    monkeypatch.setattr(cache, "make_overview", slowly)
    one, other = both(lambda: cache.overview(LEARN))
    assert one is other
    assert len(made) == 1


@pytest.mark.parametrize(
    "asked",
    [
        replace(LEARN, text="I " * 201),
        replace(LEARN, text="I", pair="learn " * 201),
        replace(LEARN, pad=201),
        replace(LEARN, pad=201, settings=Settings(mask=masks.Causal())),
    ],
)
def test_whatever_makes_a_run_long_makes_it_and_its_overview_take_turns(stores, monkeypatch, asked):
    toy = load(TOY)
    padded = replace(
        toy, checkpoint=replace(toy.checkpoint, config={**toy.checkpoint.config, "pad_token_id": 0})
    )
    monkeypatch.setattr(cache, "_load", lambda name, progress: padded)
    stores()
    turns = []

    class Counted(Turns):
        @contextmanager
        def _in_line(self):
            turns.append("taken")
            yield

    monkeypatch.setattr(cache, "TURNS", Counted())
    cache.run(LEARN)
    assert not turns
    run = cache.run(asked)
    n_before = len(turns)
    assert n_before == (1 if asked.settings == Settings() else 2)
    cache.overview(asked)
    assert len(turns) == n_before + 1
    assert len(run.tokens) > COSTLY_TOKENS


def test_no_session_can_write_into_what_all_share(stores):
    shown = scene(ViewState(model=TOY, text="I learn", layer=0, head=0))
    overview = cache.overview(shown.asked)
    arrays = [
        overview.shades,
        overview.entropies,
        *(held for held in vars(shown.head).values() if isinstance(held, np.ndarray)),
    ]
    for side in ("query", "key", "value"):
        matrices, bias = projection_params(shown, side)
        arrays += [*matrices.values(), *([] if bias is None else [bias])]
    arrays += [vector for side in ("query", "key") for _, vector in states(shown, side)]
    assert len(arrays) > 15
    assert not any(array.flags.writeable for array in arrays)


def test_a_long_run_is_told_layer_by_layer_and_called_off_by_who_wants_to(stores, monkeypatch):
    stores()
    seen, go_on = [], threading.Event()
    reader = load("minilm")
    monkeypatch.setattr(cache, "_load", lambda name, progress: reader)
    asked = Asked(model="minilm", text="The dog chased the cat.")
    read = cache._made_run

    def slowly(of, asked, on_layer):
        def listen(done, n_layers):
            if done == 2:
                go_on.wait(PATIENCE)
            on_layer(done, n_layers)

        return read(of, asked, listen)

    monkeypatch.setattr(cache, "_made_run", slowly)
    loading = cache.begin_run(asked)

    def told(what, done, total):
        seen.append((what, done, total))
        if done == 1:
            assert cache.begin_run(asked) is loading
            loading.call_off()
            go_on.set()

    with pytest.raises(CancelledError):
        loading.watch(told)
    assert ("Layers", 1, 6) in seen
    assert cache.found_run(asked) is None
    assert cache.begin_run(asked).watch() is cache.found_run(asked)


def test_an_overview_begun_is_the_one_that_is_kept(stores):
    stores()
    assert cache.found_overview(LEARN) is None
    assert cache.begin_overview(LEARN).watch() is cache.overview(LEARN)


def test_a_text_that_is_no_longer_kept_is_read_by_the_overview_s_thread_and_may_be_called_off(
    stores, monkeypatch
):
    stores()
    reader, threads, go_on, seen = load("minilm"), [], threading.Event(), []
    monkeypatch.setattr(cache, "_load", lambda name, progress: reader)
    asked, read = Asked(model="minilm", text="The dog chased the cat."), cache._made_run

    def slowly(of, asked, on_layer):
        threads.append(threading.get_ident())

        def listen(done, n_layers):
            if done == 2:
                assert go_on.wait(PATIENCE)
            on_layer(done, n_layers)

        return read(of, asked, listen)

    monkeypatch.setattr(cache, "_made_run", slowly)
    loading = cache.begin_overview(asked)

    def told(*at):
        seen.append(at)
        if at[1] == 1:
            loading.call_off()
            go_on.set()

    with pytest.raises(CancelledError):
        loading.watch(told)
    assert ("Layers", 1, 6) in seen
    assert threading.get_ident() not in threads
    assert cache.found_run(asked) is None


@pytest.mark.parametrize(("site", "n_layers"), [("self", 6), ("cross", 6), ("encoder", 2)])
def test_the_bar_of_an_overview_counts_the_layers_that_have_such_attention(
    stores, monkeypatch, tmp_path, site, n_layers
):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    write(tmp_path, "tiny t5")
    stores()
    counted, own = [], cache.in_layers

    def listen(report, n_layers):
        counted.append(n_layers)
        return own(report, n_layers)

    monkeypatch.setattr(cache, "in_layers", listen)
    made = cache.begin_overview(Asked(model="tiny t5", text=SOURCE, target=TARGET), site).watch()
    assert counted == [n_layers] == [len(made.shades)]
