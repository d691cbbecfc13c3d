"""GPT-2 (Radford et al. 2019): a causal decoder with pre-norm blocks and learned positions.

Follows ``GPT2LMHeadModel`` of transformers. Its ``Conv1D`` stores matrices [in, out], the other way round
from torch's Linear, and one of them holds W_Q, W_K and W_V side by side.
"""

from __future__ import annotations

from dataclasses import replace

from attention.engine.config import AttentionConfig, ModelConfig
from attention.engine.embedding import Embedding
from attention.engine.layer import AttentionSublayer, Layer, MLPSublayer
from attention.engine.masks import Causal
from attention.engine.mlp import ACTIVATIONS
from attention.engine.norms import LayerNorm, Norms
from attention.engine.params import AttentionParams, MLPParams
from attention.engine.stack import Stack
from attention.engine.transformer import Transformer
from attention.families.parts import layer_norm, plain_attention, share, unembedding
from attention.families.source import Config, Source, Tensors

IGNORED = ("h.*.attn.bias", "h.*.attn.masked_bias", "score.*", "classifier.*", "multiple_choice_head.*")
"""Causal masks that older versions saved, and heads other than the language model's."""


def build(config: Config, tensors: Tensors) -> Transformer:
    """A GPT-2 from a checkpoint.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, prefixes=("transformer.",))
    source.refuse("add_cross_attention", "only the decoder by itself is known here")
    sizes = _sizes(source)
    tokens = source.tensor("wte.weight", sizes.d_vocab, sizes.d_model)
    return Transformer(
        config=sizes,
        embedding=Embedding(
            tokens=tokens, positions=source.tensor("wpe.weight", sizes.n_positions, sizes.d_model)
        ),
        stack=Stack(
            layers=tuple(_layer(source, index, sizes) for index in range(sizes.n_layers)),
            final_norm=_norm(source, "ln_f", sizes),
        ),
        unembedding=unembedding(
            source, ["lm_head.weight"], tokens, tied=source.flag("tie_word_embeddings", True)
        ),
        ignored=source.unused(IGNORED),
    )


def _sizes(source: Source) -> ModelConfig:
    d_model, n_heads = source.size("n_embd"), source.size("n_head")
    return ModelConfig(
        family="gpt2",
        n_layers=source.size("n_layer"),
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_model=d_model,
        d_head=share(source, "n_embd", "n_head"),
        d_mlp=source.size("n_inner", default=4 * d_model),
        n_positions=source.size("n_positions"),
        d_vocab=source.size("vocab_size"),
    )


def _layer(source: Source, index: int, sizes: ModelConfig) -> Layer:
    name = f"h.{index}"
    return Layer(
        attention=AttentionSublayer(
            config=replace(plain_attention(sizes), scale=_scale(source, index, sizes), own_mask=Causal()),
            params=_attention(source, f"{name}.attn", plain_attention(sizes)),
            norms=Norms(before=_norm(source, f"{name}.ln_1", sizes)),
        ),
        mlp=MLPSublayer(
            params=_mlp(source, f"{name}.mlp", sizes),
            activation=source.one_of("activation_function", "gelu_new", ACTIVATIONS),
            norms=Norms(before=_norm(source, f"{name}.ln_2", sizes)),
        ),
    )


def _scale(source: Source, index: int, sizes: ModelConfig) -> float:
    plain = sizes.d_head**-0.5 if source.flag("scale_attn_weights", True) else 1.0
    return plain / (index + 1) if source.flag("scale_attn_by_inverse_layer_idx", False) else plain


def _attention(source: Source, name: str, config: AttentionConfig) -> AttentionParams:
    d_model, heads, d_head = config.d_model, config.n_heads, config.d_head
    joined = source.tensor(f"{name}.c_attn.weight", d_model, 3 * d_model).view(d_model, 3, heads, d_head)
    w_q, w_k, w_v = joined.permute(1, 2, 0, 3)
    b_q, b_k, b_v = source.tensor(f"{name}.c_attn.bias", 3 * d_model).view(3, heads, d_head)

    return AttentionParams(
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        w_o=source.tensor(f"{name}.c_proj.weight", d_model, d_model).view(heads, d_head, d_model),
        b_q=b_q,
        b_k=b_k,
        b_v=b_v,
        b_o=source.tensor(f"{name}.c_proj.bias", d_model),
    )


def _mlp(source: Source, name: str, sizes: ModelConfig) -> MLPParams:
    return MLPParams(
        w_in=source.tensor(f"{name}.c_fc.weight", sizes.d_model, sizes.d_mlp),
        w_out=source.tensor(f"{name}.c_proj.weight", sizes.d_mlp, sizes.d_model),
        b_in=source.tensor(f"{name}.c_fc.bias", sizes.d_mlp),
        b_out=source.tensor(f"{name}.c_proj.bias", sizes.d_model),
    )


def _norm(source: Source, name: str, sizes: ModelConfig) -> LayerNorm:
    return layer_norm(source, name, sizes.d_model, source.eps("layer_norm_epsilon", 1e-5))
