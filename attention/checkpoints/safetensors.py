"""Tensors of a folder of `*.safetensors`, one file or many.

Only this format is read from a folder: it holds numbers and nothing that could run.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from attention.checkpoints.damage import read_json_object, what_it_is
from attention.errors import CheckpointError

INDEX = "model.safetensors.index.json"

_PICKLES = (".bin", ".pt", ".pth", ".ckpt")
_LENGTH_BYTES = 8


def tensor_files(folder: Path) -> tuple[Path, ...]:
    """The files that hold a folder's tensors: those its index names, or all there are.

    Raises:
        CheckpointError: There are none, or one of them is missing.
    """
    if (folder / INDEX).exists():
        return _indexed_files(folder)
    files = tuple(sorted(folder.glob("*.safetensors")))
    if not files:
        raise _no_tensors(folder)
    return files


def read_tensors(files: Iterable[Path]) -> dict[str, Tensor]:
    """All tensors by name, in the dtype they are stored in.

    Raises:
        CheckpointError: A file is damaged, or two of them hold a tensor of the same name.
    """
    tensors: dict[str, Tensor] = {}
    source: dict[str, Path] = {}
    for path in files:
        for name, tensor in _read_file(path).items():
            if name in tensors:
                raise CheckpointError(f"{source[name].name} and {path.name} both hold the tensor {name}.")
            tensors[name], source[name] = tensor, path
    return tensors


def check_index(folder: Path, tensors: Iterable[str]) -> None:
    """See that every tensor that the index speaks of was there.

    Raises:
        CheckpointError: Some are missing; the message names the first.
    """
    if not (folder / INDEX).exists():
        return
    promised = _weight_map(folder)
    missing = sorted(set(promised) - set(tensors))
    if missing:
        raise CheckpointError(
            f"{folder / INDEX} names {len(promised)} tensors and {len(missing)} of them are in no file, "
            f"the first {missing[0]}."
        )


def _indexed_files(folder: Path) -> tuple[Path, ...]:
    names = sorted(set(_weight_map(folder).values()))
    for name in names:
        if Path(name).name != name:
            raise CheckpointError(f"{folder / INDEX} points outside its folder: {name}.")
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise CheckpointError(
            f"{folder} holds {len(names) - len(missing)} of the {len(names)} files in its index; "
            f"{', '.join(missing)} is missing."
        )
    return tuple(folder / name for name in names)


def _weight_map(folder: Path) -> dict[str, str]:
    path = folder / INDEX
    found = read_json_object(path).get("weight_map")
    if not isinstance(found, dict) or not found or not all(isinstance(name, str) for name in found.values()):
        raise CheckpointError(f"{path} has no weight_map from tensors to files.")
    return found


def _no_tensors(folder: Path) -> CheckpointError:
    pickles = sorted(path.name for path in folder.iterdir() if path.suffix in _PICKLES)
    if not pickles:
        return CheckpointError(f"{folder} holds no *.safetensors.")
    return CheckpointError(
        f"{folder} holds {pickles[0]} and no *.safetensors: such files are pickles, which can run code when "
        "opened, so they are not read here. If you trust the file, convert it with transformers: "
        f"AutoModel.from_pretrained({str(folder)!r}).save_pretrained(another_folder)."
    )


def _read_file(path: Path) -> dict[str, Tensor]:
    _check_size(path)
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, AttributeError) as error:
        raise CheckpointError(f"{path} cannot be read as safetensors: {error}.") from error


def _check_size(path: Path) -> None:
    """Compare the file's size with what its header speaks of: a download that stopped is told apart."""
    try:
        n_bytes = path.stat().st_size
        needed = _needed_bytes(path, n_bytes)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from error
    if n_bytes != needed:
        what = "is cut short" if n_bytes < needed else "is too long"
        raise CheckpointError(f"{path} {what}: it has {n_bytes:,} bytes, its header speaks of {needed:,}.")


def _needed_bytes(path: Path, n_bytes: int) -> int:
    """The file's length as its header has it; where the header itself is cut, the length up to its end."""
    with path.open("rb") as file:
        end = _LENGTH_BYTES + int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if file.read(1) != b"{":
            raise CheckpointError(f"{path} is {what_it_is(path) or 'no safetensors file'}.")
        file.seek(_LENGTH_BYTES)
        return end if n_bytes < end else end + _data_bytes(path, file.read(end - _LENGTH_BYTES))


def _data_bytes(path: Path, header: bytes) -> int:
    try:
        entries: dict[str, Any] = json.loads(header)
        ends = [entry["data_offsets"][1] for name, entry in entries.items() if name != "__metadata__"]
        return int(max(ends, default=0))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise CheckpointError(
            f"{path} is damaged: its header of {len(header):,} bytes cannot be read."
        ) from error
