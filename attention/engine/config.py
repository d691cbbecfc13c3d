"""Sizes and choices of a model, checked at the door. No tensors."""

from __future__ import annotations

from dataclasses import dataclass, field

from attention.engine.masks import Full, MaskRule
from attention.engine.positions import Buckets, Fall, Rotary
from attention.errors import ConfigError

MOST_LAYERS = 10_000


@dataclass(frozen=True, kw_only=True)
class AttentionConfig:
    """Sizes and choices of one attention sublayer.

    Attributes:
        d_model: Width of the residual stream.
        n_heads: Query heads.
        n_kv_heads: Key and value heads; each serves n_heads / n_kv_heads query heads (Ainslie et al. 2023).
        d_head: Width of a query and of a key.
        d_value: Width of a value; most models have d_value = d_head.
        scale: What the scores are multiplied by; 1/√d_head in Vaswani et al. 2017, section 3.2.1.
        own_mask: The mask the model was trained with.
        norm_eps: Eps of the norm on each head's queries and keys; None where they are not normed.
        rotary: How queries and keys turn with their position; None where they do not.
        softcap: Scaled scores are bent to stay below this; None where they are not.
        bias: How the distance from query to key becomes a bias on their score; None where it does not.

    Raises:
        ConfigError: A size below 1, heads that do not divide into their groups, more channels to turn than a
            head has, or a cap that is not above 0.
    """

    d_model: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_value: int
    scale: float
    own_mask: MaskRule = field(default_factory=Full)
    norm_eps: float | None = None
    rotary: Rotary | None = None
    softcap: float | None = None
    bias: Buckets | Fall | None = None

    def __post_init__(self) -> None:
        for name in ("d_model", "n_heads", "n_kv_heads", "d_head", "d_value"):
            at_least_one(name, getattr(self, name))
        if self.n_heads % self.n_kv_heads:
            raise ConfigError(
                f"n_heads ({self.n_heads}) must be a multiple of n_kv_heads ({self.n_kv_heads})."
            )
        if self.rotary is not None and self.rotary.n_turning > self.d_head:
            raise ConfigError(f"{self.rotary.n_turning} channels cannot turn in a head of {self.d_head}.")
        if self.softcap is not None and self.softcap <= 0:
            raise ConfigError(f"A soft cap must be above 0, not {self.softcap}.")


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """Sizes of a whole model, by the field's names.

    Attributes:
        family: The name under which the family is known.
        n_layers: Layers of the stack.
        n_heads: Query heads a layer.
        n_kv_heads: Key and value heads a layer.
        d_model: Width of the residual stream.
        d_head: Width of a query and of a key.
        d_mlp: Width inside the MLP; 0 for a model without one.
        n_positions: Longest sequence the model takes, in tokens.
        d_vocab: Rows of the embedding table.
    """

    family: str
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_model: int
    d_head: int
    d_mlp: int
    n_positions: int
    d_vocab: int

    def __post_init__(self) -> None:
        for name in ("n_layers", "n_heads", "n_kv_heads", "d_model", "d_head", "n_positions", "d_vocab"):
            at_least_one(name, getattr(self, name))
        if self.n_layers > MOST_LAYERS:
            raise ConfigError(f"n_layers ({self.n_layers}) is more than the {MOST_LAYERS} that are built.")


def at_least_one(name: str, size: int) -> None:
    """Refuse a size that is no positive whole number.

    Raises:
        ConfigError: The size is below 1 or not an int.
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ConfigError(f"{name} must be a whole number of 1 or more, not {size!r}.")
