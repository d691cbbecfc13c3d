"""Mistakes in Gemma 2 and 3: caps, norms on both sides, scaled embeddings, rotation by kind of layer."""

from dataclasses import replace

import torch
import torch.nn.functional as F

from attention.engine import embedding, mlp, norms, positions, steps
from attention.families import decoder, rope
from tests.mutants.gpt import rotary
from tests.mutants.kin import GATE, NEIGHBOURS, QK_NORM, RMS, TILED, WINDOW, not_slowed
from tests.mutants.seeding import config, configured, dropped, of_trace, step, tensors


def _capped_after_mask(self):
    return steps.cap(steps.mask(self.biased, self.mask), self.config.softcap)


def _capped_before_scale(self):
    return steps.scale(steps.cap(self.scores, self.config.softcap), self.config.scale)


def _embedding_scaled(by):
    real = embedding.Embedding.embed

    def embed(self, ids, segments, places):
        return real(replace(self, scale=by(self.scale)), ids, segments, places)

    return lambda patch: patch.setattr(embedding.Embedding, "embed", embed)


def _without_norm(which):
    real = norms.Norms
    return lambda patch: patch.setattr(
        decoder,
        "Norms",
        lambda **given: real(**{name: norm for name, norm in given.items() if name != which}),
    )


def _after_add(patch):
    """What belongs on a sublayer's output is put on the sum."""
    real = norms.Norms
    patch.setattr(
        decoder, "Norms", lambda before, after_sublayer: real(before=before, after_add=after_sublayer)
    )


def _unembedding(**entries):
    real = embedding.Unembedding.logits
    return lambda patch: patch.setattr(
        embedding.Unembedding, "logits", lambda self, final: real(replace(self, **entries), final)
    )


def _one_base(patch):
    real = rope.from_parameters
    patch.setattr(
        rope,
        "from_parameters",
        lambda *given, base, **rest: replace(real(*given, base=base, **rest), base=1e6),
    )


SANDWICH = {
    "norm before a sublayer left out": _without_norm("before"),
    "norm after a sublayer left out": _without_norm("after_sublayer"),
    "norm after the sum instead of before it": _after_add,
    "RMS gain w, not 1+w": tensors("*norm.weight", lambda w: w - 1),
    "embeddings not multiplied by √d_model": _embedding_scaled(lambda scale: 1.0),
    "embeddings multiplied twice": _embedding_scaled(lambda scale: scale**2),
    "exact GELU for tanh GELU": lambda patch: patch.setitem(mlp.ACTIVATIONS, "gelu_pytorch_tanh", F.gelu),
    "scale 1/√d_head": configured(decoder, scale=10**-0.5),
}

GEMMA2 = (
    RMS
    | WINDOW
    | SANDWICH
    | {
        "scores not capped": step("cap", lambda scaled, limit: scaled),
        "soft cap after the mask": of_trace("masked", _capped_after_mask),
        "soft cap before the scale": of_trace("capped", _capped_before_scale),
        "cap without its factor": step("cap", lambda scaled, limit: torch.tanh(scaled / limit)),
        "scores cut instead of bent": step("cap", lambda scaled, limit: scaled.clamp(-limit, limit)),
        "logits not capped": _unembedding(softcap=None),
        "logits capped like scores": _unembedding(softcap=2.5),
        "drop value bias": dropped("*.v_proj.bias"),
    }
)

GEMMA3 = (
    RMS
    | WINDOW
    | SANDWICH
    | QK_NORM
    | {
        "GQA tiled 0101, not 0011": TILED,
        "RoPE pairs 2i, 2i+1": NEIGHBOURS,
        "one rope base for all layers": _one_base,
        "gate and up swapped": GATE,
        "linear scaling left out": step("__call__", not_slowed, positions.Slowed),
        "local layers slowed too": configured(decoder, rotary=rotary(scaling=positions.Slowed(factor=8.0))),
        "one global layer in six": config(sliding_window_pattern=6, layer_types=None),
    }
)
