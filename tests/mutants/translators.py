"""Mistakes in T5 and Marian: relative bias, two stacks, attention across."""

from dataclasses import replace

import torch
import torch.nn.functional as F

from attention.engine import embedding, layer, masks, mlp, norms, positions, transformer
from attention.families import marian, t5
from attention.families.source import Source
from tests.mutants.kin import RMS
from tests.mutants.seeding import (
    Mutant,
    config,
    configured,
    dropped,
    layers,
    ones,
    swapped,
    tensors,
)
from tests.mutants.shared import unbiased


def _bias(change):
    real = positions.Buckets.__call__
    return lambda patch: patch.setattr(
        positions.Buckets, "__call__", lambda self, *given: change(real(self, *given))
    )


def _own_bias_in_each_layer(patch):
    """The table of layer 0 is taken to be another's in the layers after it."""
    real = t5._layer

    def each(source, name, sizes, table):
        return real(source, name, sizes, table.roll(int(name.rpartition(".")[2]), 1))

    patch.setattr(t5, "_layer", each)


def _bias_in_layer_0_alone(patch):
    real = t5._layer

    def each(source, name, sizes, table):
        return real(source, name, sizes, table if name.endswith(".0") else torch.zeros_like(table))

    patch.setattr(t5, "_layer", each)


def _both_ways(value):
    real = positions.Buckets
    return lambda patch: patch.setattr(t5, "Buckets", lambda **given: real(**given | dict(both_ways=value)))


def _signs_turned(patch):
    real = positions.Buckets.of
    patch.setattr(positions.Buckets, "of", lambda self, ahead: real(self, -ahead))


def _biased_across(made):
    if made.cross is None:
        return made
    config = replace(made.cross.config, bias=made.attention.config.bias)
    params = replace(made.cross.params, bias=made.attention.params.bias)
    return replace(made, cross=replace(made.cross, config=config, params=params))


def memory(change):
    """Cross-attention is fed something else; given the residual stream, the sublayer and the memory."""
    real = layer.AttentionSublayer.trace

    def trace(self, resid, plan, memory=None):
        return real(self, resid, plan, None if memory is None else change(self, resid, memory))

    return lambda patch: patch.setattr(layer.AttentionSublayer, "trace", trace)


def _padding_seen_across(patch):
    real = transformer.Transformer.plans
    patch.setattr(
        transformer.Transformer,
        "plans",
        lambda self, settings, padded=range(0), padded_memory=range(0): real(self, settings, padded),
    )


def _padding_seen_by_the_encoder(patch):
    real = transformer.Transformer.plans
    patch.setattr(
        transformer.Transformer,
        "plans",
        lambda self, settings, padded=range(0), padded_memory=range(0): real(
            self, settings, range(0), padded_memory
        ),
    )


def _no_final_norm(patch):
    """That of the encoder alone."""
    real = t5.Stack
    patch.setattr(
        t5,
        "_half",
        lambda source, name, sizes, tokens, half=t5._half: _bare(
            half(source, name, sizes, tokens), name, real
        ),
    )


def _bare(half, name, stack):
    return replace(half, stack=stack(layers=half.stack.layers)) if name == "encoder" else half


def _logits(**entries):
    real = embedding.Unembedding.logits
    return lambda patch: patch.setattr(
        embedding.Unembedding, "logits", lambda self, final: real(replace(self, **entries), final)
    )


def _table(change):
    real = positions.sinusoidal
    return lambda patch: patch.setattr(marian, "sinusoidal", lambda n, d, dtype: change(real(n, d, dtype)))


def _interleaved(table):
    mixed, n_sines = torch.empty_like(table), (table.shape[1] + 1) // 2
    mixed[:, 0::2], mixed[:, 1::2] = table[:, :n_sines], table[:, n_sines:]
    return mixed


def _pre_norm(patch):
    real = norms.Norms
    patch.setattr(marian, "Norms", lambda after_add: real(before=after_add))


def _cross_before_self(made):
    if made.cross is None:
        return made
    crossed = replace(made.attention, params=made.cross.params, norms=made.cross.norms)
    return replace(made, attention=crossed, cross=replace(made.cross, params=made.attention.params))


