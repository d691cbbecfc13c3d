"""How a family reads its checkpoint: each size and each tensor is asked for by name and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from jaxtyping import Float
from torch import Tensor

from attention.engine.config import at_least_one
from attention.errors import CheckpointError, ConfigError

Config: TypeAlias = Mapping[str, Any]
Tensors: TypeAlias = Mapping[str, Tensor]
T = TypeVar("T")


class Source:
    """A config and its tensors; remembers which tensors were asked for.

    Args:
        config: A ``config.json`` as read.
        tensors: Tensors by name.
        prefix: What some checkpoints put before every name of the encoder; taken off where it stands.
    """

    def __init__(self, config: Config, tensors: Tensors, prefix: str = "") -> None:
        self.config = config
        self._tensors = {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}
        self._names = {name.removeprefix(prefix): name for name in tensors}
        self._used: set[str] = set()

    def size(self, key: str) -> int:
        """A size from the config.

        Raises:
            ConfigError: It is missing or no positive whole number.
        """
        if key not in self.config:
            raise ConfigError(f"The config has no {key}.")
        size = self.config[key]
        at_least_one(key, size)
        return int(size)

    def choice(self, key: str, default: str) -> str:
        """A choice from the config, by name; the default where it is left out."""
        return str(self.config.get(key) or default)

    def one_of(self, key: str, default: str, known: Mapping[str, T]) -> T:
        """The thing that a choice names.

        Raises:
            ConfigError: The name is not known.
        """
        name = self.choice(key, default)
        if name not in known:
            raise ConfigError(f"{key} is {name!r}; known here: {', '.join(sorted(known))}.")
        return known[name]

    def tensor(self, name: str, *shape: int) -> Tensor:
        """A tensor of exactly this shape.

        Raises:
            CheckpointError: It is missing or has another shape.
        """
        if name not in self._tensors:
            raise CheckpointError(f"The checkpoint has no tensor {name}.")
        tensor = self._tensors[name]
        if tuple(tensor.shape) != shape:
            raise CheckpointError(
                f"{name} has the shape {list(tensor.shape)}; the config asks for {list(shape)}."
            )
        self._used.add(name)
        return tensor

    def optional(self, name: str, *shape: int) -> Tensor | None:
        """A tensor of exactly this shape, or None where the checkpoint has none.

        Raises:
            CheckpointError: It has another shape.
        """
        return self.tensor(name, *shape) if name in self._tensors else None

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
        """Tensors that nobody asked for and whose names do not start with one of the known."""
        rest = (name for name in self._tensors if name not in self._used)
        return tuple(self._names[name] for name in rest if not name.startswith(tuple(known)))
