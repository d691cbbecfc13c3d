"""Gemma 2 and 3 (Gemma Team 2024, 2025): windows in some layers, norms on both sides of each sublayer.

Follows transformers' ``Gemma2ForCausalLM`` (soft caps on scores and logits) and ``Gemma3ForCausalLM``
(norms on queries and keys, one base of rotation for layers with a window and one for the others). Gains are
stored less one; embeddings are multiplied by √d_model. Of a Gemma 3 that also sees pictures, the part that
reads text is built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from attention.engine.config import AttentionConfig, ModelConfig
from attention.engine.embedding import Embedding, Unembedding
from attention.engine.mlp import ACTIVATIONS
from attention.engine.positions import Rotary
from attention.engine.transformer import Transformer
from attention.errors import ConfigError
from attention.families import decoder, rope, windows
from attention.families.decoder import Variant
from attention.families.parts import output_matrix, plain_attention
from attention.families.source import Config, Source, Tensors

IGNORED = (*decoder.IGNORED, "vision_tower.*", "multi_modal_projector.*")
"""Also what looks at pictures."""


def build_gemma2(config: Config, tensors: Tensors) -> Transformer:
    """A Gemma 2 from a checkpoint: every other layer has the window, from the first on.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    source = Source(config, tensors, decoder.PREFIXES)
    sizes = _sizes(source, "gemma2", d_vocab=256000, n_positions=8192)
    rotary = rope.rotary(config, sizes.d_head)
    plain = replace(_attention(source, sizes), softcap=source.cap("attn_logit_softcapping", 50.0))
    configs = _layers(source, sizes, plain, every=2, rotary=lambda kind: rotary)
    return _build(source, sizes, configs, softcap=source.cap("final_logit_softcapping", 30.0))


def build_gemma3(config: Config, tensors: Tensors) -> Transformer:
    """A Gemma 3 from a checkpoint: the window in five layers of six.

    Raises:
        ConfigError: A size is missing, or a choice is one this family does not have.
        CheckpointError: A tensor is missing or has another shape than the config says.
    """
    text = config.get("text_config", config)
    if not isinstance(text, Mapping):
        raise ConfigError(f"text_config must be a table of names and values, not {text!r}.")
    source = Source(text, tensors, decoder.PREFIXES)
    source.refuse("attn_logit_softcapping", "this family caps no scores")
    sizes = _sizes(source, "gemma3", d_vocab=262208, n_positions=131072)
    plain = replace(_attention(source, sizes), norm_eps=source.eps("rms_norm_eps", 1e-6))
    configs = _layers(
        source,
        sizes,
        plain,
        every=source.size("sliding_window_pattern", "_sliding_window_pattern", default=6),
        rotary=lambda kind: _rotary(source, sizes.d_head, kind),
    )
    return _build(source, sizes, configs, softcap=source.cap("final_logit_softcapping"))


def _build(
    source: Source, sizes: ModelConfig, configs: Sequence[AttentionConfig], softcap: float | None
) -> Transformer:
    biased = source.flag("attention_bias", False)
    variant = Variant(
        activation=source.one_of("hidden_activation", "gelu_pytorch_tanh", ACTIVATIONS),
        qkv_bias=biased,
        o_bias=biased,
        sandwich=True,
        stored_less=1.0,
    )
    tokens = source.tensor("embed_tokens.weight", sizes.d_vocab, sizes.d_model)
    w = output_matrix(source, ["lm_head.weight"], tokens, tied=source.flag("tie_word_embeddings", True))
    return Transformer(
        config=sizes,
        embedding=Embedding(tokens=tokens, scale=sizes.d_model**0.5),
        stack=decoder.stack(source, sizes, configs, variant),
        unembedding=None if w is None else Unembedding(w=w.T, softcap=softcap),
        ignored=source.unused(IGNORED),
    )


def _sizes(source: Source, family: str, *, d_vocab: int, n_positions: int) -> ModelConfig:
    """Sizes, with transformers' own for those that published configs leave out."""
    source.refuse("use_bidirectional_attention", "only the causal model is known here")
    return ModelConfig(
        family=family,
        n_layers=source.size("num_hidden_layers", default=26),
        n_heads=source.size("num_attention_heads", default=8),
        n_kv_heads=source.size("num_key_value_heads", default=4),
        d_model=source.size("hidden_size", default=2304),
        d_head=source.size("head_dim", default=256),
        d_mlp=source.size("intermediate_size", default=9216),
        n_positions=source.size("max_position_embeddings", default=n_positions),
        d_vocab=source.size("vocab_size", default=d_vocab),
    )


def _attention(source: Source, sizes: ModelConfig) -> AttentionConfig:
    scalar = source.number("query_pre_attn_scalar", 256.0)
    if scalar <= 0:
        raise ConfigError(f"query_pre_attn_scalar must be above 0, not {scalar}.")
    return replace(plain_attention(sizes), scale=scalar**-0.5)


def _layers(
    source: Source,
    sizes: ModelConfig,
    plain: AttentionConfig,
    *,
    every: int,
    rotary: Callable[[str], Rotary],
) -> list[AttentionConfig]:
    """One config a layer; without ``layer_types`` one layer in ``every`` has no window, the others have."""
    default = [windows.LOCAL if (index + 1) % every else windows.GLOBAL for index in range(sizes.n_layers)]
    return [
        replace(plain, own_mask=windows.causal_mask(source, kind), rotary=rotary(kind))
        for kind in windows.layer_types(source, sizes.n_layers, default)
    ]


def _rotary(source: Source, d_head: int, kind: str) -> Rotary:
    """The newer spelling nests by kind of layer; the older ``rope_scaling`` is for global layers alone."""
    config = source.config
    nested = rope.as_parameters("rope_parameters", config.get("rope_parameters"))
    given = rope.as_parameters(f"rope_parameters.{kind}", nested.get(kind))
    if kind == windows.LOCAL:
        return rope.from_parameters(given, config, d_head, base=source.number("rope_local_base_freq", 1e4))
    scaling = rope.as_parameters("rope_scaling", config.get("rope_scaling"))
    base = source.number("rope_theta", 1e6)
    return rope.from_parameters({**given, **scaling}, config, d_head, base=base)
