"""A running app and a real Chromium for the tests in this folder.

`page` (or `dark_page`) is a fresh window; `server` is the app that all tests share, `fresh_server` one that
nobody has asked anything yet; `settled(page)` waits until Streamlit has drawn its answer. A page with an
error in its console, a traceback on it, or a request to another host fails its test, whatever that looks at.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Request, sync_playwright

Theme: TypeAlias = Literal["light", "dark"]

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "test-results"
SYSTEM_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_SECONDS = 120  # a watchdog for a server that hangs, not a promise about speed
SETTLE_SECONDS = 60

# On a deep link Streamlit first asks for its server below the page's own path; the 404 is its answer.
LOOKING_FOR_ITS_SERVER = re.compile(r"^http://[^/]+/[^/]+/_stcore/(health|host-config)$")

CHROMIUM_FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NO_CHROMIUM = (
    "The browser tests need Chromium: install the system's package (apt install chromium), "
    "or run `.venv/bin/python -m playwright install chromium`."
)

# Notes when the page last spoke with the server and when somebody last touched it, on the page's own clock.
WATCH = """
window.watched = {sent: 0, received: 0, touched: 0};
const note = (what) => { window.watched[what] = performance.now(); };
window.WebSocket = class extends WebSocket {
  constructor(...address) { super(...address); this.addEventListener("message", () => note("received")); }
  send(message) { note("sent"); super.send(message); }
};
for (const what of ["keydown", "pointerdown", "pointerup", "input", "change"])
  window.addEventListener(what, () => note("touched"), true);
"""

# A slider and a text box wait up to 200 ms before they tell the server; hence 300 ms of quiet.
SETTLED = """() => {
  const {sent, received, touched} = window.watched;
  const app = document.querySelector('[data-testid="stApp"]');
  return app?.dataset.testScriptState === "notRunning"
    && app.dataset.testConnectionState === "CONNECTED"
    && received >= sent
    && performance.now() - Math.max(sent, received, touched) > 300
    && !document.querySelector('[data-testid="stSkeleton"], [data-stale="true"]')
    && document.fonts.status === "loaded";
}"""


@dataclass(frozen=True)
class Server:
    """A running `streamlit run app.py`."""

    url: str
    log: Path

    def at(self, path: str) -> str:
        """The address of a page, such as `/worked-example?s=Hello`."""
        return self.url + path

    def last_words(self) -> str:
        """The end of what it printed."""
        return self.log.read_text(errors="replace")[-3000:]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test in this folder is a browser test, and they come last: what is quick should fail first."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _environment() -> dict[str, str]:
    """The tester's, less what would change the app under test."""
    ours = ("STREAMLIT_", "PYTEST_", "HEADLIGHT_MODELS")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def _wait_until_healthy(server: Server, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + START_SECONDS
    while time.monotonic() < give_up and process.poll() is None:
        try:
            with urlopen(server.at("/_stcore/health"), timeout=5) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.1)
    process.kill()
    pytest.fail(f"`streamlit run app.py` did not start. It said:\n{server.last_words()}", pytrace=False)


@contextmanager
def running_server(*behind: str) -> Iterator[Server]:
    """A server of its own, started with these words behind `--`."""
    port = _free_port()
    RESULTS.mkdir(exist_ok=True)
    server = Server(f"http://127.0.0.1:{port}", RESULTS / f"server-{port}.log")
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = ["--server.port", str(port), "--server.headless", "true"]
    with server.log.open("wb") as log:
        process = subprocess.Popen(
            [*command, *options, "--", *behind],
            cwd=ROOT,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            _wait_until_healthy(server, process)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


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


def _apt_chromium() -> str | None:
    """As root on Debian and its kin: install the package."""
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        subprocess.run(["apt-get", *step], env=quiet, stdin=subprocess.DEVNULL, check=False)
    return shutil.which("chromium")


def _chromium(playwright: Playwright) -> str:
    """The system's Chromium, else Playwright's own, else the distribution's package, else a failure."""
    found = next(filter(None, map(shutil.which, SYSTEM_CHROMIUMS)), None)
    if found is None and Path(playwright.chromium.executable_path).exists():
        found = playwright.chromium.executable_path
    found = found or _apt_chromium()
    if found is None:
        pytest.fail(NO_CHROMIUM, pytrace=False)
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the session; each test gets a context of its own."""
    as_root = os.name == "posix" and os.geteuid() == 0
    flags = [*CHROMIUM_FLAGS, *(["--no-sandbox"] if as_root else [])]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=_chromium(playwright), args=flags)
        yield running
        running.close()


class Complaints(list[str]):
    """What a page did wrong while a test was looking elsewhere."""

    def watch(self, page: Page) -> None:
        """Listen to the page's errors and requests."""
        page.on("pageerror", lambda error: self.append(f"uncaught in the page: {error}"))
        page.on("console", self._heard)
        page.on("request", self._asked)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not LOOKING_FOR_ITS_SERVER.search(message.location["url"]):
            self.append(f"console: {message.text} ({message.location['url']})")

    def _asked(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme.startswith(("http", "ws")) and address.hostname not in ("127.0.0.1", "localhost"):
            self.append(f"asked another host: {request.url}")


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
