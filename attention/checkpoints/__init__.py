"""Where models come from: a name, folder or file in; configuration, tensors and tokenizer out. No maths."""

import os
from contextlib import suppress
from pathlib import Path

from attention.checkpoints import fetch as fetching
from attention.checkpoints import hub_model, toy
from attention.checkpoints.catalog import CATALOG, CatalogModel
from attention.checkpoints.checkpoint import Checkpoint
from attention.checkpoints.fetch import Progress
from attention.checkpoints.folder import open_folder
from attention.checkpoints.gguf_file import open_gguf
from attention.checkpoints.safetensors import PICKLES, pickle_refusal
from attention.checkpoints.tokens import Token, Tokenizer
from attention.errors import CheckpointError

__all__ = ["CATALOG", "CatalogModel", "Checkpoint", "Progress", "Token", "Tokenizer", "open_checkpoint"]


def open_checkpoint(
    source: str | os.PathLike[str], *, fetch: bool = True, progress: Progress | None = None
) -> Checkpoint:
    """Open a model.

    Args:
        source: A name in the catalog; a folder with `config.json` and `*.safetensors`, or with one `*.gguf`;
            a `.gguf` file; or the id of a model on the hub, "someone/model".
        fetch: Whether a model of the catalog or the hub that is not here may be downloaded.
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
    path = _existing(source)
    if path is None:
        return _from_hub(str(source), fetch, progress)
    return open_folder(path) if path.is_dir() else _open_file(path)


def _existing(source: str | os.PathLike[str]) -> Path | None:
    with suppress(OSError, RuntimeError):  # a name too long for a path, a home that does not exist
        path = Path(source).expanduser()
        if os.fspath(source) and (
            path.is_dir() or path.is_file()
        ):  # an empty name would be the working folder
            return path
    return None


def _open_file(path: Path) -> Checkpoint:
    if path.suffix.lower() == ".gguf":
        return open_gguf(path)
    if path.suffix.lower() in PICKLES:
        raise pickle_refusal(f"{path} is not opened", path.parent)
    raise CheckpointError(
        f"{path} is a file and no .gguf; give the folder with config.json and *.safetensors, or a .gguf file."
    )


def _from_hub(source: str, fetch: bool, progress: Progress | None) -> Checkpoint:
    if not hub_model.is_hub_id(source):
        raise CheckpointError(
            f"“{source[:200]}” is neither in the catalog ({', '.join(CATALOG)}), nor a folder or a .gguf "
            "file, nor the id of a model on the hub (someone/model)."
        )
    folder = hub_model.fetch_model(source, progress=progress) if fetch else hub_model.kept(source)
    if folder is None:
        raise CheckpointError(f"“{source}” is no folder, and no model of the hub that was fetched before.")
    return open_folder(folder, name=source, revision=folder.name[:8])
