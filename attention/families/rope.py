"""How configs spell rotation: ``rope_parameters``, and the older ``rope_theta`` and ``rope_scaling``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from attention.engine.positions import Rotary, Slowed, SlowedByWavelength
from attention.errors import ConfigError
from attention.families.source import Config, as_number, pick

Scaling: TypeAlias = Slowed | SlowedByWavelength | None


def rotary(config: Config, d_head: int, *, base: float = 10000.0, part: float = 1.0) -> Rotary:
    """Rotation as a config has it for all layers alike.

    Args:
        config: A ``config.json`` as read.
        d_head: Width of a head.
        base: The family's base, where the config leaves it out.
        part: The share of a head's channels that turn.

    Raises:
        ConfigError: A number is missing or none, or the kind of scaling is not known.
    """
    given = as_parameters("rope_scaling", config.get("rope_scaling"))
    given = given or as_parameters("rope_parameters", config.get("rope_parameters"))
    base = as_number("rope_theta", config.get("rope_theta"), base)
    return from_parameters(given, config, d_head, base=base, part=part)


def from_parameters(
    given: Mapping[str, Any], config: Config, d_head: int, *, base: float, part: float = 1.0
) -> Rotary:
    """Rotation out of one set of parameters in the newer spelling.

    Raises:
        ConfigError: A number is missing or none, or the kind of scaling is not known.
    """
    kind = str(given.get("rope_type") or given.get("type") or "default")
    return Rotary(
        base=as_number("rope_theta", given.get("rope_theta"), base),
        n_channels=int(d_head * part),
        scaling=pick("rope_type", kind, SCALINGS)(given, config),
    )


def as_parameters(key: str, given: object) -> Mapping[str, Any]:
    """What a config gives under a key, or nothing where it gives none.

    Raises:
        ConfigError: It is no table of names and values.
    """
    if given is not None and not isinstance(given, Mapping):
        raise ConfigError(f"{key} must be a table of names and values, not {given!r}.")
    return given or {}


def _slowed(given: Mapping[str, Any], config: Config) -> Scaling:
    return Slowed(factor=_factor(given))


def _by_wavelength(given: Mapping[str, Any], config: Config) -> Scaling:
    """As in transformers, the length beside the parameters goes before the one inside them."""
    key = "original_max_position_embeddings"
    n_trained = config.get(key) or given.get(key) or config.get("max_position_embeddings")
    return SlowedByWavelength(
        factor=_factor(given),
        low=as_number("low_freq_factor", given.get("low_freq_factor")),
        high=as_number("high_freq_factor", given.get("high_freq_factor")),
        n_trained=int(as_number(key, n_trained)),
    )


def _factor(given: Mapping[str, Any]) -> float:
    factor = as_number("factor", given.get("factor"))
    if factor <= 0:
        raise ConfigError(f"The factor of a rope scaling must be above 0, not {factor}.")
    return factor


SCALINGS: dict[str, Callable[[Mapping[str, Any], Config], Scaling]] = {
    "default": lambda given, config: None,
    "linear": _slowed,
    "llama3": _by_wavelength,
}
"""By ``rope_type``."""
