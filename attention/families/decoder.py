"""What Llama's and Gemma's kin share: a causal decoder with RMS norms, rotation and a gated MLP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attention.engine.config import AttentionConfig, ModelConfig
from attention.engine.layer import AttentionSublayer, Layer, MLPSublayer
from attention.engine.mlp import Activation
from attention.engine.norms import Norms, RMSNorm
from attention.engine.params import AttentionParams
from attention.engine.stack import Stack
from attention.families.parts import Projections, attention_params, mlp_params
from attention.families.source import Source

PREFIXES = ("language_model.model.", "model.language_model.", "model.", "language_model.")
"""What checkpoints put before the decoder's names; the longer ones where the model sees pictures too."""

IGNORED = ("*.rotary_emb.inv_freq", "score.*", "classifier.*", "qa_outputs.*")
"""Frequencies that older versions saved, and heads other than the language model's."""

PROJECTIONS = Projections(q="q_proj", k="k_proj", v="v_proj", o="o_proj")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """What sets one family of decoders apart from another, beside its AttentionConfigs.

    Attributes:
        activation: Bends the gate of the MLP.
        qkv_bias: W_Q, W_K and W_V have biases.
        o_bias: W_O has one.
        mlp_bias: The MLP's matrices have them.
        sandwich: Norms on both sides of each sublayer instead of before it alone.
        stored_less: What was taken off each gain before it was stored.
    """

    activation: Activation
    qkv_bias: bool = False
    o_bias: bool = False
    mlp_bias: bool = False
    sandwich: bool = False
    stored_less: float = 0.0


def stack(source: Source, sizes: ModelConfig, configs: Sequence[AttentionConfig], variant: Variant) -> Stack:
    """The layers and the norm after the last.

    Raises:
        CheckpointError: A tensor is missing or mis-shaped.
    """
    layers = (
        _layer(source, f"layers.{index}", sizes, config, variant) for index, config in enumerate(configs)
    )
    return Stack(layers=tuple(layers), final_norm=_norm(source, "norm", sizes, variant))


def _layer(source: Source, name: str, sizes: ModelConfig, config: AttentionConfig, variant: Variant) -> Layer:
    around_attention, around_mlp = _norms(source, name, sizes, variant)
    return Layer(
        attention=AttentionSublayer(
            config=config,
            params=_attention(source, f"{name}.self_attn", config, variant),
            norms=around_attention,
        ),
        mlp=MLPSublayer(
            params=mlp_params(
                source,
                sizes,
                up=f"{name}.mlp.up_proj",
                down=f"{name}.mlp.down_proj",
                gate=f"{name}.mlp.gate_proj",
                bias=variant.mlp_bias,
            ),
            activation=variant.activation,
            norms=around_mlp,
        ),
    )


def _attention(source: Source, name: str, config: AttentionConfig, variant: Variant) -> AttentionParams:
    names = PROJECTIONS.of(name)
    params = attention_params(source, names, config, qkv_bias=variant.qkv_bias, o_bias=variant.o_bias)
    if config.norm_eps is None:
        return params
    g_q, g_k = (source.tensor(f"{name}.{which}_norm.weight", config.d_head) for which in "qk")
    return replace(params, g_q=g_q + variant.stored_less, g_k=g_k + variant.stored_less)


def _norms(source: Source, name: str, sizes: ModelConfig, variant: Variant) -> tuple[Norms, Norms]:
    """Those around attention and those around the MLP.

    The name ``post_attention_layernorm`` means what follows attention in a sandwich, and elsewhere the norm
    before the MLP.
    """

    def norm(which: str) -> RMSNorm:
        return _norm(source, f"{name}.{which}_layernorm", sizes, variant)

    if not variant.sandwich:
        return Norms(before=norm("input")), Norms(before=norm("post_attention"))
    return (
        Norms(before=norm("input"), after_sublayer=norm("post_attention")),
        Norms(before=norm("pre_feedforward"), after_sublayer=norm("post_feedforward")),
    )


def _norm(source: Source, name: str, sizes: ModelConfig, variant: Variant) -> RMSNorm:
    gain = source.tensor(f"{name}.weight", sizes.d_model)
    return RMSNorm(gain=gain + variant.stored_less, eps=source.eps("rms_norm_eps", 1e-6))
