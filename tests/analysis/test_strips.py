"""What is worked out a strip at a time equals the same of the whole matrix, and holds no whole matrix."""

import pytest
import torch
from torch.testing import assert_close

from attention import Settings, masks
from attention.analysis import strips
from attention.analysis.heads import entropy
from tests.engine.test_memory import Largest
from tests.toys import toy

N = 37
SETTINGS = {
    "own": Settings(),
    "causal": Settings(mask=masks.Causal()),
    "blind rows": Settings(mask=masks.Causal() & masks.Keys({0, 1, 2})),
}


@pytest.fixture(params=SETTINGS)
def trace(request, monkeypatch):
    monkeypatch.setattr(strips, "STRIP_BYTES", 5 * 6 * N * 8)  # five rows of six heads
    return toy().run([i % 13 for i in range(N)], settings=SETTINGS[request.param]).attention(1)


def blocks(cells, starts_down, starts_across, make):
    rows = []
    for at, top in enumerate(starts_down):
        bottom = [*starts_down, cells.shape[-2]][at + 1]
        row = []
        for place, left in enumerate(starts_across):
            right = [*starts_across, cells.shape[-1]][place + 1]
            row.append(make(cells[..., top:bottom, left:right]))
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=-2)


def test_strips_are_the_trace_in_order(trace):
    parts = list(strips.strips(trace))
    assert len(parts) == 8
    assert_close(torch.cat([part.weights for part in parts], dim=1), trace.weights, rtol=0, atol=1e-15)


def test_strips_end_between_blocks(trace):
    assert [part.n_queries for part in strips.strips(trace, multiple=3)] == [3] * 12 + [1]


@pytest.mark.parametrize("how", ["max", "mean"])
@pytest.mark.parametrize(("most", "block"), [(64, 1), (10, 4), (37, 1), (1, 37)])
def test_pooled_cells_are_those_of_the_whole_matrix(trace, most, block, how):
    found = strips.pooled(trace, most, how)
    starts = list(range(0, N, block))
    make = (lambda part: part.amax(dim=(-2, -1))) if how == "max" else (lambda part: part.mean(dim=(-2, -1)))
    assert found.block == (block, block)
    assert_close(found.values, blocks(trace.weights, starts, starts, make), rtol=0, atol=1e-12)
    whole = blocks(trace.mask, starts, starts, lambda part: part.any(dim=-1).any(dim=-1))
    assert torch.equal(found.allowed, whole)
    assert torch.equal(found.sees, torch.stack([rows.any() for rows in trace.mask.split(block)]))


def test_ranges_are_cut_out_of_the_models_own_weights(trace):
    found = strips.pooled(trace, 4, queries=range(5, 16), keys=range(20, 37))
    part = trace.weights[:, 5:16, 20:37]
    expected = blocks(part, [0, 3, 6, 9], [0, 5, 10, 15], lambda cells: cells.amax(dim=(-2, -1)))
    assert found.block == (3, 5)
    assert_close(found.values, expected, rtol=0, atol=1e-12)
    seeing = trace.mask.any(dim=1)[5:16]
    assert torch.equal(found.sees, torch.stack([rows.any() for rows in seeing.split(3)]))


def test_entropies_are_those_of_the_whole_matrix(trace):
    assert_close(strips.entropies(trace), entropy(trace.weights), rtol=0, atol=1e-12)


def test_where_nobody_sees_anything_there_is_no_mean_entropy():
    nothing = Settings(mask=masks.Keys(set(range(4))))
    trace = toy().run([1, 2, 3, 4], settings=nothing).attention(0)
    assert bool(torch.isnan(strips.entropies(trace)).all())


def test_no_matrix_of_the_square_of_the_length_is_made():
    n = 1500
    run = toy(n_positions=n, dtype=torch.float32).run([i % 13 for i in range(n)])
    trace = run.attention(0).head(2)
    with Largest() as largest:
        strips.pooled(trace, 64)
    assert 0 < largest.n <= max(strips.STRIP_BYTES // 4 + n, n * 64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strips, "STRIP_BYTES", 2**18)
        with Largest() as largest:
            strips.pooled(trace, 64)
            strips.entropies(trace)
    assert 0 < largest.n < n * n / 10
