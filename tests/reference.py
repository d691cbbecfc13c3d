"""What transformers does, step by step.

An attention function registered with transformers receives queries, keys and values after every norm and
rotation, for every family that goes through its interface; it computes the steps in the open and keeps them.
That it does what transformers' own function does is checked each time: both must end in the same states.
"""

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

STEPS = (
    "queries",
    "keys",
    "values",
    "scores",
    "scaled",
    "capped",
    "biased",
    "masked",
    "weights",
    "head_outputs",
    "output",
)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where the parts of one stack are in a transformers model; each is found from a layer."""

    layers: Callable
    final: Callable  # from the model: the module whose output is the end of the stack
    attention: Callable = lambda layer: layer.self_attn
    output: Callable = lambda layer: layer.self_attn.o_proj  # its output is added to the residual stream
    mid: Callable | None = None  # its input is the residual stream after self-attention
    cross: Callable | None = None
    cross_output: Callable | None = None
    crossed: Callable | None = None  # its input is the residual stream after cross-attention
    projected: Callable | None = None  # the projections into queries and keys, where they are modules
    normed: Callable | None = None  # their norms


@dataclass
class Reference:
    """One forward pass of one stack: the steps of each layer, the states at its joints, and the end."""

    layers: list[dict] = field(default_factory=list)
    cross: list[dict] = field(default_factory=list)
    final: torch.Tensor | None = None
    logits: torch.Tensor | None = None
    encoder: "Reference | None" = None


_recording: list[dict] = []


def _probe(module, query, key, value, attention_mask, scaling=None, softcap=None, position_bias=None, **_):
    group = query.shape[1] // key.shape[1]
    shared_keys, shared_values = (kv.repeat_interleave(group, dim=1) for kv in (key, value))
    scores = query @ shared_keys.transpose(2, 3)
    scaled = scores * scaling
    capped = scaled if softcap is None else torch.tanh(scaled / softcap) * softcap
    biased = capped if position_bias is None else capped + position_bias
    # transformers adds finfo.min; what it means is minus infinity, and a trace shows it as that.
    masked = biased if attention_mask is None else biased.masked_fill(attention_mask < -1e30, -math.inf)
    added = biased if attention_mask is None else biased + attention_mask
    weights = torch.softmax(added, dim=-1)
    mixed = weights @ shared_values
    steps = (query, key, value, scores, scaled, capped, biased, masked, weights, mixed)
    _recording[-1][module] = {name: step[0] for name, step in zip(STEPS, steps, strict=False)}
    return mixed.transpose(1, 2).contiguous(), weights


AttentionInterface.register("probe", _probe)
AttentionMaskInterface.register("probe", eager_mask)


@contextlib.contextmanager
def widened():
    """What transformers casts to float32 on the way is float64 in here, so that all of it is comparable.

    Norms, rotation and softmax have such casts (``.float()``, ``.to(torch.float32)``), and so has the table
    of Marian (``torch.FloatTensor``). A model must be made in here too: tables are made with it.
    """
    wide = {"float32": torch.float64, "float": torch.float64, "FloatTensor": torch.DoubleTensor}
    narrow, cast, default = {name: getattr(torch, name) for name in wide}, torch.Tensor.float, torch.float32
    torch.set_default_dtype(torch.float64)
    torch.Tensor.float = torch.Tensor.double
    vars(torch).update(wide)
    try:
        yield
    finally:
        vars(torch).update(narrow)
        torch.Tensor.float = cast
        torch.set_default_dtype(default)


def shaken(model, seed=1, amount=0.3):
    """The model in float64 with noise on every parameter: fresh biases of 0 and gains of 1 hide mistakes.

    Tables that transformers computes and does not save (``embed_positions``) are no parameters and stay.
    """
    generator = torch.Generator().manual_seed(seed)
    model = model.double().eval()
    shaken = [p for name, p in model.named_parameters() if "embed_positions" not in name]
    shaken += [buffer for name, buffer in model.named_buffers() if name == "final_logits_bias"]
    with torch.no_grad():
        for parameter in shaken:
            parameter.add_(amount * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return model


def record(model, layout, encoder=None, **inputs):
    """Run a transformers model on one sequence (batch 1) and keep every step.

    Args:
        model: The model.
        layout: Where the parts of its stack are; the decoder's, where there are two.
        encoder: The same for the encoder.
        inputs: As for its forward.
    """
    model.set_attn_implementation("probe")
    _recording.append(steps := {})
    catch = Catch()
    for part in filter(None, (layout, encoder)):
        catch.stack(model, part)
    with torch.no_grad():
        result = model(**inputs)
    catch.off()
    _recording.pop()
    _assert_same_without_the_probe(model, inputs, result)
    reference = _gathered(model, layout, steps, catch)
    reference.logits = result.logits[0] if hasattr(result, "logits") else None
    reference.encoder = None if encoder is None else _gathered(model, encoder, steps, catch)
    return reference


def _assert_same_without_the_probe(model, inputs, result):
    model.set_attn_implementation("eager")
    with torch.no_grad():
        eager = model(**inputs)
    atol = 1e-10 if torch.get_default_dtype() == torch.float64 else 1e-4
    torch.testing.assert_close(eager[0], result[0], atol=atol, rtol=0)


class Catch:
    """Hooks that keep what goes into modules and what comes out."""

    def __init__(self):
        self.into, self.out, self._handles = {}, {}, []

    def stack(self, model, layout):
        for layer in layout.layers(model):
            self._into(layer)
            for find in filter(None, (layout.mid, layout.crossed)):
                self._into(find(layer))
            for find in filter(None, (layout.output, layout.cross_output)):
                self._out(find(layer))
            for find in filter(None, (layout.projected, layout.normed)):
                for module in find(layer):
                    self._out(module)
        self._out(layout.final(model))

    def off(self):
        for handle in self._handles:
            handle.remove()

    def _into(self, module):
        def keep(module, args, kwargs):
            self.into[module] = (args[0] if args else kwargs["hidden_states"])[0]

        self._handles.append(module.register_forward_pre_hook(keep, with_kwargs=True))

    def _out(self, module):
        def keep(module, _, output):
            self.out[module] = (output[0] if isinstance(output, tuple) else output)[0]

        self._handles.append(module.register_forward_hook(keep))


def _gathered(model, layout, steps, catch):
    reference = Reference(final=catch.out[layout.final(model)])
    for layer in layout.layers(model):
        own = steps[layout.attention(layer)] | {"output": catch.out[layout.output(layer)]}
        own["pre"] = catch.into[layer]
        own["mid"] = None if layout.mid is None else catch.into[layout.mid(layer)]
        own["crossed"] = None if layout.crossed is None else catch.into[layout.crossed(layer)]
        for stage in ("projected", "normed"):
            find = getattr(layout, stage)
            if find is not None:
                for which, module in zip(("queries", "keys"), find(layer), strict=True):
                    own[f"{stage}_{which}"] = _by_head(catch.out[module], own[which])
        reference.layers.append(own)
        if layout.cross is not None:
            cross = steps[layout.cross(layer)] | {"output": catch.out[layout.cross_output(layer)]}
            reference.cross.append(cross)
    return reference


def _by_head(x, like):
    """[head, pos, d_head] from whichever shape a module gave: joined, heads last, or as it is."""
    n_heads, n, d_head = like.shape
    x = x.reshape(n, n_heads, d_head) if x.ndim == 2 else x
    return x.transpose(0, 1) if x.shape[0] == n else x
