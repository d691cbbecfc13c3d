"""A tiny model of the catalog, the wheels it comes in, and a stand-in for the model hub.

Run as a program, it fetches the tiny model in a process of its own: see `fetch_in_process`.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch

from attention.checkpoints import catalog
from attention.checkpoints.catalog import CatalogModel, HubSource, ModelFile, Part, Terms, Wheel, WheelSource

CONTENT = {
    "config.json": b'{"model_type": "toy"}',
    "model.safetensors": bytes(range(256)) * 40,
}
TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(5, dtype=torch.float16)}
WHEEL = Wheel(package="tiny-weights", version="1.2.0", n_bytes=4_000)
WHEEL_SOURCE = WheelSource(parts={name: (Part(WHEEL, f"tiny_weights/{name}"),) for name in CONTENT})
HUB_SOURCE = HubSource(repo="someone/tiny", commit="0123456789abcdef0123456789abcdef01234567")

TERMS = Terms(
    title="Tiny Terms",
    url="https://tiny.example/terms",
    file="config.json",
    variable="HEADLIGHT_ACCEPT_TINY_TERMS",
)


def model_file(name: str, content: bytes) -> ModelFile:
    return ModelFile(name=name, n_bytes=len(content), sha256=sha256(content).hexdigest())


def tiny_model(*sources, content=CONTENT, **more) -> CatalogModel:
    return CatalogModel(
        name="tiny",
        title="Tiny",
        good_for="Tests.",
        not_known="Everything.",
        licence="none",
        n_bytes_in_memory=10_240,
        files=tuple(model_file(name, data) for name, data in content.items()),
        sources=sources or (WHEEL_SOURCE, HUB_SOURCE),
        **more,
    )


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def leftovers(cache: Path) -> list[Path]:
    """What lies in the scratch folder; it may change while it is looked at."""
    walked = os.walk(cache / ".scratch")
    found = [Path(parent, name) for parent, folders, files in walked for name in (*folders, *files)]
    return [path for path in found if path.name != "tiny"]


def write_wheel(folder: Path, members: dict[str, bytes], wheel: Wheel = WHEEL) -> Path:
    """A wheel that pip accepts: members, and the papers that go with them."""
    name = wheel.package.replace("-", "_")
    info = f"{name}-{wheel.version}.dist-info"
    path = folder / f"{name}-{wheel.version}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members.items():
            archive.writestr(f"{name}/{member}", data)
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {wheel.package}\nVersion: {wheel.version}\n"
            "Requires-Dist: code-that-nobody-needs\n",
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


class Hub(ThreadingHTTPServer):
    """Answers as the model hub does, for the files of one commit."""

    daemon_threads = True

    def __init__(self, content: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _HubHandler)
        self.content = content
        self.asked: list[str] = []
        self.status = 200
        self.silent = threading.Event()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _HubHandler(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self.wfile.write(self._answer())

    def _answer(self) -> bytes:
        self.server.asked.append(f"{self.command} {self.path}")
        while self.server.silent.is_set():
            time.sleep(0.05)
        if self.path.startswith("/api/models/"):
            return self._listing()
        repo, _, place = self.path.lstrip("/").partition("/resolve/")
        commit, _, name = place.partition("/")
        data = (
            self.server.content.get(name) if (repo, commit) == (HUB_SOURCE.repo, HUB_SOURCE.commit) else None
        )
        status = 404 if data is None else self.server.status
        self.send_response(status)
        self.send_header("X-Repo-Commit", HUB_SOURCE.commit)
        self.send_header("ETag", f'"{sha256(data or b"").hexdigest()}"')
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        return data or b""

    def _listing(self) -> bytes:
        known = self.path.split("?")[0] == f"/api/models/{HUB_SOURCE.repo}"
        siblings = [_sibling(name, data) for name, data in self.server.content.items()]
        said = {"id": HUB_SOURCE.repo, "sha": HUB_SOURCE.commit, "siblings": siblings}
        data = json.dumps(said if known else {"error": "Repository not found"}).encode()
        self.send_response(self.server.status if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        return data

    def log_message(self, *arguments) -> None:
        pass


def _sibling(name: str, data: bytes) -> dict[str, Any]:
    """As the hub lists it; large files have their hash beside."""
    found: dict[str, Any] = {"rfilename": name, "size": len(data), "blobId": "0" * 40}
    if name.endswith(".safetensors"):
        found["lfs"] = {"sha256": sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
    return found


@contextlib.contextmanager
def running_hub(content: dict[str, bytes]) -> Iterator[Hub]:
    hub = Hub(content)
    thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hub
    finally:
        hub.silent.clear()
        hub.shutdown()
        thread.join()
        hub.server_close()


def fetch_in_process(started: Path, go: Path) -> subprocess.Popen[str]:
    """Fetch the tiny model in another process, which stops at its first bytes.

    Args:
        started: Written once the first report came, whatever it was.
        go: The process goes on when this is there.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "tests.checkpoints.fakes", str(started), str(go)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def wait_for(path: Path, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        if time.monotonic() > end:
            raise TimeoutError(path)
        time.sleep(0.02)


def _main() -> None:
    from attention.checkpoints.fetch import fetch

    started, go = map(Path, sys.argv[1:])
    seen: list[str] = []

    def progress(what: str, done: int, total: int) -> None:
        seen.append(what)
        started.write_text(what)
        if not what.startswith("Waiting"):
            wait_for(go)

    catalog.CATALOG = {"tiny": tiny_model()}
    folder = fetch("tiny", progress=progress)
    print(json.dumps({"folder": str(folder), "seen": sorted(set(seen))}))


if __name__ == "__main__":
    _main()
