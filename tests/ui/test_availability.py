"""What the page shows while a model is on its way, and when it cannot be had."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.testing.v1 import AppTest

from attention import CheckpointError
from attention.model import load
from attention.ui import availability, cache


def page(name):
    import streamlit as st

    from attention.ui import availability
    from attention.ui.view import ViewState

    availability.notice()
    if availability.missing() is None:
        st.write(availability.open_model(ViewState(model=name)).name)


@pytest.fixture
def loads(monkeypatch):
    """What loads a model, to be put in place by the test; the stores are fresh."""
    made = cache._Stores()
    monkeypatch.setattr(cache, "_stores", lambda: made)
    return lambda load_one: monkeypatch.setattr(cache, "_load", load_one)


def shown(name):
    return AppTest.from_function(page, kwargs={"name": name}, default_timeout=30)


def fails(*_):
    raise CheckpointError("no network")


def test_a_model_that_is_here_leaves_no_bar(loads):
    app = shown("worked-example").run()
    assert app.markdown[0].value == "worked-example"
    assert not app.get("progress")


def test_a_run_that_is_stopped_leaves_the_download_going_and_the_next_one_watches_on(loads):
    tries, go_on = [], threading.Event()

    def slow(name, progress):
        tries.append(name)
        while not go_on.wait(0.1):
            progress("Fetching a.bin", 30_000_000, 60_000_000)
        return load("worked-example")

    loads(slow)
    stopped = shown("slow")
    with pytest.raises(RuntimeError, match="timed out"):
        stopped.run(timeout=1)
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: (threading.Event().wait(1), go_on.set()))
        assert shown("slow").run().markdown[0].value == "worked-example"
    assert tries == ["slow"]


def test_the_bar_says_what_is_done_and_how_much_of_it(loads):
    drawn = []

    class Room:
        def progress(self, share, text):
            drawn.append((share, text))

    show = availability._bar(Room())
    show("Opening minilm", 0, 0)
    show("Fetching a.bin", 30_000_000, 60_000_000)
    show("Fetching a.bin", 70_000_000, 60_000_000)
    assert drawn == [
        (0.0, "Opening minilm"),
        (0.5, "Fetching a.bin 30 of 60 MB"),
        (1.0, "Fetching a.bin 70 of 60 MB"),
    ]


def test_a_chosen_model_that_cannot_be_had_says_why_on_the_page(loads):
    loads(fails)
    app = shown("smollm2").run()
    assert [error.value for error in app.error] == ["no network"]
    assert not app.get("progress")


def test_without_the_first_model_the_reason_stays_until_one_tries_again(loads):
    loads(fails)
    app = shown("minilm").run()
    assert [warning.value for warning in app.warning] == ["no network"]
    loads(lambda *_: load("worked-example"))
    assert app.run().warning
    app.button[0].click().run()
    assert not app.warning
    assert app.markdown[0].value == "worked-example"
