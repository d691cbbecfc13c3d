"""What a run costs, counted by hand and measured on real runs."""

import pytest
import torch

from attention.analysis.estimate import Rates, cost, rates
from tests.families import decoders
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


def test_rates_of_a_model_shorter_than_the_trial():
    found = rates(toy(dtype=torch.float32))
    assert found.product > 0
    assert found.attention > 0
