"""A page that has to wait for somebody else's work says so, and is drawn when that has ended."""

import threading
from contextlib import contextmanager

import pytest
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from attention.ui import cache, waiting
from attention.ui.asked import Asked
from attention.ui.turns import COSTLY_TOKENS, TURNS
from tests.app.screen import button, checked, html, opened

PATIENCE = 60
TOY = "worked-example"
LINK = {"model": TOY, "layer": "0", "head": "0"}
IN_LINE = "Waiting for other long work to end: 1 before this page"
SAME = "The same is being made already: waiting for it"


class Somebody:
    """A thread at work from the beginning of a `with` until it is let go."""

    def __init__(self, work):
        self.at_work, self.may_end = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=work, args=(self,))

    def __enter__(self):
        self.thread.start()
        assert self.at_work.wait(PATIENCE)
        return self

    def __exit__(self, *_):
        self.may_end.set()
        self.thread.join(PATIENCE)

    def works(self):
        self.at_work.set()
        self.may_end.wait(PATIENCE)


def has_the_turn(somebody):
    with TURNS.turn(COSTLY_TOKENS + 1):
        somebody.works()


def reads(text):
    """Somebody who reads a text and is long about it."""
    asked, stores = Asked(model=TOY, text=text), cache._stores()

    def work(somebody):
        def slowly():
            somebody.works()
            return cache._made_run(stores, asked, None)

        stores.runs.once(asked, slowly)

    return Somebody(work)


@pytest.fixture
def notes(monkeypatch):
    """What a page's foot says while somebody is at work, who is let go by that."""

    @contextmanager
    def while_at_work(somebody):
        said, note = [], waiting._note

        def told(ahead, colours):
            said.append(note(ahead, colours))
            somebody.may_end.set()
            return said[-1]

        monkeypatch.setattr(waiting, "_note", told)
        with somebody:
            yield said

    return while_at_work


def test_a_page_that_waits_says_for_what_and_goes_on_by_itself(notes):
    with notes(Somebody(has_the_turn)) as said:
        app = opened(s="I learn " * 120, **LINK)
    assert IN_LINE in said[0]
    assert "Waiting for" not in html(app)
    assert "All heads" in html(app)


def test_a_page_that_waits_for_what_another_reads_says_so(notes):
    text = " ".join(["I learn"] * 130)
    with notes(reads(text)) as said:
        app = opened(s=text, **LINK)
    assert SAME in said[0]
    assert SAME not in html(app)
    assert "All heads" in html(app)


def test_the_export_menu_says_so_by_itself(notes):
    """Opened, it is all of the page that runs."""

    def menu():
        from attention.figures.theme import LIGHT
        from attention.ui.export_menu import export_menu
        from attention.ui.scene import scene
        from attention.ui.view import ViewState

        text = " ".join(["learn I"] * 120)
        export_menu(scene(ViewState(model="worked-example", text=text, layer=0, head=0)), LIGHT)

    app = checked(AppTest.from_function(menu, default_timeout=PATIENCE).run())
    app.session_state["export.menu"] = True
    with notes(Somebody(has_the_turn)) as said:
        app.run()
    assert IN_LINE in said[0]
    assert "Waiting for" not in html(checked(app))
    assert "PNG" in [one.proto.label for one in app.get("download_button")]


def test_a_bar_says_it_without_a_count(long_from_five, monkeypatch):
    text, said, progress = "I learn I learn I", [], DeltaGenerator.progress

    def told(bar, value, text):
        said.append(text)
        if text == SAME:
            somebody.may_end.set()
        return progress(bar, value, text)

    monkeypatch.setattr(DeltaGenerator, "progress", told)
    app = opened(s=text, **LINK)
    with reads(text) as somebody:
        app = checked(button(app, "Read all 5 tokens").click().run())
    assert SAME in said
    assert cache.found_run(Asked(model=TOY, text=text)) is not None
