"""The steps with two position axes, all of them at once, each made from the one before."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor

from attention.engine import steps
from attention.engine.trace import AttentionTrace


@dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """Every step of a trace from scores to output, held.

    A trace makes a step anew from its queries and keys whenever it is read. Whoever wants all of them of a
    head or a few rows reads them here, and each is made once. A step that the model does not have is the step
    before. See ``AttentionTrace`` for what each means.
    """

    scores: Float[Tensor, "head query key"]
    scaled: Float[Tensor, "head query key"]
    capped: Float[Tensor, "head query key"]
    biased: Float[Tensor, "head query key"]
    mask: Bool[Tensor, "query key"]
    masked: Float[Tensor, "head query key"]
    weights: Float[Tensor, "head query key"]
    head_outputs: Float[Tensor, "head query d_value"]
    output: Float[Tensor, "query d_model"]


def chain(trace: AttentionTrace) -> Chain:
    """All steps of a trace. They take memory that grows with queries × keys × heads."""
    scores = trace.scores
    scaled = steps.scale(scores, trace.config.scale)
    limit = trace.config.softcap
    capped = scaled if limit is None else steps.cap(scaled, limit)
    biased = steps.add_bias(capped, trace.bias) if trace.has_bias else capped
    mask = trace.mask
    masked = steps.mask(biased, mask)
    weights = steps.softmax(masked)
    head_outputs = trace.mixed(weights)
    return Chain(
        scores=scores,
        scaled=scaled,
        capped=capped,
        biased=biased,
        mask=mask,
        masked=masked,
        weights=weights,
        head_outputs=head_outputs,
        output=steps.merge_heads(head_outputs, trace.params.w_o, trace.params.b_o),
    )
