"""Toy models: attention alone, every number set by hand, every size chosen freely.

A layer is one attention sublayer and its residual, without norms and MLP. Tensors are stored in the
engine's own shapes (``layers.0.w_q`` is [head, d_model, d_head]); biases, position vectors and the output
matrix are left out at will. ``d_value`` may differ from ``d_head``; the scale may be set, and so may a soft
cap (``softcap``), rotation (``rotary_base``, of ``d_rotary`` channels) and ``"bias": "alibi"``.
"""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from attention.engine.config import AttentionConfig, ModelConfig
from attention.engine.embedding import Embedding, Unembedding
from attention.engine.layer import AttentionSublayer, Layer
from attention.engine.masks import Causal, Full, MaskRule
from attention.engine.norms import Norms
from attention.engine.params import AttentionParams
from attention.engine.positions import Fall, Rotary, slopes
from attention.engine.stack import Stack
from attention.engine.transformer import Transformer
from attention.families.source import Config, Source, Tensors

MASKS: dict[str, MaskRule] = {"full": Full(), "causal": Causal()}
BIASES: dict[str, Fall | None] = {"none": None, "alibi": Fall()}


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
    output = source.optional("unembed", sizes.d_model, sizes.d_vocab)
    return Transformer(
        config=sizes,
        embedding=embedding,
        stack=Stack(layers=layers),
        unembedding=None if output is None else Unembedding(w=output),
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
        scale=source.number("scale", sizes.d_head**-0.5),
        own_mask=source.one_of("mask", "full", MASKS),
        rotary=_rotary(source, sizes.d_head),
        softcap=source.cap("softcap"),
        bias=source.one_of("bias", "none", BIASES),
    )
    params = _params(source, name, config)
    if config.bias is not None:
        params = replace(params, bias=slopes(sizes.n_heads, params.w_q.dtype)[:, None])
    return Layer(attention=AttentionSublayer(config=config, params=params, norms=Norms()))


def _rotary(source: Source, d_head: int) -> Rotary | None:
    base = source.cap("rotary_base")
    return None if base is None else Rotary(base=base, n_channels=source.size("d_rotary", default=d_head))


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
