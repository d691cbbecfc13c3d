"""The loop over layers. It keeps the residual stream at each layer's door and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor

from attention.engine.layer import Layer, LayerPlan
from attention.engine.norms import Norm, unchanged
from attention.errors import InputError

OnLayer: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Stack:
    """Layers, and the norm after the last one where there is one."""

    layers: tuple[Layer, ...]
    final_norm: Norm = unchanged


@dataclass(frozen=True, kw_only=True, eq=False)
class StackRun:
    """One sequence's way through a stack.

    Attributes:
        plans: What each layer was asked to do.
        resid_pre: The residual stream at each layer's door.
        post: The residual stream after the last layer.
        final: The same after the final norm.
    """

    plans: tuple[LayerPlan, ...]
    resid_pre: tuple[Float[Tensor, "pos d_model"], ...]
    post: Float[Tensor, "pos d_model"]
    final: Float[Tensor, "pos d_model"]


def run_stack(
    stack: Stack,
    resid: Float[Tensor, "pos d_model"],
    plans: Sequence[LayerPlan],
    *,
    memory: Float[Tensor, "key d_model"] | None = None,
    start_layer: int = 0,
    earlier: Sequence[Float[Tensor, "pos d_model"]] = (),
    on_layer: OnLayer | None = None,
) -> StackRun:
    """Send a residual stream through the layers.

    Args:
        stack: The layers.
        resid: The residual stream at the door of ``start_layer``.
        plans: What each layer is asked to do, for all layers.
        memory: What cross-attention attends to.
        start_layer: The first layer to run.
        earlier: The residual streams before the layers that are not run again.
        on_layer: Called with (layers done, layers in all) before each layer; an exception from it
            stops the run.

    Raises:
        InputError: What comes out is not finite.
    """
    kept = (resid, *_room(resid, len(stack.layers) - start_layer))
    for done, layer in enumerate(stack.layers[start_layer:]):
        index = start_layer + done
        if on_layer is not None:
            on_layer(index, len(stack.layers))
        kept[done + 1].copy_(layer.forward(kept[done], plans[index], memory=memory))
    doors, post = (*earlier, *kept[:-1]), kept[-1]
    final = stack.final_norm(post)
    _check_finite((*doors, post, final))
    return StackRun(plans=tuple(plans), resid_pre=doors, post=post, final=final)


def _room(resid: Float[Tensor, "pos d_model"], n: int) -> tuple[Float[Tensor, "pos d_model"], ...]:
    """Places for what the layers will put out, taken before the first one runs.

    Taken one by one between what is only passing, they would leave holes there that nothing fits: a third
    more memory for SmolLM2 at 1,024 tokens.
    """
    return tuple(torch.empty_like(resid) for _ in range(n))


def _check_finite(states: Sequence[Float[Tensor, "pos d_model"]]) -> None:
    """Refuse numbers that mean nothing, and say where they began; what follows would only hand them on."""
    if bool(torch.isfinite(states[-1]).all()):
        return
    n_layers = len(states) - 2
    first = next(place for place, state in enumerate(states) if not bool(torch.isfinite(state).all()))
    where = f"layer {first - 1}" if first else "the embedding"
    if first > n_layers:
        where = "the norm after the last layer"
    raise InputError(
        f"The numbers that come out of {where} are not all finite, so there is nothing to show of this run."
    )


def rerun_stack(
    stack: Stack,
    earlier: StackRun,
    plans: Sequence[LayerPlan],
    *,
    memory: Float[Tensor, "key d_model"] | None = None,
    on_layer: OnLayer | None = None,
) -> StackRun:
    """The same sequence and memory under other plans: only the layers from the first change on run again."""
    start = first_change(earlier.plans, plans)
    if start == len(stack.layers):
        return earlier
    kept, door = earlier.resid_pre[:start], earlier.resid_pre[start]
    return run_stack(stack, door, plans, memory=memory, start_layer=start, earlier=kept, on_layer=on_layer)


def first_change(old: Sequence[LayerPlan], new: Sequence[LayerPlan]) -> int:
    """The first layer whose plan differs; the number of layers when none does."""
    same = (before == after for before, after in zip(old, new, strict=True))
    return next((layer for layer, equal in enumerate(same) if not equal), len(old))


def counted(on_layer: OnLayer | None, before: int, n_layers: int) -> OnLayer | None:
    """The same listener, told of one stack of several: of the layers before it and of all there are."""
    return None if on_layer is None else lambda done, _: on_layer(before + done, n_layers)
