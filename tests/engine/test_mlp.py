"""The MLP, gated and not, and its activations against transformers' own."""

import pytest
import torch
from transformers.activations import ACT2FN

from attention.engine.mlp import ACTIVATIONS, STRIP, mlp
from attention.engine.params import MLPParams


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_equal_transformers_by_the_same_name(name):
    x = torch.linspace(-9, 9, 1001, dtype=torch.float64)[:, None]
    torch.testing.assert_close(ACTIVATIONS[name](x), ACT2FN[name](x), atol=1e-10, rtol=0)


@pytest.mark.parametrize("gated", [False, True])
def test_by_hand(gated):
    generator = torch.Generator().manual_seed(3)

    def made(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    x, up, gate = made(11, 5), (made(5, 7), made(7)), (made(5, 7), made(7))
    params = MLPParams(w_in=up[0], b_in=up[1], w_out=made(7, 5), b_out=made(5))
    hidden = torch.relu(x @ up[0] + up[1])
    if gated:
        params = MLPParams(**vars(params) | dict(w_gate=gate[0], b_gate=gate[1]))
        hidden = torch.relu(x @ gate[0] + gate[1]) * (x @ up[0] + up[1])
    expected = hidden @ params.w_out + params.b_out
    torch.testing.assert_close(mlp(x, params, ACTIVATIONS["relu"]), expected, atol=1e-12, rtol=0)


def test_of_a_long_text_no_more_than_a_strip_is_wide_and_the_sum_is_the_same():
    generator, seen = torch.Generator().manual_seed(3), []
    x, w_in, w_out = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in ((2 * STRIP + 13, 5), (5, 7), (7, 5))
    )

    def watched(hidden):
        seen.append(len(hidden))
        return torch.relu(hidden)

    found = mlp(x, MLPParams(w_in=w_in, w_out=w_out), watched)
    assert seen == [STRIP, STRIP, 13]
    torch.testing.assert_close(found, torch.relu(x @ w_in) @ w_out, atol=1e-12, rtol=0)
