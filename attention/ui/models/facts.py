"""The sizes and choices of a model as a table, read from the built model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from attention.checkpoints.sizes import readable
from attention.engine import mlp
from attention.engine.config import AttentionConfig
from attention.engine.layer import Layer
from attention.engine.masks import Causal, Full, MaskRule, Window
from attention.engine.norms import LayerNorm, Norm, Norms, RMSNorm, unchanged
from attention.engine.positions import Buckets, Fall, Rotary, Slowed, SlowedByWavelength
from attention.engine.transformer import Transformer
from attention.model import Model
from attention.ui.models.anatomy import alike, from_a_table, n_bytes, norm_name, norms_of, parameters, stacks

MOST_NAMED = 6

ACTIVATIONS: dict[Callable[..., object], str] = {
    mlp.gelu: "GELU",
    mlp.gelu_tanh: "GELU, tanh form",
    mlp.quick_gelu: "GELU, sigmoid form",
    mlp.relu: "ReLU",
    mlp.silu: "SiLU (swish)",
}


@dataclass(frozen=True)
class Fact:
    """One row: a value for each stack, or one for the whole model."""

    name: str
    values: tuple[str, ...]


def facts(model: Model) -> tuple[Fact, ...]:
    """Every row, in the order one would ask for them."""
    parts = tuple(stacks(model.transformer).values())
    return (
        Fact("Family", (model.config.family,)),
        *(Fact(name, tuple(say(part) for part in parts)) for name, say in _OF_A_STACK.items()),
        *([] if len(parts) == 1 else [Fact("Cross-attention", tuple(_crossing(part) for part in parts))]),
        Fact("Vocabulary", (f"{model.config.d_vocab:,} tokens",)),
        Fact("Parameters", (f"{parameters(model.transformer):,}",)),
        Fact("In memory", (_memory(model),)),
        Fact("Tensors without a use here", (_named(model.transformer.ignored),)),
        Fact("Revision", (model.revision,)),
    )


def ranges(layers: Sequence[int]) -> str:
    """Layers in words.

    >>> ranges([0, 1, 2, 5, 7, 8])
    'L0–L2, L5, L7, L8'
    """
    runs: list[list[int]] = []
    for layer in layers:
        if runs and layer == runs[-1][-1] + 1:
            runs[-1].append(layer)
        else:
            runs.append([layer])
    return ", ".join(_run(run) for run in runs)


def _run(run: list[int]) -> str:
    return f"L{run[0]}–L{run[-1]}" if len(run) > 2 else ", ".join(f"L{layer}" for layer in run)


def _by_layer(said: Iterable[str]) -> str:
    """One sentence where all layers agree, else each with its layers."""
    shared = alike(list(said))
    if len(shared) == 1:
        return next(iter(shared))
    return "; ".join(f"{words or 'none'} in {ranges(layers)}" for words, layers in shared.items())


def _each(say: Callable[[Layer], str]) -> Callable[[Transformer], str]:
    return lambda part: _by_layer(say(layer) for layer in part.stack.layers)


def _config(say: Callable[[AttentionConfig], str]) -> Callable[[Transformer], str]:
    return _each(lambda layer: say(layer.attention.config))


def _norm(part: Transformer) -> str:
    """Which norms there are, the one after the last layer among them."""
    every = [norm for layer in part.stack.layers for norm in norms_of(layer)]
    last = part.stack.final_norm
    said = " and ".join(dict.fromkeys(_norm_words(norm) for norm in every)) or "none"
    return said if last is unchanged else f"{said}; {norm_name(last)} after the last layer"


def _norm_words(norm: Norm) -> str:
    if not isinstance(norm, LayerNorm | RMSNorm):
        return norm_name(norm)
    return f"{norm_name(norm)}, ε {norm.eps:g}".replace("-", "−")


def _placement(layer: Layer) -> str:
    """Where the norms sit, sublayer by sublayer where these differ."""
    parts = {"attention": layer.attention, "cross-attention": layer.cross, "MLP": layer.mlp}
    places = {name: _place(part.norms) for name, part in parts.items() if part is not None}
    shared = alike(list(places.values()))
    if len(shared) > 1:
        return "; ".join(f"{place} ({name})" for name, place in places.items())
    beside = ", attention and MLP in parallel" if layer.parallel else ""
    return next(iter(shared)) + beside


def _place(norms: Norms) -> str:
    before, after, on_sum = (
        norm is not unchanged for norm in (norms.before, norms.after_sublayer, norms.after_add)
    )
    known = {
        (True, False, False): "before each sublayer (pre-norm)",
        (False, False, True): "on the stream, after each add (post-norm)",
        (True, True, False): "before and after each sublayer (sandwich)",
        (False, False, False): "there are none",
    }
    words = [
        word
        for there, word in ((before, "before"), (after, "after"), (on_sum, "on the sum"))
        if there
    ]  # fmt: skip
    return known.get((before, after, on_sum), " and ".join(words))


def _positions(part: Transformer) -> str:
    table = part.embedding.positions
    kind = "sinusoidal vectors" if from_a_table(part) else "learned vectors"
    said = [] if table is None else [f"{kind} for {len(table):,} positions, added to the tokens’"]
    turns = _config(lambda config: _turn(config.rotary, config.d_head))(part)
    falls = _config(lambda config: _bias(config.bias))(part)
    return "; ".join([*said, *(words for words in (turns, falls) if words)]) or "none"


def _turn(rotary: Rotary | None, d_head: int) -> str:
    if rotary is None:
        return ""
    some = f", {rotary.n_channels} of {d_head} channels" if rotary.n_channels != d_head else ""
    return f"queries and keys turn (RoPE, base {rotary.base:,.0f}{some}{_stretched(rotary.scaling)})"


def _stretched(scaling: Slowed | SlowedByWavelength | None) -> str:
    if scaling is None:
        return ""
    which = "slow turns" if isinstance(scaling, SlowedByWavelength) else "turns"
    return f", {which} slowed {scaling.factor:g} times"


def _bias(bias: Buckets | Fall | None) -> str:
    if isinstance(bias, Buckets):
        return f"a learned bias on the scores by distance, {bias.n_buckets} buckets up to {bias.max_distance}"
    return "" if bias is None else "a bias on the scores that falls with distance (ALiBi)"


def _scores(config: AttentionConfig) -> str:
    """What happens to a score between the product and the softmax."""
    plain = abs(config.scale - config.d_head**-0.5) < 1e-6
    said = ["not scaled" if config.scale == 1 else f"÷ √{config.d_head}" if plain else f"× {config.scale:g}"]
    said += [] if config.softcap is None else [f"soft cap at {config.softcap:g}"]
    said += [] if config.norm_eps is None else ["queries and keys normed first"]
    return ", ".join(said)


def _mask(rule: MaskRule) -> str:
    match rule:
        case Full():
            return "none: every token sees every token"
        case Causal():
            return "causal: itself and all before"
        case Window(before, after):
            return f"window: {before:,} before, {after:,} after"
    return repr(rule)


def _crossing(part: Transformer) -> str:
    crossed = [layer.cross.config for layer in part.stack.layers if layer.cross is not None]
    if not crossed:
        return "none"
    every = "every layer" if len(crossed) == len(part.stack.layers) else f"{len(crossed)} layers"
    return f"in {every}, {crossed[0].n_heads} heads: every token sees the encoder’s whole memory"


def _mlp(layer: Layer) -> str:
    if layer.mlp is None:
        return "no MLP"
    bend = layer.mlp.activation
    said = ACTIVATIONS.get(bend, getattr(bend, "__name__", "its own"))
    return said if layer.mlp.params.w_gate is None else f"{said}, gated"


def _memory(model: Model) -> str:
    return f"{readable(n_bytes(model.transformer))} in {str(model.dtype).removeprefix('torch.')}"


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more if names else "none"


_OF_A_STACK: dict[str, Callable[[Transformer], str]] = {
    "Layers": lambda part: f"{len(part.stack.layers)}",
    "Heads a layer": _config(lambda config: f"{config.n_heads}"),
    "Heads of keys and values": _config(lambda config: f"{config.n_kv_heads}"),
    "d_model": _config(lambda config: f"{config.d_model:,}"),
    "d_head": _config(
        lambda config: (
            f"{config.d_head}" + (f", values {config.d_value}" if config.d_value != config.d_head else "")
        )
    ),
    "d_mlp": _each(lambda layer: "no MLP" if layer.mlp is None else f"{layer.mlp.params.w_in.shape[1]:,}"),
    "Norm": _norm,
    "Where norms sit": _each(_placement),
    "Position": _positions,
    "Scores": _config(_scores),
    "Mask": _config(lambda config: _mask(config.own_mask)),
    "Activation": _each(_mlp),
    "Longest sequence": lambda part: f"{part.config.n_positions:,} tokens",
}
