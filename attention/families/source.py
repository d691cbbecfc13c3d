"""How a family reads its checkpoint: each size and each tensor is asked for by name and checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeAlias, TypeVar

from jaxtyping import Float
from torch import Tensor

from attention.engine.config import at_least_one
from attention.errors import CheckpointError, ConfigError

Config: TypeAlias = Mapping[str, Any]
Tensors: TypeAlias = Mapping[str, Tensor]
T = TypeVar("T")

OLD_ENDINGS = {".gamma": ".weight", ".beta": ".bias"}
"""How norms were spelled in checkpoints that began in TensorFlow; the hub still has them."""


class Source:
    """A config and its tensors; remembers which tensors were asked for.

    Args:
        config: A ``config.json`` as read.
        tensors: Tensors by name.
        prefixes: What some checkpoints put before names; the first that fits is taken off.
    """

    def __init__(self, config: Config, tensors: Tensors, prefixes: Sequence[str] = ()) -> None:
        self.config = config
        self._names = {_short(name, prefixes): name for name in tensors}
        self._tensors = {short: tensors[name] for short, name in self._names.items()}
        self._used: set[str] = set()

    def size(self, *keys: str, default: int | None = None) -> int:
        """A size from the config, under the first of its spellings that is there.

        Raises:
            ConfigError: It is missing and has no default, or is no positive whole number.
        """
        key = next((key for key in keys if self.config.get(key) is not None), None)
        if key is None and default is not None:
            return default
        if key is None:
            raise ConfigError(f"The config has no {keys[0]}.")
        at_least_one(key, self.config[key])
        return int(self.config[key])

    def number(self, key: str, default: float) -> float:
        """A number from the config; the default where the key is left out.

        Raises:
            ConfigError: It is no number.
        """
        return as_number(key, self.config.get(key, default))

    def eps(self, key: str, default: float) -> float:
        """What a norm adds to the variance; the default where the key is left out.

        Raises:
            ConfigError: It is no number, or below 0, where the root of the variance is lost.
        """
        eps = self.number(key, default)
        if eps < 0:
            raise ConfigError(f"{key} must be 0 or more, not {eps}.")
        return eps

    def cap(self, key: str, default: float | None = None) -> float | None:
        """A number that null switches off; the default where it is left out.

        Raises:
            ConfigError: It is no number.
        """
        given = self.config.get(key, default)
        return None if given is None else as_number(key, given)

    def flag(self, key: str, default: bool) -> bool:
        """A yes or no from the config; the default where the key is left out.

        Raises:
            ConfigError: It is neither.
        """
        given = self.config.get(key, default)
        if not isinstance(given, bool):
            raise ConfigError(f"{key} is {given!r}; it can be true or false.")
        return given

    def choice(self, key: str, default: str) -> str:
        """A choice from the config, by name; the default where the key is left out.

        Raises:
            ConfigError: It is no name.
        """
        given = self.config.get(key, default)
        if not isinstance(given, str):
            raise ConfigError(f"{key} must be a name, not {given!r}.")
        return given

    def one_of(self, key: str, default: str, known: Mapping[str, T]) -> T:
        """The thing that a choice names.

        Raises:
            ConfigError: The name is not known.
        """
        return pick(key, self.choice(key, default), known)

    def refuse(self, key: str, reason: str) -> None:
        """Refuse a switch that is on and that the family has no part for.

        Raises:
            ConfigError: It is on.
        """
        if self.config.get(key):
            raise ConfigError(f"{key} is {self.config[key]!r}: {reason}.")

    def holds(self, name: str) -> bool:
        """Whether the checkpoint has a tensor of this name."""
        return name in self._tensors

    def tensor(self, name: str, *shape: int) -> Tensor:
        """A tensor of exactly this shape, all of it finite.

        Raises:
            CheckpointError: It is missing, has another shape, or holds a NaN or an infinity.
        """
        if name not in self._tensors:
            raise CheckpointError(f"The checkpoint has no tensor {name}.")
        tensor = self._tensors[name]
        if tuple(tensor.shape) != shape:
            raise CheckpointError(
                f"{name} has the shape {list(tensor.shape)}; the config asks for {list(shape)}."
            )
        if not _finite(tensor):
            raise CheckpointError(f"{self._names[name]} holds numbers that are not finite.")
        self._used.add(name)
        return tensor

    def first(self, names: Sequence[str], *shape: int) -> Tensor:
        """The first of several names that the checkpoint has, of exactly this shape.

        Raises:
            CheckpointError: None is there, or it has another shape.
        """
        return self.tensor(next(filter(self.holds, names), names[0]), *shape)

    def optional(self, name: str, *shape: int) -> Tensor | None:
        """A tensor of exactly this shape, or None where the checkpoint has none.

        Raises:
            CheckpointError: It has another shape.
        """
        return self.tensor(name, *shape) if self.holds(name) else None

    def heads_out(
        self, name: str, n_heads: int, width: int, d_model: int
    ) -> Float[Tensor, "head d_model width"]:
        """A projection into heads, stored [out, in] as torch's Linear has it; a view, not a copy."""
        return self.tensor(name, n_heads * width, d_model).view(n_heads, width, d_model).transpose(1, 2)

    def heads_in(
        self, name: str, n_heads: int, width: int, d_model: int
    ) -> Float[Tensor, "head width d_model"]:
        """The projection out of the heads, stored [out, in]; a view, not a copy."""
        return self.tensor(name, d_model, n_heads * width).T.view(n_heads, width, d_model)

    def head_bias(self, name: str, n_heads: int, width: int) -> Float[Tensor, "head width"]:
        """A bias of a projection into heads."""
        return self.tensor(name, n_heads * width).view(n_heads, width)

    def unused(self, known: Sequence[str]) -> tuple[str, ...]:
        """Tensors that nobody asked for and that none of the known patterns (``pooler.*``) names."""
        rest = (name for name in self._tensors if name not in self._used)
        return tuple(
            self._names[name] for name in rest if not any(fnmatchcase(name, pattern) for pattern in known)
        )


def pick(key: str, name: str, known: Mapping[str, T]) -> T:
    """The thing that a name stands for.

    Raises:
        ConfigError: The name is not known.
    """
    if name not in known:
        raise ConfigError(f"{key} is {name!r}; known here: {', '.join(sorted(known))}.")
    return known[name]


def as_number(key: str, given: object, default: float | None = None) -> float:
    """What a config gives under a key, or the default where it gives nothing.

    Raises:
        ConfigError: It is no number, or nothing is given and there is no default.
    """
    value = default if given is None else given
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigError(f"{key} must be a number, not {value!r}.")
    return float(value)


def _finite(tensor: Tensor) -> bool:
    """By the extremes, which NaN takes over: isfinite would need as much memory as the tensor."""
    if not tensor.numel() or not tensor.is_floating_point():
        return True
    return all(math.isfinite(extreme) for extreme in tensor.aminmax())


def _short(name: str, prefixes: Sequence[str]) -> str:
    prefix = next((prefix for prefix in prefixes if name.startswith(prefix)), "")
    short = name.removeprefix(prefix)
    ending = next((ending for ending in OLD_ENDINGS if short.endswith(ending)), None)
    return short if ending is None else short.removesuffix(ending) + OLD_ENDINGS[ending]
