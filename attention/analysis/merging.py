"""How a layer's heads become one output: side by side, through W_O, added up; and one wide head instead."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention.analysis.shares import shares
from attention.engine import steps
from attention.engine.trace import AttentionTrace


@dataclass(frozen=True, kw_only=True)
class Part:
    """One head's part of what a sublayer makes for one token.

    Attributes:
        head: Which head; None is the bias b_o, which belongs to no head.
        length: L2.
        share: How much of the output lies along it: part · output / |output|². All shares sum to 1, and one
            below 0 pulls the other way. None where the output is zero.
    """

    head: int | None
    length: float
    share: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class WideHead:
    """One head as wide as all of a layer's heads together, made of the same parameters.

    Attributes:
        weights: One row a query, where the layer has one a query and head.
        output: What the sublayer would make.
    """

    weights: Float[Tensor, "query key"]
    output: Float[Tensor, "query d_model"]


def parts(trace: AttentionTrace, query: int) -> tuple[Part, ...]:
    """What each head and the bias give one token; together they are what the sublayer makes.

    Raises:
        InputError: There is no such query.
    """
    row = trace.rows(query, query + 1)
    given = list(row.head_contributions()[:, 0].double())
    named: list[int | None] = list(range(len(given)))
    if trace.params.b_o is not None:
        given, named = [*given, trace.params.b_o.double()], [*named, None]
    every = torch.stack(given)
    along = shares(every, every.sum(dim=0)).tolist()
    return tuple(
        Part(head=head, length=float(one.norm()), share=None if math.isnan(share) else share)
        for head, one, share in zip(named, given, along, strict=True)
    )


def merging_difference(trace: AttentionTrace) -> float:
    """How far the heads' contributions and the bias are from the output of the forward pass, at most."""
    summed = trace.head_contributions().sum(dim=0)
    bias = trace.params.b_o
    return float((summed + (0 if bias is None else bias) - trace.fused_output).abs().max())


def wide_head(trace: AttentionTrace) -> WideHead:
    """What if the layer had one wide head: the same matrices, the heads' scores summed, scale 1/√d_model.

    A query of all heads side by side times such a key is the sum of the heads' scores, and one head has one
    row of weights for all its values. A cap stays; of biases for distance it gets the mean, as one head has
    one. No model was trained like this: it shows what separate heads make possible, not what one would learn.
    """
    config = trace.config
    scores = steps.scale(trace.scores.sum(dim=0, keepdim=True), config.d_model**-0.5)
    capped = scores if config.softcap is None else steps.cap(scores, config.softcap)
    biased = steps.add_bias(capped, trace.bias.mean(dim=0, keepdim=True)) if trace.has_bias else capped
    weights = steps.softmax(steps.mask(biased, trace.mask))
    values = steps.share_kv_heads(trace.values, config.n_heads)
    lit = torch.tensor([head not in trace.heads_off for head in range(config.n_heads)])
    mixed = steps.mix(weights.expand(config.n_heads, -1, -1), values) * lit[:, None, None]
    return WideHead(weights=weights[0], output=steps.merge_heads(mixed, trace.params.w_o, trace.params.b_o))
