"""Torch's fused attention, for the forward pass: the steps from score to mix in one go.

What it is given never has two position axes of full length: full and causal masks go by flag, everything
else in strips of queries, because a dense mask at 8,192 tokens costs 340 MB and four times the time of the
flag.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from attention.engine.masks import Causal, Full, MaskRule

STRIP = 256
"""Queries a strip."""

Bias: TypeAlias = Callable[[int], Tensor]
"""The bias [head query key] of the strip that starts at a row."""


def fused(
    queries: Float[Tensor, "head query d_head"],
    keys: Float[Tensor, "head key d_head"],
    values: Float[Tensor, "head key d_value"],
    rule: MaskRule,
    scale: float,
    first_query: int = 0,
    bias: Bias | None = None,
) -> Float[Tensor, "head query d_value"]:
    """Each head's weighted sum of values.

    Args:
        queries: As they are scored.
        keys: The same, one set a query head.
        values: One set a query head.
        rule: Who may attend to whom.
        scale: What the scores are multiplied by.
        first_query: Position of the first query in its sequence.
        bias: What is added to the scaled scores.
    """
    n_queries, n_keys = queries.shape[1], keys.shape[1]
    # The kernel's causal flag aligns the first query with the first key: right for whole sequences only.
    if bias is None and (rule == Full() or (rule == Causal() and n_queries == n_keys)):
        return _kernel(queries, keys, values, None, rule == Causal(), scale)
    outputs = []
    for start in range(0, n_queries, STRIP):
        strip = queries[:, start : start + STRIP]
        places = torch.arange(first_query + start, first_query + start + strip.shape[1])
        mask = rule.allows(places, torch.arange(n_keys))
        if bias is not None:
            mask = bias(start).masked_fill(~mask, -math.inf)
        outputs.append(_kernel(strip, keys, values, mask, False, scale))
    return torch.cat(outputs, dim=1)


def _kernel(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, causal: bool, scale: float
) -> Tensor:
    batched = (queries[None], keys[None], values[None])
    return F.scaled_dot_product_attention(*batched, attn_mask=mask, is_causal=causal, scale=scale)[0]
