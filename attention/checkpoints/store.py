"""The folder where fetched models are kept.

- CACHE/minilm/…: a model's files, each put in place whole and only after its SHA-256 was right;
- CACHE/.locks/…: one lock a model, held while it is being fetched;
- CACHE/.scratch/…: what is on its way, cleared when nobody holds the model's lock.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import file_digest, sha256
from pathlib import Path

from filelock import FileLock, Timeout

from attention.checkpoints.catalog import CatalogModel, ModelFile
from attention.errors import CheckpointError

LOCK_POLL_SECONDS = 0.2


class SourceError(Exception):
    """Why one source could not give a model's files; told when no other source could either."""


class DiskFullError(SourceError):
    """There is no room for the files, from whatever source."""


def cache_folder() -> Path:
    """`HEADLIGHT_CACHE`, or `~/.cache/headlight`."""
    named = os.environ.get("HEADLIGHT_CACHE")
    try:
        return Path(named).expanduser() if named else Path.home() / ".cache" / "headlight"
    except RuntimeError as error:
        raise CheckpointError(
            "There is no home folder to keep models in: set HEADLIGHT_CACHE to a folder of yours."
        ) from error


def model_folder(name: str) -> Path:
    """Where this model's files are, or would be."""
    return cache_folder() / name


def is_whole(model: CatalogModel) -> bool:
    """All files are there with the right size. Quick: nothing is read."""
    return all(_has_size(model_folder(model.name) / file.name, file) for file in model.files)


def missing_files(model: CatalogModel) -> tuple[ModelFile, ...]:
    """The files that are not there, or whose content is not what it should be."""
    folder = model_folder(model.name)
    return tuple(file for file in model.files if not is_right(folder / file.name, file))


def is_right(path: Path, file: ModelFile) -> bool:
    """The file holds exactly the bytes that the catalog knows."""
    if not _has_size(path, file):
        return False
    with path.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest() == file.sha256


def _has_size(path: Path, file: ModelFile) -> bool:
    try:
        return path.is_file() and path.stat().st_size == file.n_bytes
    except OSError:
        return False


def keep(
    file: ModelFile, chunks: Iterable[bytes], scratch: Path, folder: Path, report: Callable[[int], None]
) -> None:
    """Write a file beside its place, hash it on the way, and move it there when the hash is right.

    Raises:
        SourceError: The bytes are not those that are known. Nothing was kept.
    """
    digest, n_bytes, draft = sha256(), 0, scratch / f"{file.name}.draft"
    with draft.open("wb") as out:
        for chunk in chunks:
            n_bytes += len(chunk)
            if n_bytes > file.n_bytes:
                raise SourceError(f"{file.name} has more than the {file.n_bytes:,} bytes it should have")
            out.write(chunk)
            digest.update(chunk)
            report(n_bytes)
    _check(file, n_bytes, digest.hexdigest())
    folder.mkdir(parents=True, exist_ok=True)
    os.replace(draft, folder / file.name)


def _check(file: ModelFile, n_bytes: int, found: str) -> None:
    if n_bytes != file.n_bytes:
        raise SourceError(f"{file.name} has {n_bytes:,} bytes where {file.n_bytes:,} were expected")
    if file.sha256 and found != file.sha256:
        raise SourceError(f"{file.name} has the SHA-256 {found[:8]}… where {file.sha256[:8]}… was expected")


@contextmanager
def locked(name: str, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold a model's lock, so that one process or thread fetches it at a time; the others call `waiting`."""
    lock = _lock(name)
    while True:
        try:
            lock.acquire(timeout=LOCK_POLL_SECONDS, poll_interval=LOCK_POLL_SECONDS / 4)
            break
        except Timeout:
            waiting()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def scratch_folder(name: str) -> Iterator[Path]:
    """A folder for what is on its way, gone afterwards. The caller holds the model's lock."""
    folder = cache_folder() / ".scratch" / name
    folder.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def clear_leftovers(held: str) -> None:
    """Remove what killed downloads left behind, save where another download is at work.

    Args:
        held: The model whose lock the caller holds.
    """
    for folder in (cache_folder() / ".scratch").glob("*"):
        if folder.name == held:
            shutil.rmtree(folder, ignore_errors=True)
            continue
        try:
            with _lock(folder.name).acquire(timeout=0):
                shutil.rmtree(folder, ignore_errors=True)
        except Timeout:
            continue


def _lock(name: str) -> FileLock:
    folder = cache_folder() / ".locks"
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / f"{name}.lock")
