"""What several families build in the same way, under names of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from attention.engine.config import AttentionConfig, ModelConfig
from attention.engine.embedding import Unembedding
from attention.engine.norms import LayerNorm
from attention.engine.params import AttentionParams, MLPParams
from attention.errors import ConfigError
from attention.families.source import Source


@dataclass(frozen=True, kw_only=True)
class Projections:
    """What a family calls the four projections of an attention sublayer."""

    q: str
    k: str
    v: str
    o: str

    def of(self, sublayer: str) -> Projections:
        """The same, inside one sublayer."""
        return Projections(
            q=f"{sublayer}.{self.q}",
            k=f"{sublayer}.{self.k}",
            v=f"{sublayer}.{self.v}",
            o=f"{sublayer}.{self.o}",
        )


def attention_params(
    source: Source, names: Projections, config: AttentionConfig, *, qkv_bias: bool = True, o_bias: bool = True
) -> AttentionParams:
    """Four projections stored as torch's Linear has them, each by itself.

    Raises:
        CheckpointError: A tensor is missing or mis-shaped.
    """

    def bias(name: str, n_heads: int, width: int) -> Tensor | None:
        return source.head_bias(f"{name}.bias", n_heads, width) if qkv_bias else None

    heads, kv_heads, d_model = config.n_heads, config.n_kv_heads, config.d_model
    return AttentionParams(
        w_q=source.heads_out(f"{names.q}.weight", heads, config.d_head, d_model),
        w_k=source.heads_out(f"{names.k}.weight", kv_heads, config.d_head, d_model),
        w_v=source.heads_out(f"{names.v}.weight", kv_heads, config.d_value, d_model),
        w_o=source.heads_in(f"{names.o}.weight", heads, config.d_value, d_model),
        b_q=bias(names.q, heads, config.d_head),
        b_k=bias(names.k, kv_heads, config.d_head),
        b_v=bias(names.v, kv_heads, config.d_value),
        b_o=source.tensor(f"{names.o}.bias", d_model) if o_bias else None,
    )


def mlp_params(
    source: Source, sizes: ModelConfig, *, up: str, down: str, gate: str | None = None, bias: bool = True
) -> MLPParams:
    """The matrices of an MLP, stored as torch's Linear has them.

    Raises:
        CheckpointError: A tensor is missing or mis-shaped.
    """

    def inner_bias(name: str) -> Tensor | None:
        return source.tensor(f"{name}.bias", sizes.d_mlp) if bias else None

    return MLPParams(
        w_in=source.tensor(f"{up}.weight", sizes.d_mlp, sizes.d_model).T,
        w_out=source.tensor(f"{down}.weight", sizes.d_model, sizes.d_mlp).T,
        b_in=inner_bias(up),
        b_out=source.tensor(f"{down}.bias", sizes.d_model) if bias else None,
        w_gate=None if gate is None else source.tensor(f"{gate}.weight", sizes.d_mlp, sizes.d_model).T,
        b_gate=None if gate is None else inner_bias(gate),
    )


def layer_norm(source: Source, name: str, d_model: int, eps: float) -> LayerNorm:
    """A LayerNorm by the name of its module.

    Raises:
        CheckpointError: A tensor is missing or mis-shaped.
    """
    return LayerNorm(
        gain=source.tensor(f"{name}.weight", d_model), bias=source.tensor(f"{name}.bias", d_model), eps=eps
    )


def plain_attention(sizes: ModelConfig) -> AttentionConfig:
    """Attention as Vaswani et al. 2017 have it: scores over √d_head, everything in sight."""
    return AttentionConfig(
        d_model=sizes.d_model,
        n_heads=sizes.n_heads,
        n_kv_heads=sizes.n_kv_heads,
        d_head=sizes.d_head,
        d_value=sizes.d_head,
        scale=sizes.d_head**-0.5,
    )


def output_matrix(source: Source, names: Sequence[str], tokens: Tensor, *, tied: bool) -> Tensor | None:
    """[d_vocab, d_model]: the output matrix where the checkpoint has one, else the embedding if tied.

    transformers (5) too goes by the tensors where they contradict ``tie_word_embeddings``. None for the
    base of a model, saved without its head.

    Raises:
        CheckpointError: It has another shape than the embedding.
    """
    if any(map(source.holds, names)):
        return source.first(names, *tokens.shape)
    return tokens if tied else None


def unembedding(source: Source, names: Sequence[str], tokens: Tensor, *, tied: bool) -> Unembedding | None:
    """The plain way from the last residual stream to the vocabulary.

    Raises:
        CheckpointError: The output matrix has another shape than the embedding.
    """
    w = output_matrix(source, names, tokens, tied=tied)
    return None if w is None else Unembedding(w=w.T)


def share(source: Source, d_model_key: str, n_heads_key: str) -> int:
    """Width of a head where the heads share d_model out between them.

    Raises:
        ConfigError: They cannot.
    """
    d_model, n_heads = source.size(d_model_key), source.size(n_heads_key)
    if d_model % n_heads:
        raise ConfigError(f"{d_model_key} ({d_model}) must be a multiple of {n_heads_key} ({n_heads}).")
    return d_model // n_heads
