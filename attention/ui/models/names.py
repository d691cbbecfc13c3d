"""What a model may be called in a view and in a link.

A catalog name, or the name of something inside the folder that HEADLIGHT_MODELS names: a folder with a
config.json, or a .gguf file. Never a path. The id of a model on the hub ("someone/model") may stand in a
view once a click has fetched it, and never in a link; nor does a link name the model that the app was started
with (`given`). With the variable unset nothing else of this machine's disk is looked at: a public server does
not browse itself.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from attention.checkpoints.catalog import CATALOG
from attention.checkpoints.hub_model import is_hub_id, kept
from attention.errors import AttentionError, CheckpointError, InputError
from attention.figures.labels import plain_label
from attention.ui.models import given

Fingerprint: TypeAlias = tuple[tuple[str, int, int], ...]

FOLDER, HUB = "HEADLIGHT_MODELS", "HEADLIGHT_HUB"


def hub_is_open() -> bool:
    """Whether models of the hub may be asked for."""
    return os.environ.get(HUB, "").lower() != "off"


def folder_is_named() -> bool:
    """Whether whoever started the app named a folder of models."""
    return _folder() is not None


def listed() -> tuple[str, ...]:
    """The names found inside the models folder, sorted; none where no folder is named.

    A name of the catalog means the catalog's model, and names one cannot see in full are left out.

    Raises:
        CheckpointError: A folder is named and cannot be read.
    """
    folder = _folder()
    if folder is None:
        return ()
    try:
        found = [path.name for path in folder.iterdir() if given.is_model(path)]
    except OSError as error:
        raise CheckpointError(f"The folder that {FOLDER} names cannot be read: {error.strerror}.") from error
    return tuple(sorted(name for name in found if name not in CATALOG and name.isprintable()))


def found() -> tuple[str, ...]:
    """The same; none where the folder cannot be read either."""
    with suppress(CheckpointError):
        return listed()
    return ()


def default() -> str:
    """The model of a view that names none: the one the app was started with, else the catalog's first."""
    return given.name() or next(iter(CATALOG))


def may_link(name: str) -> bool:
    """Whether a link may name this model."""
    return name in CATALOG or (name in found() and name != given.name())


def from_link(text: str) -> str:
    """The model that a link names.

    Raises:
        InputError: It is neither in the catalog nor inside the models folder.
    """
    if not may_link(text):
        raise InputError(f"“{text[:24]}” is not one of {', '.join((*CATALOG, *found()))}")
    return text


def choices(current: str) -> tuple[str, ...]:
    """What a selector offers: the catalog, what was found, and the model that is open."""
    with_it = [own for own in (given.name(),) if own is not None]
    return tuple(dict.fromkeys((*CATALOG, *with_it, *found(), current)))


def title(name: str) -> str:
    """What a model is called on the page."""
    return CATALOG[name].title if name in CATALOG else name


def source(name: str) -> str | Path:
    """What `load` is given for the model of this name. Nothing would have to be fetched from the hub.

    Raises:
        CheckpointError: There is no such model here, or it is the hub's and has not been fetched.
    """
    folder, with_it = _folder(), given.path()
    if name in CATALOG:
        return name
    if with_it is not None and name == given.name():
        return with_it
    if folder is not None and name in found():
        return folder / name
    if is_hub_id(name) and hub_is_open():
        if kept(name) is None:
            raise CheckpointError(f"“{name}” is not here; the Models page fetches it from the hub.")
        return name
    raise CheckpointError(
        f"There is no model “{plain_label(name)}” in the catalog, which has {', '.join(CATALOG)}, and none "
        "of that name in the models folder."
    )


def fingerprint(name: str) -> Fingerprint:
    """The names, ages and sizes of a model's files: another one says that it must be opened anew.

    Empty for a model whose files do not change under its name, and for one that is gone.
    """
    try:
        place = source(name)
        if isinstance(place, str):
            return ()
        files = sorted(place.iterdir()) if place.is_dir() else [place]
        states = [(file.name, file.stat()) for file in files]
    except (AttentionError, OSError):
        return ()
    return tuple((file, state.st_mtime_ns, state.st_size) for file, state in states)


def in_python(name: str) -> str:
    """What `load` is given for it in a reader's own script: never where this machine keeps it."""
    if name in CATALOG or name == given.name() or name not in found():
        return repr(name)
    return f'os.path.join(os.environ["{FOLDER}"], {name!r})'


def _folder() -> Path | None:
    named = os.environ.get(FOLDER)
    return Path(named) if named else None
