"""Mistakes in GPT-2 and GPT-NeoX: fused projections, a part rotated, residuals in parallel."""

from dataclasses import replace

import torch
import torch.nn.functional as F

from attention.engine import embedding, layer, masks, mlp, norms
from attention.families import gpt2, gpt_neox
from tests.mutants.seeding import (
    Mutant,
    config,
    configured,
    dropped,
    layers,
    ones,
    step,
    swapped,
    tensors,
    third_dropped,
)
from tests.mutants.shared import allows, unbiased


def turned_in(pattern):
    """A square matrix that nobody turned round."""
    return tensors(pattern, lambda w: w.T.contiguous())


def _order(q, k, v):
    def change(joined):
        return torch.cat([joined.chunk(3, dim=-1)[which] for which in (q, k, v)], dim=-1)

    return tensors("*.c_attn.*", change)


def _as_blocks(joined):
    """q q … k k … v v … laid out as if it were q₀ k₀ v₀ q₁ … of 3 heads."""
    return joined.view(3, 3, 14, *joined.shape[1:]).transpose(0, 1).reshape(joined.shape)


def _exact_gelu(name):
    return lambda patch: patch.setitem(mlp.ACTIVATIONS, name, F.gelu)


def pairs_of_neighbours(heads, positions, rotary):
    """Channels 2i and 2i + 1 make a pair."""
    angles = positions[:, None].to(heads.dtype) * rotary.frequencies(heads.dtype)
    turning, still = heads[..., : rotary.n_turning], heads[..., rotary.n_turning :]
    first, second = turning[..., 0::2], turning[..., 1::2]
    turned = [first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin()]
    return torch.cat([torch.stack(turned, -1).flatten(-2), still], dim=-1)


def turned_backwards(heads, positions, rotary, real):
    return real(heads, -positions, rotary)


def rotary(**changes):
    return lambda config: replace(config.rotary, **changes)


def _without_positions(patch):
    real = embedding.Embedding.embed
    patch.setattr(
        embedding.Embedding, "embed", lambda self, ids, segments, places: real(self, ids, segments, None)
    )


def _same_norm_for_both(made):
    return replace(made, mlp=replace(made.mlp, norms=made.attention.norms))


GPT2 = {
    "drop value bias": third_dropped("*.c_attn.bias", 2),
    "drop key bias": third_dropped("*.c_attn.bias", 1),
    "drop query bias": third_dropped("*.c_attn.bias", 0),
    "drop output bias": dropped("*.attn.c_proj.bias"),
    "LayerNorm bias dropped": dropped("*ln_*.bias"),
    "LayerNorm gain dropped": ones("*ln_*.weight"),
    "LayerNorm with unbiased std": lambda patch: patch.setattr(norms.LayerNorm, "__call__", unbiased),
    "exact GELU for tanh GELU": _exact_gelu("gelu_new"),
    "W_O not transposed": turned_in("*.attn.c_proj.weight"),
    "W_Q, W_K, W_V not transposed": tensors(
        "*.c_attn.weight", lambda w: torch.cat([part.T for part in w.chunk(3, dim=1)], dim=1)
    ),
    "order k q v": _order(1, 0, 2),
    "order q v k": _order(0, 2, 1),
    "no final norm": step("Stack", lambda layers, final_norm, real=gpt2.Stack: real(layers=layers), gpt2),
    "norms swapped": swapped("h.*.ln_*", "ln_1", "ln_2"),
    "positions left out": _without_positions,
    "not causal": configured(gpt2, own_mask=masks.Full()),
    "a causal mask where a prefix is visible": Mutant(
        allows(masks.Prefix, masks.Causal.allows), "prefix of three"
    ),
    "scale by layer": config(scale_attn_by_inverse_layer_idx=True),
    "scores not scaled": config(scale_attn_weights=False),
}

GPT_NEOX = {
    "q, k, v split as blocks": tensors("*.query_key_value.*", _as_blocks),
    "drop value bias": tensors("*.query_key_value.bias", lambda b: _zeroed(b, 2)),
    "drop key bias": tensors("*.query_key_value.bias", lambda b: _zeroed(b, 1)),
    "drop output bias": dropped("*.attention.dense.bias"),
    "rotary on all channels": config(rotary_pct=1.0, rope_parameters=None),
    "rotary on a quarter": config(rotary_pct=0.25, rope_parameters=None),
    "another base": config(rotary_emb_base=500.0, rope_parameters=None),
    "RoPE pairs 2i, 2i+1": step("rotate", pairs_of_neighbours),
    "residual in sequence": layers(gpt_neox, lambda made: replace(made, parallel=False)),
    "one norm for both": layers(gpt_neox, _same_norm_for_both),
    "tanh GELU for exact GELU": lambda patch: patch.setitem(
        mlp.ACTIVATIONS, "gelu", lambda x: F.gelu(x, approximate="tanh")
    ),
    "output matrix tied": swapped("lm_head.weight", "lm_head.weight", "embed_in.weight"),
    "permuted positions ignored": Mutant(
        step("numbers", lambda positions, n: torch.arange(n), layer), "positions permuted"
    ),
    "not causal": configured(gpt_neox, own_mask=masks.Full()),
}

GPT_NEOX_SEQUENTIAL = {
    "residual in parallel": layers(gpt_neox, lambda made: replace(made, parallel=True)),
    "another output matrix": tensors("lm_head.weight", lambda w: w.roll(1, 0)),
}


def _zeroed(bias, which):
    kept = bias.clone()
    kept.view(3, 3, 14)[:, which] = 0
    return kept
