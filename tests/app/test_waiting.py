"""A page that has to wait for somebody else's long text says so, and is drawn when its turn comes."""

import threading

from attention.ui import waiting
from attention.ui.turns import COSTLY_TOKENS, TURNS
from tests.app.screen import html, opened

PATIENCE = 60
LINK = {"model": "worked-example", "layer": "0", "head": "0"}


def test_a_page_that_waits_says_for_what_and_goes_on_by_itself(monkeypatch):
    has, may_end, said = threading.Event(), threading.Event(), []
    note = waiting._note

    def somebody():
        with TURNS.turn(COSTLY_TOKENS + 1):
            has.set()
            may_end.wait(PATIENCE)

    def told(before, colours):
        said.append(note(before, colours))
        may_end.set()
        return said[-1]

    monkeypatch.setattr(waiting, "_note", told)
    other = threading.Thread(target=somebody)
    other.start()
    assert has.wait(PATIENCE)
    app = opened(s="I learn " * 120, **LINK)
    other.join(PATIENCE)
    assert "Waiting for other long work to end: 1 before this page" in said[0]
    assert "Waiting for" not in html(app)
    assert "All heads" in html(app)
