"""What the layers of a built model are made of, read off the parts themselves and not off any name."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TypeVar

from torch import Tensor

from attention.engine.layer import AttentionSublayer, Layer, MLPSublayer
from attention.engine.norms import Norm, unchanged
from attention.engine.positions import Fall, sinusoidal
from attention.engine.transformer import Transformer
from attention.figures.block_layout import Block, Sublayer

H = TypeVar("H", bound=Hashable)


def stacks(transformer: Transformer) -> Mapping[str, Transformer]:
    """The stacks of a model by name; a single one has none."""
    if transformer.encoder is None:
        return {"": transformer}
    return {"Encoder": transformer.encoder, "Decoder": transformer}


def alike(of: Sequence[H]) -> dict[H, list[int]]:
    """Which layers share what: each thing once, with the layers that have it.

    >>> alike(["causal", "window", "causal"])
    {'causal': [0, 2], 'window': [1]}
    """
    shared: dict[H, list[int]] = {}
    for layer, thing in enumerate(of):
        shared.setdefault(thing, []).append(layer)
    return shared


def blocks(transformer: Transformer) -> dict[Block, list[int]]:
    """The shapes of block in a stack, and the layers that have each."""
    return alike([block(layer) for layer in transformer.stack.layers])


def block(layer: Layer) -> Block:
    """One layer as it is drawn."""
    parallel = layer.parallel and layer.mlp is not None
    parts = [_attention("attention", layer.attention)]
    if layer.cross is not None and not parallel:
        parts.append(_attention("cross", layer.cross))
    if layer.mlp is not None:
        parts.append(_mlp(layer.mlp, parallel))
    return Block(sublayers=tuple(parts), parallel=parallel)


def norm_name(norm: Norm) -> str:
    """What a norm is called; "" for a place without one."""
    return "" if norm is unchanged else type(norm).__name__


def norms_of(layer: Layer) -> list[Norm]:
    """The norms of a layer on the residual stream and on its sublayers' ways, in order."""
    parts = [part.norms for part in (layer.attention, layer.cross, layer.mlp) if part is not None]
    every = [norm for norms in parts for norm in (norms.before, norms.after_sublayer, norms.after_add)]
    return [norm for norm in every if norm is not unchanged]


def parameters(part: object) -> int:
    """How many learned numbers a part has; what is shared counts once, and what was computed not at all."""
    return sum(tensor.numel() for tensor in _learned(part))


def n_bytes(part: object) -> int:
    """What they take in memory."""
    return sum(tensor.nbytes for tensor in _learned(part))


def from_a_table(transformer: Transformer) -> bool:
    """Whether the position vectors are the sinusoidal ones, which nobody learned."""
    table = transformer.embedding.positions
    if table is None:
        return False
    n, d_model = table.shape
    return table.equal(sinusoidal(n, d_model, table.dtype))


def _learned(part: object) -> Iterable[Tensor]:
    """Each learned tensor once: a matrix and the same turned round share their numbers."""
    computed = {tensor.data_ptr() for tensor in _computed(part)}
    unique = {_place(name, tensor): tensor for name, tensor in _tensors(part)}
    return [tensor for tensor in unique.values() if tensor.data_ptr() not in computed]


def _place(name: str, tensor: Tensor) -> tuple[str, int, int]:
    """Where a tensor lies, and what as: two matrices set by hand may lie in one place and are yet two."""
    kind = "vocabulary" if name in ("tokens", "w") else name
    return kind, tensor.data_ptr(), tensor.numel()


def _tensors(part: object, name: str = "") -> Iterator[tuple[str, Tensor]]:
    """Every tensor of a part, with the name of the field that holds it."""
    if isinstance(part, Tensor):
        yield name, part
    elif isinstance(part, tuple):
        for one in part:
            yield from _tensors(one, name)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _tensors(getattr(part, field.name), field.name)


def _computed(part: object) -> Iterator[Tensor]:
    """Sinusoidal tables and the slopes of falling biases, in a whole model or a sublayer."""
    if isinstance(part, Transformer):
        for stack in stacks(part).values():
            if from_a_table(stack) and stack.embedding.positions is not None:
                yield stack.embedding.positions
            for layer in stack.stack.layers:
                yield from _computed(layer.attention)
    elif isinstance(part, AttentionSublayer) and isinstance(part.config.bias, Fall):
        yield from (tensor for _, tensor in _tensors(part.params.bias))


def _attention(kind: str, part: AttentionSublayer) -> Sublayer:
    config = part.config
    heads = f"{config.n_heads} {'head' if config.n_heads == 1 else 'heads'}"
    shared = f" over {config.n_kv_heads} of keys and values" if config.n_kv_heads != config.n_heads else ""
    return Sublayer(
        kind="cross" if kind == "cross" else "attention",
        detail=(f"{heads}{shared}", counted(parameters(part))),
        before=norm_name(part.norms.before),
        after_sublayer=norm_name(part.norms.after_sublayer),
        after_add=norm_name(part.norms.after_add),
    )


def _mlp(part: MLPSublayer, parallel: bool) -> Sublayer:
    """In parallel, the MLP's output is added as it is: the engine applies no norm after it."""
    d_model, d_mlp = part.params.w_in.shape
    return Sublayer(
        kind="mlp",
        detail=(f"{d_model:,} → {d_mlp:,} → {d_model:,}", counted(parameters(part))),
        before=norm_name(part.norms.before),
        after_sublayer="" if parallel else norm_name(part.norms.after_sublayer),
        after_add="" if parallel else norm_name(part.norms.after_add),
    )


def counted(n: int) -> str:
    """How many parameters, short enough for a box.

    >>> counted(591_360), counted(12), counted(1_700_000_000)
    ('0.59 M parameters', '12 parameters', '1.70 G parameters')
    """
    for size, unit in ((10**9, "G"), (10**6, "M")):
        if n >= size / 10:
            return f"{n / size:.2f} {unit} parameters"
    return f"{n:,} parameters"
