"""The browser opens when there is something to see, and not before."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from attention.ui import browser


class Health(BaseHTTPRequestHandler):
    """A server that is well from the second time it is asked."""

    def do_GET(self):
        self.server.asked.append(self.path)
        self.send_response(200 if len(self.server.asked) > 1 else 503)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def opened(monkeypatch):
    addresses = []
    monkeypatch.setattr(browser.webbrowser, "open", addresses.append)
    monkeypatch.setattr(browser, "PAUSE_SECONDS", 0.01)
    return addresses


def test_the_page_opens_once_the_server_is_well(opened):
    with HTTPServer(("localhost", 0), Health) as server:
        server.asked = []
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        browser.open_when_ready(lambda: server.server_port).join(20)
        server.shutdown()
    assert server.asked == ["/_stcore/health"] * 2
    assert opened == [f"http://localhost:{server.server_port}"]


def test_nothing_opens_where_nothing_ever_answers(opened, monkeypatch):
    monkeypatch.setattr(browser, "TRIES", 3)
    with HTTPServer(("localhost", 0), Health) as server:
        free = server.server_port
    thread = browser.open_when_ready(lambda: free)
    thread.join(20)
    assert not thread.is_alive()
    assert not opened
