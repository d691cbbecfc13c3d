"""Causal decoders: GPT-2, GPT-NeoX, and Llama's and Gemma's kin."""

from dataclasses import replace

from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from tests.families.case import Asked, Case
from tests.reference import Layout

ORDER = (6, 0, 3, 8, 1, 7, 2, 5, 4)
# No more padding than a window is wide: a padded token that sees nothing but padding gets weights of zero
# from us, and equal shares of everything from transformers.
ASKED = {
    "one token": Asked(ids=(7,)),
    "padded": Asked(pad_to=11),
    "full": Asked(mask="full"),
    "prefix of three": Asked(mask="prefix of three"),
    "positions permuted": Asked(positions=ORDER),
    "padded and full": Asked(pad_to=14, mask="full"),
    "plain": Asked(),
    # far enough for slow rotations to be seen, and for windows to slide
    "long": Asked(ids=tuple(3 + 7 * i % 26 for i in range(53))),
}

GPT2 = Case(
    name="gpt2",
    make=lambda: GPT2LMHeadModel(
        GPT2Config(n_embd=15, n_head=3, n_layer=4, n_inner=22, vocab_size=31, n_positions=64)
    ),
    layout=Layout(
        layers=lambda model: model.transformer.h,
        attention=lambda layer: layer.attn,
        output=lambda layer: layer.attn.c_proj,
        mid=lambda layer: layer.ln_2,
        final=lambda model: model.transformer.ln_f,
    ),
    asked=ASKED,
)

_NEOX = Layout(
    layers=lambda model: model.gpt_neox.layers,
    attention=lambda layer: layer.attention,
    output=lambda layer: layer.attention.dense,
    final=lambda model: model.gpt_neox.final_layer_norm,
)


def _neox(**choices):
    # 3 heads of 14, of which int(14 × 0.4) = 5 channels make three pairs
    sizes = dict(
        hidden_size=42, num_attention_heads=3, num_hidden_layers=4, intermediate_size=22, vocab_size=31
    )
    return GPTNeoXForCausalLM(GPTNeoXConfig(**sizes, max_position_embeddings=64, rotary_pct=0.4, **choices))


GPT_NEOX = Case(name="gpt_neox", make=_neox, layout=_NEOX, asked=ASKED)
GPT_NEOX_SEQUENTIAL = Case(
    name="gpt_neox, in sequence and unbiased",
    make=lambda: _neox(use_parallel_residual=False, attention_bias=False, tie_word_embeddings=True),
    layout=replace(_NEOX, mid=lambda layer: layer.post_attention_layernorm),
    asked=ASKED,
)

_LLAMA = Layout(
    layers=lambda model: model.model.layers,
    mid=lambda layer: layer.post_attention_layernorm,
    final=lambda model: model.model.norm,
    projected=lambda layer: (layer.self_attn.q_proj, layer.self_attn.k_proj),
)
_NORMED = replace(_LLAMA, normed=lambda layer: (layer.self_attn.q_norm, layer.self_attn.k_norm))
# 6 heads of 10 share 2 kv heads; 6 × 10 is not d_model
_SIZES = dict(
    hidden_size=24,
    num_attention_heads=6,
    num_key_value_heads=2,
    num_hidden_layers=5,
    intermediate_size=22,
    vocab_size=31,
    max_position_embeddings=64,
)

LLAMA = Case(
    name="llama",
    make=lambda: LlamaForCausalLM(LlamaConfig(**_SIZES, head_dim=10)),
    layout=_LLAMA,
    asked=ASKED,
)
# The wavelengths 6.3, 16, 41, 106 and 270 lie on both sides of 32/4 and 32/1, and between.
LLAMA3 = Case(
    name="llama with biases and llama3 scaling",
    make=lambda: LlamaForCausalLM(
        LlamaConfig(
            **_SIZES,
            head_dim=10,
            attention_bias=True,
            mlp_bias=True,
            tie_word_embeddings=True,
            rope_parameters=dict(
                rope_type="llama3",
                rope_theta=111.0,
                factor=8.0,
                low_freq_factor=1.0,
                high_freq_factor=4.0,
                original_max_position_embeddings=32,
            ),
        )
    ),
    layout=_LLAMA,
    asked=ASKED,
)
MISTRAL = Case(
    name="mistral",
    make=lambda: MistralForCausalLM(MistralConfig(**_SIZES, head_dim=10, sliding_window=4)),
    layout=_LLAMA,
    asked=ASKED,
)
QWEN2 = Case(
    name="qwen2",
    make=lambda: Qwen2ForCausalLM(
        Qwen2Config(**_SIZES, use_sliding_window=True, max_window_layers=2, sliding_window=4)
    ),
    layout=_LLAMA,
    asked=ASKED,
)
QWEN3 = Case(
    name="qwen3",
    make=lambda: Qwen3ForCausalLM(
        Qwen3Config(**_SIZES, head_dim=10, use_sliding_window=True, max_window_layers=3, sliding_window=4)
    ),
    layout=_NORMED,
    asked=ASKED,
)
# Scores reach past the caps, and 7 is not the width of a head.
GEMMA2 = Case(
    name="gemma2",
    make=lambda: Gemma2ForCausalLM(
        Gemma2Config(
            **_SIZES,
            head_dim=10,
            sliding_window=4,
            attn_logit_softcapping=2.5,
            final_logit_softcapping=4.0,
            query_pre_attn_scalar=7,
            attention_bias=True,
        )
    ),
    layout=replace(_LLAMA, mid=lambda layer: layer.pre_feedforward_layernorm),
    asked=ASKED,
)
GEMMA3 = Case(
    name="gemma3",
    make=lambda: Gemma3ForCausalLM(
        Gemma3TextConfig(
            **_SIZES,
            head_dim=10,
            sliding_window=4,
            sliding_window_pattern=3,
            query_pre_attn_scalar=7,
            rope_scaling=dict(rope_type="linear", factor=8.0),
        )
    ),
    layout=replace(_NORMED, mid=lambda layer: layer.pre_feedforward_layernorm),
    asked=ASKED,
)
