"""A model from one GGUF file."""

from hashlib import file_digest
from pathlib import Path
from types import MappingProxyType

import torch

from attention.checkpoints.checkpoint import Checkpoint
from attention.checkpoints.gguf_config import config_of
from attention.checkpoints.gguf_header import Header, read_header
from attention.checkpoints.gguf_tensors import tensors_of
from attention.checkpoints.gguf_tokenizer import tokenizer_of
from attention.checkpoints.memory import check_memory
from attention.checkpoints.tokens import Tokenizer
from attention.errors import CheckpointError

_FLOAT32_BYTES = 4


def open_gguf(path: Path, *, name: str | None = None, revision: str | None = None) -> Checkpoint:
    """The model in a GGUF file, as transformers would spell it.

    Args:
        path: The file.
        name: What to call it; left out, the file's name.
        revision: Which bytes these are, when that is known; left out, it is read off them.

    Raises:
        CheckpointError: It is damaged, too large for this machine, or of a kind that is not known here.
    """
    header = read_header(path)
    config = config_of(header)
    check_memory(str(path), n_bytes_in_memory(header))
    n_rows = config["vocab_size"]
    raw = tokenizer_of(header, n_rows)
    tensors = {theirs: torch.from_numpy(array) for theirs, array in tensors_of(header, config)}
    return Checkpoint(
        name=name or path.stem,
        revision=revision or f"sha256 {_sha256(path)[:8]}",
        config=MappingProxyType(config),
        tensors=MappingProxyType(tensors),
        tokenizer=None if raw is None else Tokenizer(raw, pad_id=config["pad_token_id"], n_rows=n_rows),
    )


def n_bytes_in_memory(header: Header) -> int:
    """What a file's tensors take once unpacked."""
    return _FLOAT32_BYTES * sum(entry.n_numbers for entry in header.tensors.values())


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from error
