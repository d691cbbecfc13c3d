"""What transformers does, step by step.

An attention function registered with transformers receives queries, keys and values after every norm and
rotation, for every family that goes through its interface; it computes the steps in the open and keeps them.
"""

import math
from dataclasses import dataclass, field

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

STEPS = ("queries", "keys", "values", "scores", "scaled", "masked", "weights", "head_outputs", "output")


@dataclass
class Reference:
    """One forward pass of a transformers model: the steps of each layer and its hidden states."""

    layers: list[dict] = field(default_factory=list)
    hidden: list = field(default_factory=list)


_recording: list[Reference] = []


def _probe(module, query, key, value, attention_mask, scaling=None, dropout=0.0, **kwargs):
    group = query.shape[1] // key.shape[1]
    shared_keys, shared_values = (kv.repeat_interleave(group, dim=1) for kv in (key, value))
    scores = query @ shared_keys.transpose(2, 3)
    scaled = scores * scaling
    # transformers adds finfo.min; what it means is minus infinity, and a trace shows it as that.
    masked = scaled if attention_mask is None else scaled.masked_fill(attention_mask < -1e30, -math.inf)
    added = scaled if attention_mask is None else scaled + attention_mask
    weights = torch.softmax(added, dim=-1)
    mixed = weights @ shared_values
    steps = (query, key, value, scores, scaled, masked, weights, mixed)
    _recording[-1].layers.append({name: step[0] for name, step in zip(STEPS, steps, strict=False)})
    return mixed.transpose(1, 2).contiguous(), weights


AttentionInterface.register("probe", _probe)
AttentionMaskInterface.register("probe", eager_mask)


def shaken(model, seed=1, amount=0.3):
    """The model in float64 with noise on every parameter: fresh biases of 0 and gains of 1 hide mistakes."""
    generator = torch.Generator().manual_seed(seed)
    model = model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(amount * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return model


def record(model, output_projections, **inputs):
    """Run a transformers model on one sequence (batch 1) and keep every step.

    Args:
        model: The model.
        output_projections: The module of each layer whose output the attention sublayer adds to the residual.
        inputs: As for its forward.
    """
    model.set_attn_implementation("probe")
    _recording.append(reference := Reference())
    outputs = []
    hooks = [
        module.register_forward_hook(lambda _module, _inputs, output: outputs.append(output[0]))
        for module in output_projections
    ]
    with torch.no_grad():
        result = model(**inputs, output_hidden_states=True)
    for hook in hooks:
        hook.remove()
    for layer, output in zip(reference.layers, outputs, strict=True):
        layer["output"] = output
    reference.hidden = [hidden[0] for hidden in result.hidden_states]
    _recording.pop()
    return reference
