"""The fused kernel against the visible steps, with every kind of mask, with and without a bias."""

import pytest
import torch

from attention.engine import kernel, steps
from attention.engine.masks import (
    BlockLocal,
    Causal,
    Cells,
    Dilated,
    Fixed,
    Full,
    Global,
    Keys,
    Prefix,
    Random,
    Strided,
    Window,
    dense,
)

N, M = 11, 13
RULES = (Full(), Causal(), Window(3, 1), Window(0, 0), Prefix(5), Keys({0, 2}), Keys(range(13)),
         Causal() & Keys({0, 1}), Cells({(4, 4)}), Dilated(2, 3), Window(1, 0) | Global({0, 5}),
         BlockLocal(4), Random(2, M, 5, Window(1, 1)), Strided(3), Fixed(3, 1))  # fmt: skip


def visible(queries, keys, values, rule, bias=None):
    scaled = steps.scale(steps.score(queries, keys), 0.3)
    biased = scaled if bias is None else steps.add_bias(scaled, bias)
    allowed = dense(rule, queries.shape[1], keys.shape[1])
    return steps.mix(steps.softmax(steps.mask(biased, allowed)), values)


@pytest.mark.parametrize("strip", [3, 256])
@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("biased", [False, True])
def test_fused_equals_the_visible_steps(rule, strip, dtype, biased, monkeypatch):
    monkeypatch.setattr(kernel, "STRIP", strip)
    queries, keys, values, bias = random((5, N, 7), (5, M, 7), (5, M, 3), (5, N, M), dtype=dtype)
    expected = visible(queries, keys, values, rule, bias if biased else None)
    fused = kernel.fused(
        queries,
        keys,
        values,
        rule,
        0.3,
        bias=(lambda start: bias[:, start : start + strip]) if biased else None,
    )
    tolerance = 1e-12 if dtype == torch.float64 else 2e-6
    torch.testing.assert_close(fused, expected, atol=tolerance, rtol=0)


def test_a_query_that_sees_nothing_gives_zero_with_a_bias_too():
    queries, keys, values, bias = random((5, N, 7), (5, N, 7), (5, N, 3), (5, N, N), dtype=torch.float64)
    rule = Causal() & Keys({0})
    assert kernel.fused(queries, keys, values, rule, 0.3, bias=lambda _: bias)[:, 0].abs().max() == 0
    assert kernel.fused(queries, keys, values, rule, 0.3)[:, 0].abs().max() == 0


def test_a_causal_strip_of_a_longer_sequence_sees_what_came_before_it():
    queries, keys, values = random((2, N, 7), (2, N, 7), (2, N, 3), dtype=torch.float64)
    whole = kernel.fused(queries, keys, values, Causal(), 0.3)
    part = kernel.fused(queries[:, 6:9], keys, values, Causal(), 0.3, first_query=6)
    torch.testing.assert_close(part, whole[:, 6:9], atol=1e-12, rtol=0)


def test_a_mask_or_a_bias_never_exists_for_more_than_a_strip(monkeypatch):
    monkeypatch.setattr(kernel, "STRIP", 4)
    sizes, real = [], torch.nn.functional.scaled_dot_product_attention
    watch = lambda *given, attn_mask, **rest: (  # noqa: E731
        sizes.append(attn_mask.shape[-2]),
        real(*given, attn_mask=attn_mask, **rest),
    )[1]
    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", watch)
    queries, keys, values, bias = random((2, N, 7), (2, N, 7), (2, N, 3), (2, N, N), dtype=torch.float64)
    kernel.fused(queries, keys, values, Window(2, 0), 0.3)
    kernel.fused(queries, keys, values, Full(), 0.3, bias=lambda start: bias[:, start : start + 4])
    assert sizes == [4, 4, 3] * 2


def random(*shapes, dtype):
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(shape, generator=generator, dtype=dtype) for shape in shapes]
