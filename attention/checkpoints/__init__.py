"""Where models come from: a name or a folder in; configuration, tensors and tokenizer out. No maths."""

import os
from contextlib import suppress
from pathlib import Path

from attention.checkpoints import fetch as fetching
from attention.checkpoints import toy
from attention.checkpoints.catalog import CATALOG, CatalogModel
from attention.checkpoints.checkpoint import Checkpoint
from attention.checkpoints.fetch import Progress
from attention.checkpoints.folder import open_folder
from attention.checkpoints.tokens import Token, Tokenizer
from attention.errors import CheckpointError

__all__ = ["CATALOG", "CatalogModel", "Checkpoint", "Progress", "Token", "Tokenizer", "open_checkpoint"]


def open_checkpoint(
    source: str | os.PathLike[str], *, fetch: bool = True, progress: Progress | None = None
) -> Checkpoint:
    """Open a model.

    Args:
        source: A name in the catalog, or a folder with `config.json` and `*.safetensors`.
        fetch: Whether a model of the catalog that is not here may be downloaded.
        progress: Told what is being fetched, how many bytes are done, and of how many.

    Raises:
        CheckpointError: The model is not here and could not be fetched, or its files are damaged.
    """
    if source == toy.NAME:
        return toy.worked_example()
    if isinstance(source, str) and source in CATALOG:
        model = CATALOG[source]
        folder = fetching.fetch(source, progress=progress) if fetch else fetching.from_cache(source)
        return open_folder(folder, name=model.name, revision=model.revision)
    return open_folder(_existing_folder(source))


def _existing_folder(source: str | os.PathLike[str]) -> Path:
    with suppress(OSError, RuntimeError):  # a name too long for a path, a home that does not exist
        folder = Path(source).expanduser()
        if os.fspath(source) and folder.is_dir():  # an empty name would be the working folder
            return folder
        if folder.is_file():
            raise CheckpointError(f"{folder} is a file; give the folder with config.json and *.safetensors.")
    raise CheckpointError(
        f"“{source}” is neither in the catalog ({', '.join(CATALOG)}) nor a folder. A model of the hub is "
        "opened from the folder it was downloaded into."
    )
