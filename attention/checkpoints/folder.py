"""A model from a folder: `config.json`, `*.safetensors` and, for text, a tokenizer; or one GGUF file."""

from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attention.checkpoints.checkpoint import Checkpoint
from attention.checkpoints.damage import read_json_object
from attention.checkpoints.gguf_file import open_gguf
from attention.checkpoints.safetensors import check_index, read_tensors, tensor_files
from attention.checkpoints.tokenizer_files import tokenizers_of
from attention.errors import CheckpointError

_CHUNK = 1 << 20


def open_folder(folder: Path, *, name: str | None = None, revision: str | None = None) -> Checkpoint:
    """The model in a folder.

    Args:
        folder: Where its files are.
        name: What to call it; left out, the folder's name.
        revision: Which bytes these are, when that is known; left out, it is read off the tensors' files.

    Raises:
        CheckpointError: A file is missing or damaged; the message names it.
    """
    if not folder.is_dir():
        raise CheckpointError(f"{folder} is not a folder.")
    try:
        return _read(folder, name, revision)
    except OSError as error:
        raise CheckpointError(f"{folder} cannot be read: {error.strerror}.") from error


def _read(folder: Path, name: str | None, revision: str | None) -> Checkpoint:
    alone = _alone(folder)
    if alone is not None:
        return open_gguf(alone, name=name or folder.resolve().name, revision=revision)
    config = _config(folder)
    files = tensor_files(folder)
    tokenizers = tokenizers_of(folder, config)
    tensors = read_tensors(files)
    check_index(folder, tensors)
    return Checkpoint(
        name=name or folder.resolve().name,
        revision=revision or f"sha256 {_sha256(files)[:8]}",
        config=MappingProxyType(config),
        tensors=MappingProxyType(tensors),
        tokenizer=tokenizers.source,
        target_tokenizer=tokenizers.target,
    )


def _alone(folder: Path) -> Path | None:
    """The GGUF file of a folder that holds one and no safetensors."""
    files = sorted(folder.glob("*.gguf"))
    if not files or any(folder.glob("*.safetensors")):
        return None
    if len(files) > 1:
        raise CheckpointError(
            f"{folder} holds {len(files)} GGUF files, {files[0].name} the first: name the one to open."
        )
    return files[0]


def _config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    if not path.is_file():
        raise CheckpointError(f"{folder} holds no config.json, so it is not known what model it is.")
    return read_json_object(path)


def _sha256(files: tuple[Path, ...]) -> str:
    """One hash over all files in order; for a single file, its own."""
    digest = sha256()
    for path in files:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()
