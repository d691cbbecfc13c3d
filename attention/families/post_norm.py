"""Post-norm blocks (Vaswani et al. 2017), which BERT's kin build alike under names of their own."""

from __future__ import annotations

from dataclasses import dataclass

from attention.engine.config import ModelConfig
from attention.engine.layer import AttentionSublayer, Layer, MLPSublayer
from attention.engine.mlp import ACTIVATIONS
from attention.engine.norms import Norms
from attention.families.parts import Projections, attention_params, layer_norm, mlp_params, plain_attention
from attention.families.source import Source


@dataclass(frozen=True, kw_only=True)
class BlockNames:
    """What a family calls the modules of a block, inside it.

    Attributes:
        projections: The attention sublayer's four.
        attention_norm: The norm after attention is added.
        up: The MLP's first matrix.
        down: Its second.
        mlp_norm: The norm after the MLP is added.
        activation: The config's key for the MLP's activation.
    """

    projections: Projections
    attention_norm: str
    up: str
    down: str
    mlp_norm: str
    activation: str


def block(source: Source, name: str, names: BlockNames, sizes: ModelConfig, *, eps: float) -> Layer:
    """One block: attention, add, norm, MLP, add, norm.

    Args:
        source: The checkpoint.
        name: The block's.
        names: What is called how inside it.
        sizes: The model's.
        eps: Of both norms.

    Raises:
        ConfigError: The activation is not known.
        CheckpointError: A tensor is missing or mis-shaped.
    """
    config = plain_attention(sizes)

    def after_add(norm: str) -> Norms:
        return Norms(after_add=layer_norm(source, f"{name}.{norm}", sizes.d_model, eps))

    return Layer(
        attention=AttentionSublayer(
            config=config,
            params=attention_params(source, names.projections.of(name), config),
            norms=after_add(names.attention_norm),
        ),
        mlp=MLPSublayer(
            params=mlp_params(source, sizes, up=f"{name}.{names.up}", down=f"{name}.{names.down}"),
            activation=source.one_of(names.activation, "gelu", ACTIVATIONS),
            norms=after_add(names.mlp_norm),
        ),
    )
