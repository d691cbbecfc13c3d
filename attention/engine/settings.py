"""What the reader changed, as one hashable value: cache key, URL state, and part of every run."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from attention.engine.masks import MaskRule, Own
from attention.errors import InputError

Positions: TypeAlias = Literal["own", "none"] | tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A change to a model's attention; the default changes nothing.

    Attributes:
        mask: Replaces the model's own mask; ``Own() & rule`` narrows it instead.
        mask_layers: Layers the mask applies to; None is every layer.
        heads_off: (layer, head) pairs whose outputs are set to zero before W_O.
        positions: "own", "none", or the position number each token is given: a permutation of the sequence.
        padding: Whether padded keys are hidden. False shows what goes wrong without it.
        encoder: Settings of an encoder's self-attention, where the model has an encoder. The other fields are
            then the decoder's.
        cross: Settings of a decoder's cross-attention, where the model has one; its rows are the target's
            tokens, its columns the source's, and it has no positions to change.

    Raises:
        InputError: Positions that are none, or settings inside the settings of an encoder or of
            cross-attention.
    """

    mask: MaskRule = field(default_factory=Own)
    mask_layers: Collection[int] | None = None
    heads_off: Collection[tuple[int, int]] = frozenset()
    positions: str | Iterable[int] = "own"
    padding: bool = True
    encoder: Settings | None = None
    cross: Settings | None = None

    def __post_init__(self) -> None:
        if self.mask_layers is not None:
            object.__setattr__(self, "mask_layers", frozenset(self.mask_layers))
        object.__setattr__(self, "heads_off", frozenset((layer, head) for layer, head in self.heads_off))
        object.__setattr__(self, "positions", _positions(self.positions))
        for site in (self.encoder, self.cross):
            if site is not None and (site.encoder is not None or site.cross is not None):
                raise InputError("The settings of an encoder or of cross-attention hold no others inside.")
        if self.cross is not None and self.cross.positions != "own":
            raise InputError("Cross-attention has no positions of its own to change.")

    @property
    def position_numbers(self) -> Positions:
        """The positions as they were frozen."""
        return _positions(self.positions)

    def mask_in(self, layer: int, own: MaskRule) -> MaskRule:
        """The rule in force in one layer, before padding."""
        if self.mask_layers is not None and layer not in self.mask_layers:
            return own
        return self.mask.resolve(own)

    def heads_off_in(self, layer: int) -> frozenset[int]:
        """The heads of one layer that are off."""
        return frozenset(head for off_layer, head in self.heads_off if off_layer == layer)

    def check_positions(self, n_positions: int, n_keys: int | None = None) -> None:
        """Refuse positions that the sequence does not have.

        Args:
            n_positions: Length of the sequence.
            n_keys: Length of the other sequence, where the keys are another's.

        Raises:
            InputError: The mask names a position out of range, or the positions are no permutation.
        """
        self.mask.check(n_positions, n_positions if n_keys is None else n_keys)
        if not isinstance(self.positions, str) and sorted(self.positions) != list(range(n_positions)):
            raise InputError(
                f"positions must be a permutation of the {n_positions} positions of the sequence."
            )

    def check_heads(self, n_layers: int, n_heads: int) -> None:
        """Refuse layers and heads that the model does not have.

        Raises:
            InputError: A layer or a head out of range.
        """
        for layer in sorted(self.mask_layers or ()):
            _index("layer", layer, n_layers)
        for layer, head in sorted(self.heads_off):
            _index("layer", layer, n_layers)
            _index("head", head, n_heads)


def _positions(given: str | Iterable[int]) -> Positions:
    if not isinstance(given, str):
        return tuple(given)
    if given not in ("own", "none"):
        raise InputError(f'positions is "own", "none" or a permutation, not "{given}".')
    return "own" if given == "own" else "none"


def _index(name: str, index: int, count: int) -> None:
    if not 0 <= index < count:
        raise InputError(f"There is no {name} {index}: the model has {count} ({name}s 0–{count - 1}).")
