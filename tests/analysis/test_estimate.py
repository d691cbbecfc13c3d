"""What a run costs, counted by hand and measured on real runs."""

from dataclasses import replace

import pytest
import torch

from attention.analysis import estimate
from attention.analysis.estimate import Rates, cost, rates
from attention.engine import kernel
from attention.engine.trace import AttentionTrace
from tests.families import decoders, translators
from tests.toys import SIZES, toy


def test_operations_of_a_toy_are_those_counted_by_hand():
    n, layers, d_model, heads, kv = 10, 3, 7, 6, 2
    d_head, d_value = 5, 11
    params = d_model * (heads * d_head + kv * d_head + kv * d_value + heads * d_value)
    found = cost(toy(), n)
    assert found.product_flops == 2 * n * layers * params
    assert found.attention_flops == 2 * n * n * layers * heads * (d_head + d_value)


def test_a_causal_mask_halves_the_scores():
    case = decoders.LLAMA
    model = case.ours()
    config = model.config
    n = 12
    square = 2 * n * n * config.n_layers * config.n_heads * 2 * config.d_head
    assert cost(model, n).attention_flops == square // 2


def test_gated_mlps_have_three_matrices():
    model = decoders.LLAMA.ours()
    layer = model.transformer.stack.layers[0]
    gated = layer.mlp.params
    attention = sum(getattr(layer.attention.params, name).numel() for name in ("w_q", "w_k", "w_v", "w_o"))
    mlp = gated.w_in.numel() + gated.w_out.numel() + gated.w_gate.numel()
    assert cost(model, 1).product_flops == 2 * model.config.n_layers * (attention + mlp)


def test_what_is_kept_is_what_the_run_holds():
    run = toy().run([1, 2, 3, 4, 5])
    held = {state.data_ptr(): state.nbytes for state in (*run.resid_pre, run.stack_run.post)}
    # The toy has no norm after its last layer: its final state is the last residual stream itself.
    assert cost(toy(), 5).kept_bytes == sum(held.values()) + run.final.nbytes
    assert len(held) == SIZES["n_layers"] + 1


def test_seconds_are_operations_by_rate():
    found = cost(toy(), 10)
    twice = Rates(product=found.product_flops / 2, attention=found.attention_flops / 3)
    assert twice.seconds(found) == pytest.approx(5)


@pytest.mark.parametrize("case", [decoders.LLAMA, decoders.GEMMA2], ids=["one kind", "windowed and not"])
def test_each_kind_of_attention_is_tried_as_a_run_takes_it(case, monkeypatch):
    model, tried = case.ours(), []
    fused = AttentionTrace.fused_output.fget
    monkeypatch.setattr(AttentionTrace, "fused_output", property(lambda trace: note(trace) or fused(trace)))

    def note(trace):
        if trace.n_queries == estimate.TRIAL_KEYS:
            tried.append((trace.config, trace.mask_rule))

    rates(model)
    kinds = {layer.attention.config for layer in model.transformer.stack.layers}
    assert set(tried) == {(config, config.own_mask) for config in kinds}


def test_the_rate_is_that_of_all_layers_together(monkeypatch):
    model = decoders.GEMMA2.ours()
    takes = {config: 1.0 + at for at, config in enumerate(configs(model))}
    monkeypatch.setattr(estimate, "_attention_seconds", lambda layer: takes[layer.attention.config])
    monkeypatch.setattr(estimate, "_fastest", lambda action: 100.0)
    asked = cost(model, estimate.TRIAL_KEYS).attention_flops
    seconds = sum(takes[layer.attention.config] for layer in model.transformer.stack.layers)
    assert len(takes) == 2
    assert rates(model).attention == pytest.approx(asked / seconds)


@pytest.mark.parametrize(("merging", "whole", "left"), [(0.25, 1.0, 0.75), (0.9, 1.0, 0.5)])
def test_what_merging_the_heads_takes_is_no_part_of_attention_s_seconds(monkeypatch, merging, whole, left):
    """It is a product, and counted as one; where times are too near each other, half is taken."""
    times = iter([merging, whole])
    monkeypatch.setattr(estimate, "_fastest", lambda action: next(times))
    layer = decoders.LLAMA.ours().transformer.stack.layers[0]
    assert estimate._attention_seconds(layer) == pytest.approx(left)


def test_a_bias_is_held_for_a_strip_and_once_more_with_its_mask():
    model, n = translators.T5.ours(), 3 * kernel.STRIP
    config = model.transformer.stack.layers[0].attention.config
    assert config.bias is not None
    biased, plain = (estimate._in_a_strip(part, n) for part in (config, replace(config, bias=None)))
    assert (biased, plain) == (2 * config.n_heads * kernel.STRIP * n, 0)


def configs(model):
    return dict.fromkeys(layer.attention.config for layer in model.transformer.stack.layers)


def test_capped_scores_are_made_a_strip_at_a_time():
    model, n = decoders.GEMMA2.ours(), 3 * kernel.STRIP
    capped = cost(model, n).working_bytes
    heads, size = model.config.n_heads, model.dtype.itemsize
    assert capped - 6 * size * heads * kernel.STRIP * n < n * size * 4096, "and little besides"
    assert capped > 6 * size * heads * kernel.STRIP * n


def test_rates_of_a_model_shorter_than_the_trial():
    found = rates(toy(dtype=torch.float32))
    assert found.product > 0
    assert found.attention > 0
