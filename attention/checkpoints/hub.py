"""Model files from the model hub, at one commit.

`huggingface_hub` does it, in a process of its own (`hub_download.py`): it reads HF_ENDPOINT, HF_HUB_OFFLINE
and the reader's token there, and can be ended when nothing comes.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attention.checkpoints.catalog import HubSource, ModelFile
from attention.checkpoints.download import run_downloader
from attention.checkpoints.store import DiskFullError, SourceError

LABEL = "model hub"

_CHUNK = 1 << 20
_SCRIPT = Path(__file__).with_name("hub_download.py")

# plain HTTP: files then grow in our folder, where they can be counted, and nowhere else
_ENVIRONMENT = {
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}


def n_bytes_needed(source: HubSource, files: tuple[ModelFile, ...]) -> int:
    """Room on disk while this source is at work: the files, and the copy that is hashed."""
    del source
    return 2 * sum(file.n_bytes for file in files)


def open_files(
    source: HubSource,
    files: tuple[ModelFile, ...],
    scratch: Path,
    report: Callable[[str, int, int], None],
) -> Iterator[tuple[ModelFile, Iterator[bytes]]]:
    """Download these files, then give each with its bytes.

    Raises:
        SourceError: The hub did not answer, or does not have them.
    """
    what, total = f"Downloading {source.repo}", sum(file.n_bytes for file in files)
    code, said = run_downloader(
        _command(_wanted(source, files, scratch)),
        scratch,
        lambda n_bytes: report(what, min(n_bytes, total), total),
        environment=_ENVIRONMENT,
    )
    paths = re.findall(r"^PATH (.+)", said, re.MULTILINE)
    if code != 0 or len(paths) != len(files):
        raise _refusal(said)
    for file, path in zip(files, paths, strict=True):
        yield file, _read(Path(path))


def newest(repo: str, scratch: Path) -> tuple[HubSource, tuple[ModelFile, ...]]:
    """The newest commit of a repository, and what it holds.

    Raises:
        SourceError: The hub did not answer, or does not have it.
    """
    code, said = run_downloader(
        _command({"repo": repo}), scratch, lambda n_bytes: None, environment=_ENVIRONMENT
    )
    commit = re.search(r"^COMMIT ([0-9a-f]{40})$", said, re.MULTILINE)
    if code != 0 or commit is None:
        raise _refusal(said)
    lines = re.findall(r"^FILE (\d+) (-|[0-9a-f]{64}) (.+)$", said, re.MULTILINE)
    files = tuple(
        ModelFile(name=name, n_bytes=int(n_bytes), sha256="" if sha256 == "-" else sha256)
        for n_bytes, sha256, name in lines
    )
    return HubSource(repo=repo, commit=commit[1]), files


def _wanted(source: HubSource, files: tuple[ModelFile, ...], scratch: Path) -> dict[str, Any]:
    return {
        "repo": source.repo,
        "commit": source.commit,
        "folder": str(scratch / "hub"),
        "files": {file.name: file.n_bytes for file in files},
    }


def _command(wanted: dict[str, Any]) -> list[str]:
    """`-P`: the script lies beside our `safetensors.py`, which must not be taken for the library."""
    return [sys.executable, "-P", str(_SCRIPT), json.dumps(wanted)]


def _refusal(said: str) -> SourceError:
    if re.search(r"No space left on device|Disk quota exceeded", said):
        return DiskFullError()
    reason = re.search(r"^REASON (.+)", said, re.MULTILINE)
    return SourceError(reason.group(1) if reason else "it gave no files")


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
