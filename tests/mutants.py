"""Mistakes that the parity test must catch: each is seeded into the engine, and parity must fail.

A mutant is a name and a function that seeds it with pytest's monkeypatch. A new family brings its own.
"""

import math

import torch
import torch.nn.functional as F

from attention.engine import layer, masks, mlp, norms, stack, steps, trace, transformer
from attention.families import bert
from attention.families.source import Source


def _zero_bias(part):
    def seed(patch):
        real_heads, real_tensor = Source.head_bias, Source.tensor

        def heads(self, name, *shape):
            bias = real_heads(self, name, *shape)
            return torch.zeros_like(bias) if part in name else bias

        def tensor(self, name, *shape):
            found = real_tensor(self, name, *shape)
            return torch.zeros_like(found) if part in name else found

        patch.setattr(Source, "head_bias", heads)
        patch.setattr(Source, "tensor", tensor)

    return seed


def _norm(function):
    return lambda patch: patch.setattr(norms.LayerNorm, "__call__", function)


def _unbiased(self, x):
    std = (x.var(-1, keepdim=True, unbiased=True) + self.eps).sqrt()
    return (x - x.mean(-1, keepdim=True)) / std * self.gain + self.bias


def _step(name, function):
    return lambda patch: patch.setattr(steps, name, function)


def _fused(change):
    real = steps.fused

    def seed(patch):
        patch.setattr(steps, "fused", lambda *given: change(real, *given))

    return seed


def _transposed_heads(self, name, n_heads, width, d_model):
    return self.tensor(name, n_heads * width, d_model).T.reshape(n_heads, width, d_model).transpose(1, 2)


def _interleaved_heads(self, name, n_heads, width, d_model):
    return self.tensor(name, n_heads * width, d_model).view(width, n_heads, d_model).permute(1, 2, 0)


def _embed(*, segments=True, shift=0, norm=True):
    def embed(self, ids, segment_ids, positions):
        x = self.tokens[ids]
        if segments:
            x = x + self.segments[segment_ids]
        x = x + self.positions[positions + shift]
        return self.norm(x) if norm else x

    return lambda patch: patch.setattr(transformer.Embedding, "embed", embed)


def _pre_norm(patch):
    def forward(self, resid, plan, attend=layer.by_kernel):
        normed = self.attention.norms.after_add(resid)
        mid = resid + attend(self.attention.trace(normed, plan))
        return mid + mlp.mlp(self.mlp.norms.after_add(mid), self.mlp.params, self.mlp.activation)

    patch.setattr(layer.Layer, "forward", forward)


def _no_residual(patch):
    patch.setattr(norms.Norms, "add", lambda self, resid, out: self.after_add(self.after_sublayer(out)))


def _hide_first_padded_only(patch):
    patch.setattr(transformer, "_with_padding", lambda rule, padded: rule)


def _window_for_causal(patch):
    strict = lambda self, queries, keys: keys[None, :] < queries[:, None]  # noqa: E731
    patch.setattr(masks.Causal, "allows", strict)


def _masked_after_softmax(self):
    return torch.softmax(self.scaled, -1) * self.mask


def _eps(patch):
    real = norms.LayerNorm.__call__
    wrong = lambda self, x: real(norms.LayerNorm(gain=self.gain, bias=self.bias, eps=1e-5), x)  # noqa: E731
    patch.setattr(norms.LayerNorm, "__call__", wrong)


BERT = {
    "drop value bias": _zero_bias("self.value.bias"),
    "drop key bias": _zero_bias("self.key.bias"),
    "drop query bias": _zero_bias("self.query.bias"),
    "drop output bias": _zero_bias("attention.output.dense.bias"),
    "drop MLP's inner bias": _zero_bias("intermediate.dense.bias"),
    "LayerNorm bias dropped": _zero_bias("LayerNorm.bias"),
    "LayerNorm gain dropped": _norm(
        lambda self, x: F.layer_norm(x, self.gain.shape, None, self.bias, self.eps)
    ),
    "LayerNorm with unbiased std": _norm(_unbiased),
    "LayerNorm eps of torch's default": _eps,
    "tanh GELU for exact GELU": lambda patch: patch.setitem(
        mlp.ACTIVATIONS, "gelu", lambda x: F.gelu(x, approximate="tanh")
    ),
    "token types left out": _embed(segments=False),
    "positions from 1": _embed(shift=1),
    "embedding not normed": _embed(norm=False),
    "norm before the sublayer": _pre_norm,
    "no residual": _no_residual,
    "W_Q, W_K, W_V transposed": lambda patch: patch.setattr(Source, "heads_out", _transposed_heads),
    "heads interleaved": lambda patch: patch.setattr(Source, "heads_out", _interleaved_heads),
    "scores not scaled": _step("scale", lambda scores, factor: scores),
    "scaled twice": _step("scale", lambda scores, factor: scores * factor**2),
    "scale 1/√d_model": _step("scale", lambda scores, factor: scores / math.sqrt(15)),
    "scale left out of the kernel": _fused(
        lambda real, q, k, v, rule, factor, *rest: real(q, k, v, rule, 1.0, *rest)
    ),
    "softmax over queries": _step("softmax", lambda masked: torch.softmax(masked, -2).nan_to_num()),
    "keys scored against queries": _step("score", lambda q, k: k @ q.transpose(-1, -2)),
    "mask after softmax": lambda patch: patch.setattr(
        trace.AttentionTrace, "weights", property(_masked_after_softmax)
    ),
    "mask in the picture alone": _fused(
        lambda real, q, k, v, rule, *rest: real(q, k, v, masks.Full(), *rest)
    ),
    "mask in the forward pass alone": _step("mask", lambda scaled, allowed: scaled),
    "mask turned round": _step("mask", lambda scaled, allowed: scaled.masked_fill(allowed, -math.inf)),
    "causal without itself": _window_for_causal,
    "padding not hidden": _hide_first_padded_only,
    "heads merged in reverse": _step(
        "merge_heads",
        lambda outputs, w_o, b_o, real=steps.merge_heads: real(outputs.flip(0), w_o, b_o),
    ),
    "W_O forgotten per head": _step(
        "merge_heads",
        lambda outputs, w_o, b_o, real=steps.merge_heads: real(outputs, w_o.roll(1, 0), b_o),
    ),
    "layers in reverse": lambda patch: patch.setattr(
        bert, "Stack", lambda layers: stack.Stack(layers=layers[::-1])
    ),
}
"""Those of the BERT family and of the steps that every family shares."""
