"""A running app and a real Chromium for the tests in this folder.

`page` (or `dark_page`) is a fresh window; `server` is the app that all tests share, `fresh_server` one that
nobody has asked anything yet; `settled(page)` waits until Streamlit has drawn its answer. A page with an
error in its console, a traceback on it, or a request to another host fails its test, whatever that looks at.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import CHROMIUM_FLAGS, SETTLED, WATCH, Complaints
from tests.browser.chromium import find_chromium as _chromium
from tests.browser.serving import RESULTS, Server, running_server

Theme: TypeAlias = Literal["light", "dark"]

SETTLE_SECONDS = 60


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test in this folder is a browser test, and they come last: what is quick should fail first."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One app for all the tests that do not mind who asked before them."""
    with running_server() as running:
        yield running


@pytest.fixture
def fresh_server() -> Iterator[Server]:
    """An app that has not been asked for anything yet."""
    with running_server() as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the session; each test gets a context of its own."""
    as_root = os.name == "posix" and os.geteuid() == 0
    flags = [*CHROMIUM_FLAGS, *(["--no-sandbox"] if as_root else [])]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=_chromium(playwright), args=flags)
        yield running
        running.close()


@contextmanager
def _window(browser: Browser, request: pytest.FixtureRequest, theme: Theme) -> Iterator[Page]:
    named = {"server", "fresh_server"}.intersection(request.fixturenames)
    servers = [request.getfixturevalue(name) for name in named]  # first, so that they stop after the window
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme=theme, reduced_motion="reduce"
    )
    context.add_init_script(WATCH)
    page = context.new_page()
    complaints = Complaints()
    complaints.watch(page)
    yield page
    if page.get_by_test_id("stException").count():
        complaints += [
            "a traceback on the page; the server said:",
            *(server.last_words() for server in servers),
        ]
    RESULTS.mkdir(exist_ok=True)
    page.screenshot(path=RESULTS / (re.sub(r"\W+", "_", request.node.name) + ".png"))
    context.close()
    assert not complaints, "\n".join(complaints)


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A new window, 1440 × 900, in the light theme; its last sight is kept in test-results/."""
    with _window(browser, request, "light") as window:
        yield window


@pytest.fixture
def dark_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A new window whose reader prefers dark."""
    with _window(browser, request, "dark") as window:
        yield window


def _settled(page: Page) -> None:
    page.wait_for_function(SETTLED, timeout=SETTLE_SECONDS * 1000)


@pytest.fixture
def settled() -> Callable[[Page], None]:
    """`settled(page)`: wait until Streamlit has run and the page shows the result."""
    return _settled
