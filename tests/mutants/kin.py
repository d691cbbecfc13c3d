"""Mistakes in Llama's kin: groups of heads, rotation, windows, RMS norms, norms on queries and keys."""

from dataclasses import replace

import torch
import torch.nn.functional as F

from attention.engine import heads, layer, masks, norms, positions, steps
from attention.families import decoder
from tests.mutants.gpt import pairs_of_neighbours, turned_backwards
from tests.mutants.seeding import (
    Mutant,
    config,
    dropped,
    of_trace,
    ones,
    step,
    swapped,
)
from tests.mutants.shared import allows


def _tiled(kv, n_heads):
    return kv.repeat(n_heads // kv.shape[0], 1, 1)


def _rms(function):
    return lambda patch: patch.setattr(norms, "rms", function)


def _mean_taken_off(x, gain, eps):
    return F.layer_norm(x, gain.shape, gain, None, eps)


def _rotated_first(patch):
    """RoPE before QK-norm."""
    normed = heads.Heads._normed

    def rotated(which, numbers, gain):
        def quantity(self):
            turned = steps.rotate(
                getattr(self, f"projected_{which}"), getattr(self, numbers), self.config.rotary
            )
            return normed(self, turned, getattr(self.params, gain))

        return property(quantity)

    patch.setattr(heads.Heads, "queries", rotated("queries", "query_positions", "g_q"))
    patch.setattr(heads.Heads, "keys", rotated("keys", "key_positions", "g_k"))


def _norm_over_all_heads(heads, gain, eps):
    size = heads.pow(2).mean(dim=(0, 2), keepdim=True)
    return heads * torch.rsqrt(size + eps) * gain


def _wider(by):
    def allows(self, queries, keys):
        ahead = keys[None, :] - queries[:, None]
        return (ahead >= -(self.before + by)) & (ahead <= self.after)

    return allows


def _windows(change):
    """Layers with and without a window are others; given index and whether the layer has one."""
    real = decoder.stack

    def stack(source, sizes, configs, variant):
        window = next(config.own_mask for config in configs if config.own_mask != masks.Causal())
        made = [
            replace(config, own_mask=window if change(index, config.own_mask == window) else masks.Causal())
            for index, config in enumerate(configs)
        ]
        return real(source, sizes, made, variant)

    return lambda patch: patch.setattr(decoder, "stack", stack)


def not_slowed(self, frequencies):
    return frequencies


def _all_slowed(self, frequencies):
    return frequencies / self.factor


def _not_joined(self, frequencies):
    """Quick or slow and nothing between."""
    return torch.where(
        2 * torch.pi / frequencies > self.n_trained / self.low, frequencies / self.factor, frequencies
    )


GATE = swapped("*.mlp.*", "gate_proj", "up_proj")
TILED = step("share_kv_heads", _tiled)
NEIGHBOURS = step("rotate", pairs_of_neighbours)
BACKWARDS = step("rotate", lambda *given, real=steps.rotate: turned_backwards(*given, real))
NOT_TURNED = step("rotate", lambda heads, *_: heads)
RMS = {
    "RMS gain dropped": _rms(lambda x, gain, eps, real=norms.rms: real(x, torch.ones_like(gain), eps)),
    "RMS norm takes the mean off": _rms(_mean_taken_off),
    "RMS eps outside the root": _rms(
        lambda x, gain, eps: x / (x.pow(2).mean(-1, keepdim=True).sqrt() + eps) * gain
    ),
}

LLAMA = RMS | {
    "GQA tiled 0101, not 0011": TILED,
    "RoPE pairs 2i, 2i+1": NEIGHBOURS,
    "RoPE turned the other way": BACKWARDS,
    "RoPE left out": NOT_TURNED,
    "values rotated too": of_trace(
        "values",
        lambda self: self._rotated(
            steps.project(self.key_input, self.params.w_v, self.params.b_v), self.key_positions
        ),
    ),
    "gate and up swapped": GATE,
    "GELU for SiLU": config(hidden_act="gelu"),
    "norms swapped": swapped("layers.*", "input_layernorm", "post_attention_layernorm"),
    "another base": config(rope_theta=5e5, rope_parameters=None),
    "output matrix tied": swapped("lm_head.weight", "lm_head.weight", "embed_tokens.weight"),
    "another eps": config(rms_norm_eps=1e-2),
    "permuted positions ignored": Mutant(
        step("numbers", lambda positions, n: torch.arange(n), layer), "positions permuted"
    ),
}

LLAMA3 = {
    "scaling left out": step("__call__", not_slowed, positions.SlowedByWavelength),
    "all slowed": step("__call__", _all_slowed, positions.SlowedByWavelength),
    "nothing between quick and slow": step("__call__", _not_joined, positions.SlowedByWavelength),
    "drop value bias": dropped("*.v_proj.bias"),
    "drop key bias": dropped("*.k_proj.bias"),
    "drop output bias": dropped("*.o_proj.bias"),
    "drop the gate's bias": dropped("*.gate_proj.bias"),
    "drop the MLP's outer bias": dropped("*.down_proj.bias"),
}

WINDOW = {
    "window one too wide": allows(masks.Window, _wider(1)),
    "window counted without itself": allows(masks.Window, _wider(-1)),
    "window in every layer": _windows(lambda index, own: True),
    "window in no layer": _windows(lambda index, own: False),
    "window in the other layers": _windows(lambda index, own: not own),
}
MISTRAL = {
    name: seed
    for name, seed in WINDOW.items()
    if name not in ("window in every layer", "window in the other layers")
}

QWEN2 = WINDOW | {
    "drop value bias": dropped("*.v_proj.bias"),
    "drop key bias": dropped("*.k_proj.bias"),
    "drop query bias": dropped("*.q_proj.bias"),
    "GQA tiled 0101, not 0011": TILED,
    "window one layer early": config(max_window_layers=1, layer_types=None),
}

QK_NORM = {
    "RoPE before QK-norm": _rotated_first,
    "QK-norm left out": step("norm", lambda heads, gain, eps: heads),
    "QK-norm over all heads together": step("norm", _norm_over_all_heads),
    "QK gains swapped": swapped("*_norm.weight", "q_norm", "k_norm"),
    "QK gains dropped": ones("*.self_attn.?_norm.weight"),
}

QWEN3 = WINDOW | QK_NORM
