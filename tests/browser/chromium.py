"""The browser of the tests: where it is found, when a page is settled, and what it may not do."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ConsoleMessage, Page, Playwright, Request

SYSTEM_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

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


def _apt_chromium() -> str | None:
    """As root on Debian and its kin: install the package."""
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        subprocess.run(["apt-get", *step], env=quiet, stdin=subprocess.DEVNULL, check=False)
    return shutil.which("chromium")


def find_chromium(playwright: Playwright) -> str:
    """The system's Chromium, else Playwright's own, else the distribution's package, else a failure."""
    found = next(filter(None, map(shutil.which, SYSTEM_CHROMIUMS)), None)
    if found is None and Path(playwright.chromium.executable_path).exists():
        found = playwright.chromium.executable_path
    found = found or _apt_chromium()
    if found is None:
        pytest.fail(NO_CHROMIUM, pytrace=False)
    return found


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
