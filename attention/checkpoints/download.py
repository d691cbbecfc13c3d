"""Runs a downloader as a process of its own, watches its bytes arrive, and ends it when nothing comes.

A process can be stopped at any moment, whatever it waits for; a library call cannot.
"""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from attention.checkpoints.store import SourceError

POLL_SECONDS = 0.1
IDLE_SECONDS = 30.0


def run_downloader(
    command: Sequence[str],
    scratch: Path,
    report: Callable[[int], None],
    *,
    environment: Mapping[str, str] | None = None,
    idle: float = IDLE_SECONDS,
) -> tuple[int, str]:
    """Run a command whose files arrive inside a folder; its exit code and all that it said.

    Args:
        command: Program and arguments.
        scratch: The folder its files grow in, temporary ones included.
        report: Told how many bytes there are, several times a second.
        environment: What to set besides the environment we are in.
        idle: After so many seconds without a new byte the process is ended.

    Raises:
        SourceError: The process could not be started, or was ended because nothing came.
    """
    said = scratch / "said.txt"
    with said.open("wb") as out:
        process = _start(command, out, {**_temporary(scratch), **(environment or {})})
    try:
        _watch(process, scratch, report, idle)
    finally:
        process.kill()  # does nothing to a process that has ended
        process.wait()
    return process.returncode, said.read_text(encoding="utf-8", errors="replace")


def _start(
    command: Sequence[str], out: BinaryIO, environment: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        )
    except OSError as error:
        raise SourceError(f"{command[0] or 'Python'} could not be started: {error.strerror}") from error


def _watch(
    process: "subprocess.Popen[bytes]", scratch: Path, report: Callable[[int], None], idle: float
) -> None:
    n_bytes, changed = 0, time.monotonic()
    while process.poll() is None:
        n_before, n_bytes = n_bytes, _n_bytes_in(scratch)
        report(n_bytes)
        if n_bytes != n_before:
            changed = time.monotonic()
        elif time.monotonic() - changed > idle:
            raise SourceError(f"nothing came for {idle:.0f} seconds")
        _pause(process)


def _pause(process: "subprocess.Popen[bytes]") -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=POLL_SECONDS)


def _n_bytes_in(folder: Path) -> int:
    n_bytes = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                n_bytes += os.lstat(os.path.join(parent, name)).st_size
            except OSError:  # moved or removed since it was listed
                continue
    return n_bytes


def _temporary(folder: Path) -> dict[str, str]:
    return dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
