"""What a file really is when it is not what its name says."""

import json
from pathlib import Path
from typing import Any

from attention.errors import CheckpointError

_N_BYTES_LOOKED_AT = 200

_BEGINNINGS = (
    (b"version https://git-lfs", "a Git LFS pointer and not the file itself, which `git lfs pull` brings"),
    (b"<", "a web page: the download led to a page and not to the file"),
    (b"PK", "a zip archive, as PyTorch's pickles are"),
    (b"\x80", "a pickle"),
    (b"GGUF", "a GGUF file"),
)


def what_it_is(path: Path) -> str | None:
    """What the first bytes say, where they betray something; None where they do not.

    Raises:
        CheckpointError: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            beginning = file.read(_N_BYTES_LOOKED_AT)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from error
    if not beginning:
        return "an empty file"
    return next((what for start, what in _BEGINNINGS if beginning.lstrip().startswith(start)), None)


def read_json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        CheckpointError: It cannot be read, or is something else; the message says what.
    """
    what = what_it_is(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} is {what or f'not JSON: {error}'}.") from error
    if not isinstance(found, dict):
        raise CheckpointError(f"{path} should hold a JSON object and holds a {type(found).__name__}.")
    return found
