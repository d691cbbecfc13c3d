"""What a run will cost before it is begun: counted operations, counted bytes, and this machine's speed.

The matrix products of the layers grow with N, the scores and the weighted sums with N². Both are counted.
How fast this machine does either is tried out on the model itself: one and the same machine is several times
faster at large products than at small ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from time import perf_counter

import torch

from attention.engine import kernel, steps
from attention.engine.config import AttentionConfig
from attention.engine.layer import Layer, SublayerPlan
from attention.engine.masks import Causal
from attention.engine.mlp import STRIP
from attention.model import Model

TRIAL_TOKENS = 256
TRIAL_KEYS = 2048


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a run of some length takes.

    Attributes:
        product_flops: Operations of the layers' matrix products.
        attention_flops: Operations of scores and weighted sums.
        kept_bytes: What the run keeps: the residual stream at each layer's door and after the last.
        working_bytes: What one layer needs meanwhile, at its widest.
    """

    product_flops: int
    attention_flops: int
    kept_bytes: int
    working_bytes: int

    @property
    def peak_bytes(self) -> int:
        """Memory at the worst moment, beyond the model's own."""
        return self.kept_bytes + self.working_bytes


@dataclass(frozen=True, kw_only=True)
class Rates:
    """Operations a second of this machine, in the layers' products and in attention."""

    product: float
    attention: float

    def seconds(self, cost: Cost) -> float:
        """How long a run takes at these rates."""
        return cost.product_flops / self.product + cost.attention_flops / self.attention


def cost(model: Model, n_tokens: int) -> Cost:
    """Count what a model's stack does and keeps for so many tokens.

    A multiplication and an addition are two operations. A causal mask halves the scores that are made.
    """
    layers = model.transformer.stack.layers
    size, d_model = model.dtype.itemsize, model.config.d_model
    return Cost(
        product_flops=sum(2 * n_tokens * _n_params(layer) for layer in layers),
        attention_flops=sum(_attention_flops(layer, n_tokens) for layer in layers),
        kept_bytes=size * n_tokens * d_model * (len(layers) + 2),
        working_bytes=size * max(_widest(layer, n_tokens) for layer in layers),
    )


def rates(model: Model) -> Rates:
    """Try out how fast this machine is at a model's products and at its attention; takes about a second."""
    n_tokens = min(TRIAL_TOKENS, model.config.n_positions)
    ids = [at % model.config.d_vocab for at in range(n_tokens)]
    asked = cost(model, n_tokens)
    seconds = _fastest(lambda: model.run(ids))
    attention = _attention_rate(model)
    # A short run is nearly all products; what attention takes of it is known by now.
    left = max(seconds - asked.attention_flops / attention, seconds / 2)
    return Rates(product=asked.product_flops / left, attention=attention)


def _attention_rate(model: Model) -> float:
    """Over all layers; each kind of attention is tried once, the way a run takes it."""
    layers = model.transformer.stack.layers
    one_of = {layer.attention.config: layer for layer in reversed(layers)}
    seconds = {config: _attention_seconds(layer) for config, layer in one_of.items()}
    asked = sum(_attention_flops(layer, TRIAL_KEYS) for layer in layers)
    return asked / sum(seconds[layer.attention.config] for layer in layers)


def _attention_seconds(layer: Layer) -> float:
    """What one layer's scores and weighted sums take of the trial; what W takes is counted elsewhere."""
    config, params = layer.attention.config, layer.attention.params
    generator = torch.Generator().manual_seed(0)
    resid = torch.randn(TRIAL_KEYS, config.d_model, generator=generator, dtype=params.w_q.dtype)
    trace = layer.attention.trace(resid, SublayerPlan(config.own_mask))
    mixed = trace.queries.new_zeros(config.n_heads, TRIAL_KEYS, config.d_value)
    _ = trace.keys, trace.values  # kept from here on
    merging = _fastest(lambda: steps.merge_heads(mixed, params.w_o, params.b_o))
    whole = _fastest(lambda: trace.fused_output)
    return max(whole - merging, whole / 2)


def _fastest(action: Callable[[], object]) -> float:
    """Seconds of the faster of two tries: the first may find the machine asleep."""
    times = []
    for _ in range(2):
        start = perf_counter()
        action()
        times.append(perf_counter() - start)
    return min(times)


def _n_params(layer: Layer) -> int:
    """Entries of the layer's matrices; a vector costs one operation a token and is not counted."""
    attention = layer.attention.params
    matrices = [attention.w_q, attention.w_k, attention.w_v, attention.w_o]
    if layer.mlp is not None:
        params = layer.mlp.params
        matrices += [params.w_in, params.w_out] + ([] if params.w_gate is None else [params.w_gate])
    return sum(prod(matrix.shape) for matrix in matrices)


def _attention_flops(layer: Layer, n_tokens: int) -> int:
    config = layer.attention.config
    every = 2 * n_tokens**2 * config.n_heads * (config.d_head + config.d_value)
    return every // 2 if config.own_mask == Causal() else every


def _widest(layer: Layer, n_tokens: int) -> int:
    """Numbers held at the widest place of a layer: inside the attention or inside the MLP."""
    config = layer.attention.config
    by_head = config.n_heads * (2 * config.d_head + 2 * config.d_value)
    in_attention = n_tokens * (by_head + 2 * config.d_model) + _in_a_strip(config, n_tokens)
    if layer.mlp is None:
        return in_attention
    d_mlp = layer.mlp.params.w_in.shape[1]
    # The product before the bend, the one after it, and with a gate their product and the gate's own.
    wide = d_mlp * (2 if layer.mlp.params.w_gate is None else 4)
    in_mlp = min(n_tokens, STRIP) * wide + n_tokens * 4 * config.d_model
    return max(in_attention, in_mlp)


def _in_a_strip(config: AttentionConfig, n_tokens: int) -> int:
    """Scores of a strip of queries, where the kernel does not keep them to itself."""
    cells = config.n_heads * min(n_tokens, kernel.STRIP) * n_tokens
    if config.softcap is not None:  # as scored, scaled, capped, masked and as weights; one of them twice
        return 6 * cells
    return 2 * cells if config.bias is not None else 0
