"""What a block does to the residual stream: attention is one of several parts that write to it.

Whatever the family, a layer is a chain of changes to the stream: what attention adds, what the MLP adds, and
what a norm that stands on the stream makes of it (post-norm: Vaswani et al. 2017). Their sum is the layer's
step, to the last rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor

from attention.engine.layer import AttentionSublayer, Layer, MLPSublayer
from attention.engine.norms import Norm, Norms, unchanged
from attention.engine.trace import AttentionTrace
from attention.run import Run

Kind: TypeAlias = Literal["attention", "cross", "mlp", "norm"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Change:
    """One change to the residual stream inside a layer.

    Attributes:
        kind: What makes it; "norm" is a norm that stands on the stream, after an add.
        before: The stream before it.
        written: What is added to the stream; for a norm, what it leaves less what it was given.
        source: The stream that a sublayer reads; where sublayers run in parallel, that at the layer's door.
            None for a norm.
        read: What a sublayer reads of it, after the norm before it; None for a norm.
        made: What a sublayer makes, before any norm of its output; None for a norm.
    """

    kind: Kind
    before: Float[Tensor, "pos d_model"]
    written: Float[Tensor, "pos d_model"]
    source: Float[Tensor, "pos d_model"] | None = None
    read: Float[Tensor, "pos d_model"] | None = None
    made: Float[Tensor, "pos d_model"] | None = None

    @property
    def after(self) -> Float[Tensor, "pos d_model"]:
        """The stream after it."""
        return self.before + self.written


def changes(run: Run, layer: int) -> tuple[Change, ...]:
    """Everything that one layer does to the stream, in order; each begins where the one before ends.

    Where attention and MLP run in parallel both read the stream as it came in.

    Raises:
        InputError: There is no such layer.
    """
    trace = run.attention(layer)
    door, plan = run.resid_pre[layer], run.stack_run.plans[layer]
    block = run.model.transformer.stack.layers[layer]
    chain = _attended("attention", door, block.attention, trace)
    if block.cross is not None and (block.mlp is None or not block.parallel):
        mid = chain[-1].after
        chain += _attended("cross", mid, block.cross, block.cross.trace(mid, plan.cross, run.memory))
    if block.mlp is not None:
        chain += _thought(chain[-1].after, door, block, block.mlp)
    return chain


def _attended(
    kind: Kind, resid: Tensor, part: AttentionSublayer, trace: AttentionTrace
) -> tuple[Change, ...]:
    made = trace.fused_output
    change = Change(
        kind=kind,
        before=resid,
        written=part.norms.after_sublayer(made),
        source=resid,
        read=trace.query_input,
        made=made,
    )
    return _placed(change, part.norms.after_add)


def _placed(change: Change, after_add: Norm) -> tuple[Change, ...]:
    """A sublayer's change, and that of the norm on the stream after it where there is one."""
    if after_add is unchanged:
        return (change,)
    return change, Change(kind="norm", before=change.after, written=after_add(change.after) - change.after)


def _thought(resid: Tensor, door: Tensor, block: Layer, part: MLPSublayer) -> tuple[Change, ...]:
    """The MLP's change. In parallel it reads the door, and its output is added as it is."""
    source, norms = (door, Norms()) if block.parallel else (resid, part.norms)
    made = part.output(source)
    change = Change(
        kind="mlp",
        before=resid,
        written=norms.after_sublayer(made),
        source=source,
        read=part.norms.before(source),
        made=made,
    )
    return _placed(change, norms.after_add)


def summing_difference(run: Run, layer: int) -> float:
    """How far a layer's changes, added up, are from the step of the forward pass, at most.

    Raises:
        InputError: There is no such layer.
    """
    chain, states = changes(run, layer), run.layer(layer)
    step = torch.stack([change.written for change in chain]).sum(dim=0)
    return float((step - (states.post - states.pre)).abs().max())
