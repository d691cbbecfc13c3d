"""A running app for tests and benchmarks."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "test-results"
START_SECONDS = 120  # a watchdog for a server that hangs, not a promise about speed


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


def free_port() -> int:
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
    port = free_port()
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
