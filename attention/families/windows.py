"""Layers that see everything before them, and layers that see a window of it."""

from __future__ import annotations

from collections.abc import Sequence

from attention.engine.masks import Causal, MaskRule, Window
from attention.errors import ConfigError
from attention.families.source import Source

GLOBAL, LOCAL = "full_attention", "sliding_attention"
DEFAULT = 4096
"""transformers' width of a window, for all families that have one."""


def layer_types(source: Source, n_layers: int, default: Sequence[str]) -> tuple[str, ...]:
    """The kind of each layer, by the names that configs use.

    Raises:
        ConfigError: There are not as many as layers, or a kind is not known.
    """
    given = source.config.get("layer_types")
    types = default if given is None else given
    if isinstance(types, str) or not isinstance(types, Sequence) or len(types) != n_layers:
        raise ConfigError(f"layer_types must name a kind for each of the {n_layers} layers, not {types!r}.")
    for kind in types:
        if kind not in (GLOBAL, LOCAL):
            raise ConfigError(f"layer_types has {kind!r}; known here: {GLOBAL}, {LOCAL}.")
    return tuple(types)


def causal_mask(source: Source, kind: str) -> MaskRule:
    """The mask of one kind of layer. A ``sliding_window`` of W counts the query itself.

    Raises:
        ConfigError: The layer has a window and the config does not say how wide.
    """
    return Causal() if kind == GLOBAL else Window(_width(source) - 1, 0)


def _width(source: Source) -> int:
    if not has_window(source):
        raise ConfigError("sliding_window is null, and yet a layer has a window.")
    return source.size("sliding_window", default=DEFAULT)


def has_window(source: Source) -> bool:
    """Whether there is a window: null takes it away, leaving it out gives transformers' own width."""
    return source.config.get("sliding_window", DEFAULT) is not None
