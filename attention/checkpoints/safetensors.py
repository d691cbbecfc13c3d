"""Tensors of a folder of `*.safetensors`, one file or many.

Only this format is read from a folder: it holds numbers and nothing that could run.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from safetensors import SafetensorError, safe_open

from attention.checkpoints.damage import read_json_object
from attention.checkpoints.memory import check_memory
from attention.checkpoints.safetensors_header import read_entries
from attention.errors import CheckpointError

if TYPE_CHECKING:  # so that the format can be read, and its reading tested, without torch
    from torch import Tensor

INDEX = "model.safetensors.index.json"

PICKLES = (".bin", ".pt", ".pth", ".ckpt")


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


def read_tensors(files: tuple[Path, ...], framework: str = "pt") -> "dict[str, Tensor]":
    """All tensors by name, in the dtype they are stored in.

    Args:
        files: Every one is looked through before any is read.
        framework: "pt" for torch's tensors, "np" for NumPy's arrays.

    Raises:
        CheckpointError: A file is damaged, two of them hold a tensor of the same name, or together they are
            more than this machine can hold.
    """
    entries = [entry for path in files for entry in read_entries(path)]
    check_memory(str(files[0].parent), sum(entry.n_bytes_in_memory for entry in entries))
    tensors: dict[str, Tensor] = {}
    source: dict[str, Path] = {}
    for path in files:
        for name, tensor in _read_file(path, framework).items():
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
    pickles = sorted(path.name for path in folder.iterdir() if path.suffix in PICKLES)
    if not pickles:
        return CheckpointError(f"{folder} holds no *.safetensors.")
    return pickle_refusal(f"{folder} holds {pickles[0]} and no *.safetensors", folder)


def pickle_refusal(what: str, folder: Path) -> CheckpointError:
    """Why a pickle is not read, and how to make something else of it."""
    return CheckpointError(
        f"{what}: such files are pickles, which can run code when opened, so they are not read here. If you "
        f"trust the file, convert it with transformers: AutoModel.from_pretrained({str(folder)!r})"
        ".save_pretrained(another_folder)."
    )


def _read_file(path: Path, framework: str) -> "dict[str, Tensor]":
    try:
        with safe_open(path, framework=framework) as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, AttributeError) as error:
        raise CheckpointError(f"{path} cannot be read as safetensors: {error}.") from error