def _same_heads(patch):
    """The decoder's heads are counted as the encoder's."""
    real = Source.size
    patch.setattr(
        Source,
        "size",
        lambda self, *keys, default=None: real(
            self, *[key.replace("decoder_att", "encoder_att") for key in keys], default=default
        ),
    )


ACROSS = {
    "cross-attention fed the decoder's own states as keys": memory(
        lambda self, resid, memory: self.norms.before(resid)
    ),
    "memory normed like the decoder's states": memory(
        lambda self, resid, memory: memory / memory.norm(dim=-1, keepdim=True)
    ),
    "memory in reverse": memory(lambda self, resid, memory: memory.flip(0)),
    "cross-attention left out": lambda patch: patch.setattr(
        layer.Layer, "after_cross", lambda self, mid, plan, memory, attend=None: mid
    ),
    "padding mask forgotten in cross-attention": Mutant(_padding_seen_across, "padded"),
    "padding mask forgotten in the encoder": Mutant(_padding_seen_by_the_encoder, "padded"),
}

T5 = (
    RMS
    | ACROSS
    | {
        "bias taken from each layer": _own_bias_in_each_layer,
        "bias in layer 0 alone": _bias_in_layer_0_alone,
        "bias scaled": _bias(lambda bias: bias * 4**-0.5),
        "bias of the keys' place for the queries'": _bias(lambda bias: bias.transpose(1, 2).contiguous()),
        "scores scaled": configured(t5, scale=4**-0.5),
        "decoder's buckets both ways": _both_ways(True),
        "encoder's buckets one way": _both_ways(False),
        "distances with the other sign": _signs_turned,
        "bias in cross-attention too": layers(t5, _biased_across),
        "last bucket from the maximum distance on": config(relative_attention_max_distance=128),
        "encoder's final norm left out": _no_final_norm,
        "logits not scaled": _logits(scale=1.0),
        "logits scaled by √d_model": _logits(scale=15**0.5),
        "decoder not causal": configured(t5, own_mask=masks.Full()),
        "GELU for ReLU": config(feed_forward_proj="gelu"),
        "norms swapped": swapped("decoder.*.layer_norm.weight", "layer.0", "layer.1"),
    }
)

T5_GATED = {
    "gate and up swapped": swapped("*.DenseReluDense.*", "wi_0", "wi_1"),
    "exact GELU for tanh GELU": lambda patch: patch.setitem(mlp.ACTIVATIONS, "gelu_new", F.gelu),
    "logits scaled": config(scale_decoder_outputs=True),
    "output matrix tied": swapped("lm_head.weight", "lm_head.weight", "shared.weight"),
}

MARIAN = ACROSS | {
    "drop value bias": dropped("*.v_proj.bias"),
    "drop key bias": dropped("*.k_proj.bias"),
    "drop cross-attention's output bias": dropped("*.encoder_attn.out_proj.bias"),
    "sin and cos interleaved": _table(_interleaved),
    "cosines first": _table(lambda table: table.roll(7, 1)),
    "positions from 1": _table(lambda table: table.roll(-1, 0)),
    "embeddings not multiplied by √d_model": config(scale_embedding=False),
    "table multiplied by √d_model too": _table(lambda table: table * 15**0.5),
    "norm before the sublayer": _pre_norm,
    "LayerNorm with unbiased std": lambda patch: patch.setattr(norms.LayerNorm, "__call__", unbiased),
    "LayerNorm gain dropped": ones("*layer_norm.weight"),
    "bias of the logits dropped": _logits(b=None),
    "ReLU for swish": config(activation_function="relu"),
    "decoder not causal": configured(marian, own_mask=masks.Full()),
    "self- and cross-attention swapped": layers(marian, _cross_before_self),
    "decoder with the encoder's heads": _same_heads,
    "W_Q and W_K of cross-attention swapped": swapped("*.encoder_attn.*", "q_proj", "k_proj"),
}

MARIAN_APART = {
    "the encoder's words for the decoder": tensors("decoder.embed_tokens.weight", lambda w: w.roll(1, 0)),
    "swish for ReLU": config(activation_function="swish"),
    "bias of the logits dropped": _logits(b=None),
}
