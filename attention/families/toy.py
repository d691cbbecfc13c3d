"""Toy models: attention alone, every number set by hand, every size chosen freely.

A layer is one attention sublayer and its residual, without norms and MLP. Tensors are stored in the
engine's own shapes (``layers.0.w_q`` is [head, d_model, d_head]); biases, position vectors and the output
matrix are left out at will. ``d_value`` may differ from ``d_head``, and the scale may be set.
"""

from __future__ import annotations

from torch import Tensor

from attention.engine.config import AttentionConfig, ModelConfig
from attention.engine.layer import AttentionSublayer, Layer
from attention.engine.masks import Causal, Full, MaskRule
from attention.engine.norms import Norms
from attention.engine.params import AttentionParams
from attention.engine.stack import Stack
from attention.engine.transformer import Embedding, Transformer
from attention.families.source import Config, Source, Tensors

MASKS: dict[str, MaskRule] = {"full": Full(), "causal": Causal()}


def build(config: Config, tensors: Tensors) -> Transformer:
    """A toy from its sizes and its hand-set numbers.

    Raises:
        ConfigError: A size is missing or no positive whole number.
        CheckpointError: A tensor is missing or has another shape than the sizes say.
    """
    source = Source(config, tensors)
    sizes = _sizes(source)
    embedding = Embedding(
        tokens=source.tensor("embed.tokens", sizes.d_vocab, sizes.d_model),
        positions=source.optional("embed.positions", sizes.n_positions, sizes.d_model),
    )
    layers = tuple(_layer(source, f"layers.{index}", sizes) for index in range(sizes.n_layers))
    return Transformer(
        config=sizes,
        embedding=embedding,
        stack=Stack(layers=layers),
        unembedding=source.optional("unembed", sizes.d_model, sizes.d_vocab),
        ignored=source.unused(()),
    )


def _sizes(source: Source) -> ModelConfig:
    return ModelConfig(
        family="toy",
        n_layers=source.size("n_layers"),
        n_heads=source.size("n_heads"),
        n_kv_heads=source.size("n_kv_heads"),
        d_model=source.size("d_model"),
        d_head=source.size("d_head"),
        d_mlp=0,
        n_positions=source.size("n_positions"),
        d_vocab=source.size("d_vocab"),
    )


def _layer(source: Source, name: str, sizes: ModelConfig) -> Layer:
    config = AttentionConfig(
        d_model=sizes.d_model,
        n_heads=sizes.n_heads,
        n_kv_heads=sizes.n_kv_heads,
        d_head=sizes.d_head,
        d_value=source.size("d_value"),
        scale=float(source.config.get("scale", sizes.d_head**-0.5)),
        own_mask=source.one_of("mask", "full", MASKS),
    )
    return Layer(
        attention=AttentionSublayer(config=config, params=_params(source, name, config), norms=Norms())
    )


def _params(source: Source, name: str, config: AttentionConfig) -> AttentionParams:
    def weight(which: str, heads: int, rows: int, columns: int) -> Tensor:
        return source.tensor(f"{name}.{which}", heads, rows, columns)

    def bias(which: str, *shape: int) -> Tensor | None:
        return source.optional(f"{name}.{which}", *shape)

    heads, kv_heads = config.n_heads, config.n_kv_heads
    return AttentionParams(
        w_q=weight("w_q", heads, config.d_model, config.d_head),
        w_k=weight("w_k", kv_heads, config.d_model, config.d_head),
        w_v=weight("w_v", kv_heads, config.d_model, config.d_value),
        w_o=weight("w_o", heads, config.d_value, config.d_model),
        b_q=bias("b_q", heads, config.d_head),
        b_k=bias("b_k", kv_heads, config.d_head),
        b_v=bias("b_v", kv_heads, config.d_value),
        b_o=bias("b_o", config.d_model),
    )
