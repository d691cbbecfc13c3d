"""A model of the hub that is not in the catalog, by its id: "someone/model".

Its configuration, its tokenizer and its safetensors are fetched and kept, and nothing else: no code, no
pickle.
"""

import os
import re
import shutil
from fnmatch import fnmatch
from pathlib import Path

from attention.checkpoints import hub, store
from attention.checkpoints.catalog_types import HubSource, ModelFile
from attention.checkpoints.fetch import Progress
from attention.checkpoints.safetensors import INDEX
from attention.checkpoints.sizes import readable
from attention.checkpoints.store import DiskFullError, SourceError
from attention.checkpoints.tokenizer_files import KNOWN
from attention.errors import CheckpointError

_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_USUAL = ("model.safetensors", "model-*-of-*.safetensors")


def is_hub_id(source: str) -> bool:
    """Whether this could be the id of a model on the hub.

    >>> is_hub_id("someone/model"), is_hub_id("/tmp/model"), is_hub_id("model"), is_hub_id("../model")
    (True, False, False, False)
    """
    return _ID.fullmatch(source) is not None and ".." not in source


def kept(repo: str) -> Path | None:
    """The folder of a model that was fetched before; its name is the commit."""
    folders = [path for path in _shelf(repo).glob("*") if (path / "config.json").is_file()]
    return max(folders, key=lambda path: path.stat().st_mtime, default=None)


def fetch_model(repo: str, *, progress: Progress | None = None) -> Path:
    """The folder of a model of the hub; asked for only when it is not here.

    Raises:
        CheckpointError: It cannot be had, or holds nothing that can be read; the message says why.
    """
    report = progress or _silent
    try:
        with store.locked(_name(repo), lambda: report(f"Waiting for another download of {repo}", 0, 0)):
            return kept(repo) or _fetch(repo, report)
    except DiskFullError as failure:
        raise CheckpointError(f"The disk is full: {repo} is not here and could not be fetched.") from failure
    except SourceError as failure:
        raise CheckpointError(
            f"{repo} is not here and could not be fetched from the {hub.LABEL}: {failure}."
        ) from failure
    except OSError as error:
        raise CheckpointError(
            f"The cache {store.cache_folder()} cannot be used: {error.strerror}."
        ) from error


def _fetch(repo: str, report: Progress) -> Path:
    store.clear_leftovers(held=_name(repo))
    with store.scratch_folder(_name(repo)) as scratch:
        source, there = hub.newest(repo, _made(scratch / "list"))
        files = wanted(repo, there)
        _check_room(source, files)
        draft = _made(scratch / "draft")
        for file, chunks in hub.open_files(source, files, _made(scratch / "files"), report):
            store.keep(file, chunks, scratch, draft, lambda n_bytes: None)
        _shelf(repo).mkdir(parents=True, exist_ok=True)
        os.replace(draft, _shelf(repo) / source.commit)
    return _shelf(repo) / source.commit


def wanted(repo: str, there: tuple[ModelFile, ...]) -> tuple[ModelFile, ...]:
    """Of all files of a repository, those that make a model here.

    Raises:
        CheckpointError: There is no configuration, or no safetensors.
    """
    names = [file.name for file in there]
    if "config.json" not in names:
        raise CheckpointError(f"{repo} holds no config.json, so it is not known what model it is.")
    tensors = [name for name in names if fnmatch(name, "*.safetensors") and "/" not in name]
    usual = [name for name in tensors if any(fnmatch(name, pattern) for pattern in _USUAL)]
    if not tensors:
        others = sorted(name for name in names if name.endswith((".bin", ".pt", ".gguf", ".h5", ".msgpack")))
        rather = f" (it has {others[0]}, which is not fetched)" if others else ""
        raise CheckpointError(f"{repo} holds no *.safetensors{rather}.")
    chosen = {"config.json", INDEX, *KNOWN, *(usual or tensors)}
    return tuple(file for file in there if file.name in chosen)


def _check_room(source: HubSource, files: tuple[ModelFile, ...]) -> None:
    needed, free = hub.n_bytes_needed(source, files), shutil.disk_usage(store.cache_folder()).free
    if needed > free:
        raise CheckpointError(
            f"The disk is full: fetching {source.repo} takes {readable(needed)} and {store.cache_folder()} "
            f"has {readable(free)} free (HEADLIGHT_CACHE names another folder)."
        )


def _name(repo: str) -> str:
    return f"hub--{repo.replace('/', '--')}"


def _shelf(repo: str) -> Path:
    return store.cache_folder() / "hub" / repo.replace("/", "--")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _silent(what: str, done: int, total: int) -> None:
    del what, done, total
