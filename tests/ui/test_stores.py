"""What is kept of a model goes when its files are others, wherever it is kept."""

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from attention.analysis.across import received_per_query
from attention.analysis.head_sums import head_sums
from attention.analysis.journey import journey
from attention.analysis.measured import measured
from attention.analysis.measures import BY_KEY
from attention.sites import SiteRun
from attention.ui import cache
from attention.ui.asked import Asked
from attention.ui.block.way import way
from attention.ui.heads.found import Source, heads_measured
from attention.ui.stores import Store, forget
from attention.ui.turns import while_waiting
from tests.toys import toy

WORDS = ("[UNK]", "I", "learn", "slowly")
ASKED = Asked(model="small", text="I learn slowly")
DISTANCE = BY_KEY["distance"]
PATIENCE = 20


def made_from(seed):
    return toy(seed, mask="causal", d_vocab=len(WORDS), positions=False)


def put(root, seed):
    """The model's folder, with other parameters for another seed."""
    model = made_from(seed)
    folder = root / "small"
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(dict(model.checkpoint.config)))
    save_file(dict(model.checkpoint.tensors), folder / "model.safetensors")
    os.utime(folder / "model.safetensors", (seed, seed))
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))


def kept():
    """Numbers as pages have them, and the run they should be of."""
    cache.model("small")
    run = cache.run(ASKED)
    one = run.attention(1).head(2)
    sums = cache.head_sums((ASKED, "self", 1, 2), lambda: head_sums(one, [], 3))
    step = way(ASKED, "self", run, 1).steps[0]
    distance = heads_measured(Source(ASKED, "self", False)).value(DISTANCE, 1, 2)
    return run, (sums.received, step.written, distance)


def fresh(run):
    one = run.attention(1).head(2)
    received = received_per_query(one.weights[0].double(), one.mask)
    return received, journey(run).of(1)[0].written, measured(run).value(DISTANCE, 1, 2)


def test_numbers_of_a_model_whose_files_changed_are_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    put(tmp_path, 5)
    run, before = kept()
    assert before == fresh(run)
    put(tmp_path, 9)
    run, after = kept()
    assert after == fresh(run)
    assert all(now != then for now, then in zip(after, before, strict=True))


def test_only_what_that_model_made_is_forgotten():
    store = Store[tuple[str, int], str](9, lambda _: 1, model=lambda key: key[0])
    unknown = Store[str, str](9, lambda _: 1)
    for key in (("one", 1), ("one", 2), ("two", 1)):
        store.keep(key, "made")
    unknown.keep("one", "made")
    forget("one")
    assert store.held() == (("two", 1),)
    assert unknown.held() == ("one",)


def by_model():
    """A store of things of a model."""
    return Store[str, str](9, lambda _: 1, model=lambda key: key)


def test_what_a_model_makes_while_it_is_forgotten_is_handed_out_and_not_kept():
    store = by_model()
    assert store.once("one", lambda: forget("one") or "old") == "old"
    assert store.find("one") is None
    assert store.once("two", lambda: forget("one") or "two's") == "two's"
    assert store.held() == ("two",)
    assert store.once("one", lambda: "new") == "new"
    assert store.find("one") == "new"


def test_who_waited_while_it_was_forgotten_keeps_nothing_either():
    """What it makes the thing from may be as old."""
    store, begun, go_on = by_model(), threading.Event(), threading.Event()

    def slowly():
        begun.set()
        assert go_on.wait(PATIENCE)
        return "old"

    def forget_and_go_on(ahead):
        forget("one")
        go_on.set()

    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(store.once, "one", slowly)
        assert begun.wait(PATIENCE)
        with while_waiting(forget_and_go_on):
            assert store.once("one", lambda: "old too") == "old too"
        assert first.result(PATIENCE) == "old"
    assert store.held() == ()


def test_what_is_begun_before_all_is_dropped_is_not_kept():
    results, threads, begun, go_on = by_model(), ThreadPoolExecutor(1), threading.Event(), threading.Event()

    def slowly():
        begun.set()
        assert go_on.wait(PATIENCE)
        return "old"

    def begin(key):
        threads.submit(results.once, key, slowly)
        assert begun.wait(PATIENCE)

    models = Store[str, str](9, lambda _: 1, begin, model=lambda key: key)
    models.keep("one", "it")
    forget("one")
    go_on.set()
    threads.shutdown()
    assert results.held() == models.held() == ()


def test_all_heads_of_a_model_that_is_replaced_meanwhile_are_drawn_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    put(tmp_path, 5)
    cache._stores.clear()
    own = cache.make_overview

    def replaced(of, on_layer):
        made = own(of, on_layer)
        monkeypatch.setattr(cache, "make_overview", own)
        put(tmp_path, 9)
        cache.model("small")
        return made

    monkeypatch.setattr(cache, "make_overview", replaced)
    before, after = cache.overview(ASKED).shades, cache.overview(ASKED).shades
    assert (after != before).any()
    np.testing.assert_array_equal(after, own(SiteRun(cache.run(ASKED))).shades)


def test_files_that_are_replaced_while_they_are_read_are_read_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    put(tmp_path, 5)
    cache._stores.clear()
    own, is_read, go_on = cache._load, threading.Event(), threading.Event()

    def slowly(name, progress):
        loaded = own(name, progress)
        is_read.set()
        assert go_on.wait(PATIENCE)
        return loaded

    monkeypatch.setattr(cache, "_load", slowly)
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(cache.model, "small")
        assert is_read.wait(PATIENCE)
        put(tmp_path, 9)
        second = cache.model("small", progress=lambda *_: go_on.set())
        assert is_of(first.result(PATIENCE), 5)
    assert is_of(second, 9)
    assert cache.model("small") is second


def is_of(model, seed):
    """Whether a model has the parameters of that seed."""
    name = "layers.0.w_q"
    read, wanted = (of.checkpoint.tensors[name].float() for of in (model, made_from(seed)))
    return torch.equal(read, wanted)
