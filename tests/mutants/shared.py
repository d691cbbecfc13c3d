"""Mistakes in the steps that every family shares, and in BERT's kin."""

import math

import torch
import torch.nn.functional as F

from attention.engine import embedding, layer, masks, mlp, norms, stack, steps, transformer
from attention.families import bert
from attention.families.source import Source
from tests.mutants.seeding import Mutant, config, dropped, fused, of_trace, ones, step, swapped


def _norm(function):
    return lambda patch: patch.setattr(norms.LayerNorm, "__call__", function)


def unbiased(self, x):
    std = (x.var(-1, keepdim=True, unbiased=True) + self.eps).sqrt()
    return (x - x.mean(-1, keepdim=True)) / std * self.gain + self.bias


def _other_eps(self, x, real=norms.LayerNorm.__call__):
    return real(norms.LayerNorm(gain=self.gain, bias=self.bias, eps=self.eps * 1e7), x)


def _as_it_lies(self, name, n_heads, width, d_model):
    stored = self.tensor(name, n_heads * width, d_model)
    return stored.T.reshape(n_heads, width, d_model).transpose(1, 2)


def _interleaved(self, name, n_heads, width, d_model):
    return self.tensor(name, n_heads * width, d_model).view(width, n_heads, d_model).permute(1, 2, 0)


def _pre_norm(patch):
    def forward(self, resid, plan, attend=layer.by_kernel, memory=None):
        normed = self.attention.norms.after_add(resid)
        mid = resid + attend(self.attention.trace(normed, plan))
        return mid + mlp.mlp(self.mlp.norms.after_add(mid), self.mlp.params, self.mlp.activation)

    patch.setattr(layer.Layer, "forward", forward)


def embed(*, segments=True, shift=0, norm=True):
    def embed(self, ids, segment_ids, places):
        x = self.tokens[ids]
        if segments:
            x = x + self.segments[segment_ids]
        x = x + self.positions[self._numbers(ids)[places] + shift]
        return self.norm(x) if norm else x

    return lambda patch: patch.setattr(embedding.Embedding, "embed", embed)


def counted(function):
    return lambda patch: patch.setattr(embedding.Embedding, "_numbers", function)


def _no_residual(patch):
    patch.setattr(norms.Norms, "add", lambda self, resid, out: self.after_add(self.after_sublayer(out)))


def _padding_open(patch):
    patch.setattr(transformer, "_with_padding", lambda rule, padded: rule)


def allows(rule, function):
    return lambda patch: patch.setattr(rule, "allows", function)


BERT = {
    "drop value bias": dropped("*.self.value.bias"),
    "drop key bias": dropped("*.self.key.bias"),
    "drop query bias": dropped("*.self.query.bias"),
    "drop output bias": dropped("*.attention.output.dense.bias"),
    "drop MLP's inner bias": dropped("*.intermediate.dense.bias"),
    "LayerNorm bias dropped": dropped("*.LayerNorm.bias"),
    "LayerNorm gain dropped": ones("*.LayerNorm.weight"),
    "LayerNorm with unbiased std": _norm(unbiased),
    "LayerNorm with another eps": _norm(_other_eps),
    "tanh GELU for exact GELU": lambda patch: patch.setitem(
        mlp.ACTIVATIONS, "gelu", lambda x: F.gelu(x, approximate="tanh")
    ),
    "token types left out": embed(segments=False),
    "positions from 1": embed(shift=1),
    "embedding not normed": embed(norm=False),
    "norm before the sublayer": _pre_norm,
    "no residual": _no_residual,
    "queries and keys swapped": swapped("*.self.*", "query", "key"),
    "W_Q, W_K, W_V as they lie": lambda patch: patch.setattr(Source, "heads_out", _as_it_lies),
    "heads interleaved": lambda patch: patch.setattr(Source, "heads_out", _interleaved),
    "scores not scaled": step("scale", lambda scores, factor: scores),
    "scaled twice": step("scale", lambda scores, factor: scores * factor**2),
    "scale 1/√d_model": step("scale", lambda scores, factor: scores / math.sqrt(15)),
    "scale left out of the kernel": fused(
        lambda real, q, k, v, rule, factor, *rest: real(q, k, v, rule, 1.0, *rest)
    ),
    "softmax over queries": step("softmax", lambda masked: torch.softmax(masked, -2).nan_to_num()),
    "keys scored against queries": step("score", lambda q, k: k @ q.transpose(-1, -2)),
    "mask after softmax": of_trace("weights", lambda self: torch.softmax(self.scaled, -1) * self.mask),
    "mask in the picture alone": fused(lambda real, q, k, v, rule, *rest: real(q, k, v, masks.Full(), *rest)),
    "mask in the forward pass alone": step("mask", lambda scaled, allowed: scaled),
    "mask turned round": step("mask", lambda scaled, allowed: scaled.masked_fill(allowed, -math.inf)),
    "causal without itself": allows(
        masks.Causal, lambda self, queries, keys: keys[None, :] < queries[:, None]
    ),
    "padding not hidden": _padding_open,
    "heads merged in reverse": step(
        "merge_heads",
        lambda outputs, w_o, b_o, real=steps.merge_heads: real(outputs.flip(0), w_o, b_o),
    ),
    "W_O forgotten per head": step(
        "merge_heads",
        lambda outputs, w_o, b_o, real=steps.merge_heads: real(outputs, w_o.roll(1, 0), b_o),
    ),
    "layers in reverse": lambda patch: patch.setattr(
        bert, "Stack", lambda layers: stack.Stack(layers=layers[::-1])
    ),
    "permuted positions ignored": Mutant(
        step("numbers", lambda positions, n: torch.arange(n), transformer), "positions permuted"
    ),
}

ROBERTA = {
    "positions starting at 0": counted(lambda self, ids: torch.arange(len(ids))),
    "positions starting at 1": counted(lambda self, ids: torch.arange(len(ids)) + 1),
    "padding counted": counted(lambda self, ids: torch.arange(len(ids)) + 2),
    "padding inside counted": Mutant(counted(lambda self, ids: torch.arange(len(ids)) + 2), "padding inside"),
    "token types left out": embed(segments=False),
    "eps of BERT": config(layer_norm_eps=1e-2),
}

DISTILBERT = {
    "drop value bias": dropped("*.v_lin.bias"),
    "drop key bias": dropped("*.k_lin.bias"),
    "drop output bias": dropped("*.out_lin.bias"),
    "norms swapped": swapped("*_layer_norm.*", "sa_layer_norm", "output_layer_norm"),
    "MLP's outer bias dropped": dropped("*.ffn.lin2.bias"),
    "embedding not normed": embed(segments=False, norm=False),
    "positions from 1": embed(segments=False, shift=1),
}
