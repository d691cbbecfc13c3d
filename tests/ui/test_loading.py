"""Models on their way: loaded once for all who watch, whoever leaves, and tried again after a failure."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from attention import CheckpointError
from attention.model import load
from attention.ui import cache
from attention.ui.loading import CancelledError, Loadings

TOY = "worked-example"
PATIENCE = 20


@pytest.fixture(autouse=True)
def stores(monkeypatch):
    """Fresh stores."""
    made = cache._Stores()
    monkeypatch.setattr(cache, "_stores", lambda: made)


def both(ask):
    """What two threads get that ask at the same time."""
    gate = threading.Barrier(2)

    def wait_and_ask(_):
        gate.wait(PATIENCE)
        return ask()

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(wait_and_ask, range(2)))


def test_two_sessions_that_ask_at_once_cause_one_load_and_see_the_same_progress(monkeypatch):
    seen, go_on = [], threading.Event()
    loads = []

    def slow(name, progress):
        loads.append(name)
        progress("Fetching", 1, 3)
        go_on.wait(PATIENCE)
        return load(TOY)

    def told(*at):
        seen.append((threading.get_ident(), *at))
        if len({who for who, *_ in seen}) == 2:
            go_on.set()

    monkeypatch.setattr(cache, "_load", slow)
    one, other = both(lambda: cache.model("slow", progress=told))
    assert one is other
    assert loads == ["slow"]
    assert ("Fetching", 1, 3) in {tuple(at) for _, *at in seen}


def test_a_session_that_leaves_lets_the_load_go_on(monkeypatch):
    go_on, loads = threading.Event(), []

    def slow(name, progress):
        loads.append(name)
        go_on.wait(PATIENCE)
        return load(TOY)

    def click(*_):
        raise InterruptedError

    monkeypatch.setattr(cache, "_load", slow)
    with pytest.raises(InterruptedError):
        cache.model("slow", progress=click)
    threading.Timer(0.3, go_on.set).start()
    assert cache.model("slow", progress=lambda *_: None)
    assert loads == ["slow"]


def test_another_model_waits_for_no_download(monkeypatch):
    go_on, begun, own = threading.Event(), threading.Event(), cache._load

    def slow(name, progress):
        if name == TOY:
            return own(name, progress)
        begun.set()
        assert go_on.wait(PATIENCE)
        return load(TOY)

    monkeypatch.setattr(cache, "_load", slow)
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(cache.model, "slow")
        assert begun.wait(PATIENCE)
        assert cache.model(TOY).name == TOY
        assert not waiting.done()
        go_on.set()
        assert waiting.result(PATIENCE)


def test_a_failure_is_told_to_all_who_watch_and_tried_again_by_who_comes_later(monkeypatch):
    tries, watching, both_here = [], threading.Barrier(2), threading.Event()

    def fails_once(name, progress):
        tries.append(name)
        if len(tries) > 1:
            return load(TOY)
        both_here.wait(PATIENCE)
        raise CheckpointError("no network")

    def told(*_):
        watching.wait(PATIENCE)
        both_here.set()

    def why():
        with pytest.raises(CheckpointError) as caught:
            cache.model("gone", progress=told)
        return str(caught.value)

    monkeypatch.setattr(cache, "_load", fails_once)
    assert both(why) == ["no network"] * 2
    assert tries == ["gone"]
    assert cache.model("gone")
    assert len(tries) == 2


def test_what_was_called_off_is_begun_anew_before_it_has_ended():
    loadings, first, ended = Loadings(), threading.Event(), threading.Event()

    def waits(report):
        first.set()
        assert ended.wait(PATIENCE)
        report("what", 1, 2)

    called_off = loadings.join("key", "what", waits)
    assert first.wait(PATIENCE)
    called_off.call_off()
    go_on = threading.Event()
    again = loadings.join("key", "what", lambda _: go_on.wait(PATIENCE))
    ended.set()
    with pytest.raises(CancelledError):
        called_off.watch()
    assert loadings.join("key", "what", waits) is again
    go_on.set()
    assert again.watch() is True


def test_a_load_never_leaves_its_watchers_waiting():
    def killed(_):
        raise SystemExit

    with pytest.raises(SystemExit):
        Loadings().join("key", "what", killed).watch()


def test_a_load_under_way_can_clear_up_when_the_server_ends(tmp_path):
    script = f"""
import pathlib, threading, time
from attention.ui.loading import Loadings
from attention.ui.scene import scene
from attention.ui.scene_steps import projection_params, states
begun = threading.Event()
def make(report):
    try:
        while True:
            report("Fetching", 1, 2)
            begun.set()
            time.sleep(0.01)
    finally:
        pathlib.Path({str(tmp_path / "cleared")!r}).touch()
Loadings().join("key", "what", make)
begun.wait({PATIENCE})
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
    assert (tmp_path / "cleared").exists()
