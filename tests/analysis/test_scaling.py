"""Scores of random vectors against theory and the table of science.md; real heads under another scale."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from attention import InputError, Settings, masks
from attention.analysis.scaling import (
    density,
    divided,
    drawn,
    drawn_scores,
    gradient_sizes,
    head_spread,
    saturation,
    shares,
    under_scale,
)
from tests.toys import toy

ROWS = 8000


@dataclass(frozen=True)
class Row:
    """A row of science.md's Monte-Carlo table; standard errors are those of a million rows."""

    d_k: int
    variance: tuple[float, float]
    gradient: tuple[float, float]
    median: float
    largest: tuple[float, float]
    entropy: tuple[float, float]
    dead: float
    scaled_gradient: tuple[float, float]
    scaled_largest: tuple[float, float]
    scaled_entropy: tuple[float, float]


TABLE = [
    Row(4, (4.0026, 0.0033), (0.32267, 0.00007), 0.3335, (0.42586, 0.00021), (1.76676, 0.00057), 0.0001,
        (0.29720, 0.00003), (0.23469, 0.00012), (2.38142, 0.00030)),
    Row(16, (16.003, 0.008), (0.27732, 0.00015), 0.3307, (0.68532, 0.00022), (0.90134, 0.00053), 0.0086,
        (0.30289, 0.00002), (0.24337, 0.00010), (2.36369, 0.00023)),
    Row(64, (64.035, 0.026), (0.17654, 0.00017), 0.1118, (0.84401, 0.00018), (0.41048, 0.00040), 0.1272,
        (0.30458, 0.00002), (0.24591, 0.00009), (2.35843, 0.00020)),
    Row(256, (255.92, 0.09), (0.09898, 0.00015), 0.0063, (0.92261, 0.00014), (0.19356, 0.00029), 0.3933,
        (0.30500, 0.00002), (0.24638, 0.00009), (2.35737, 0.00019)),
    Row(1024, (1023.7, 0.4), (0.05233, 0.00012), 0.000017, (0.96147, 0.00010), (0.09383, 0.00021), 0.6439,
        (0.30510, 0.00002), (0.24659, 0.00009), (2.35712, 0.00019)),
]  # fmt: skip


def near(ours, theirs):
    """Within four standard errors, theirs of a million rows scaled to as many as ours have."""
    mean, error = theirs
    # the printed error is rounded to its last digit, so half of that digit more is allowed
    last = 10.0 ** -len(str(error).partition(".")[2])
    return abs(ours - mean) <= 4 * (error + last / 2) * math.sqrt(1e6 / ROWS + 1)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"d_k {row.d_k}")
def test_random_vectors_agree_with_the_table(row):
    found = drawn(row.d_k, n_rows=ROWS, seed=1)
    assert (found.d_k, found.raw.n_rows) == (row.d_k, ROWS)
    assert near(found.variance, row.variance)
    assert near(found.scaled_variance * row.d_k, row.variance)
    assert near(found.raw.gradient, row.gradient)
    assert near(found.raw.largest, row.largest)
    assert near(found.raw.entropy, row.entropy)
    assert near(found.scaled.gradient, row.scaled_gradient)
    assert near(found.scaled.largest, row.scaled_largest)
    assert near(found.scaled.entropy, row.scaled_entropy)
    assert abs(found.raw.dead - row.dead) <= 4 * math.sqrt(row.dead * (1 - row.dead) / ROWS) + 1e-4
    assert found.scaled.dead == 0


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"d_k {row.d_k}")
def test_half_the_rows_lie_below_the_table_s_median(row):
    scores = drawn_scores(row.d_k, n_rows=ROWS, seed=2)
    below = (gradient_sizes(shares(scores)) < row.median).double().mean()
    assert abs(float(below) - 0.5) <= 4 * 0.5 / math.sqrt(ROWS) + 0.01  # the table's medians are rounded
    ours = drawn(row.d_k, n_rows=ROWS, seed=2).raw.median_gradient
    assert float((gradient_sizes(shares(scores)) < ours).double().mean()) == pytest.approx(0.5, abs=1e-3)


def test_scores_are_dot_products_whose_keys_share_a_query():
    """Moments that normal scores of the same variance would not have (d_k = 4, q · k = |q| g)."""
    d_k, n = 4, 40_000
    scores = drawn_scores(d_k, n_rows=n, n_keys=3, seed=3)
    squares = scores.pow(2)
    # E s⁴ = 3 d (d + 2); two keys of one query: E s₁² s₂² = d (d + 2), of two queries: d²
    assert float(scores.pow(4).mean()) == pytest.approx(3 * d_k * (d_k + 2), rel=0.1)
    together = float((squares[:, 0] * squares[:, 1]).mean())
    apart = float((squares[:-1, 0] * squares[1:, 1]).mean())
    assert together == pytest.approx(d_k * (d_k + 2), rel=0.1)
    assert apart == pytest.approx(d_k**2, rel=0.1)
    assert abs(float((scores[:, 0] * scores[:, 1]).mean())) < 4 * math.sqrt(d_k * (d_k + 2) / n)


def test_a_seed_draws_the_same_again_and_another_does_not():
    assert drawn_scores(8, n_rows=5, seed=4).equal(drawn_scores(8, n_rows=5, seed=4))
    assert not drawn_scores(8, n_rows=5, seed=4).equal(drawn_scores(8, n_rows=5, seed=5))
    # longer than one strip: no rows are drawn twice
    long = drawn_scores(1024, n_rows=300, n_keys=16, seed=4)
    assert len(long[:, 0].unique()) == len(long) == 300


def test_scaling_makes_the_gradient_independent_of_d_k_and_not_the_largest():
    four, sixteen, most = (drawn(d_k, n_rows=ROWS) for d_k in (4, 16, 1024))
    assert four.raw.gradient > four.scaled.gradient  # science.md: .323 against .297
    assert abs(most.scaled.gradient - sixteen.scaled.gradient) < 0.005
    assert most.raw.median_gradient < 1e-3 < most.raw.gradient  # the mean hides what the median shows


def test_gradient_of_case_1d():
    weights = torch.softmax(torch.tensor([[2.0, 1.0, 0.0]]).double(), dim=-1)
    assert gradient_sizes(weights).item() == pytest.approx(0.389390, abs=1e-6)


def test_gradient_is_the_norm_of_torch_s_own_jacobian():
    scores = 3 * torch.randn(7, 5, generator=torch.Generator().manual_seed(0)).double()
    jacobians = [torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), row) for row in scores]
    expected = torch.stack([jacobian.norm() for jacobian in jacobians])
    torch.testing.assert_close(gradient_sizes(torch.softmax(scores, -1)), expected)


def test_gradient_keeps_its_digits_where_a_row_is_saturated():
    """p = (1 − ε, ε): every entry of J is ±ε(1 − ε), also where 1 − ε is 1 to the last digit."""
    for exponent in (-5, -20, -60):
        row = torch.tensor([[1 - 10.0**exponent, 10.0**exponent]]).double()
        assert gradient_sizes(row).item() == pytest.approx(2 * 10.0**exponent, rel=1e-4)


def test_gradient_grows_before_it_falls():
    even, two, one = gradient_sizes(torch.tensor([[0.25] * 4, [0.5, 0.5, 0, 0], [1.0, 0, 0, 0]]).double())
    assert even.item() == pytest.approx(math.sqrt(0.25 * 0.75))
    assert (two.item(), one.item()) == (0.5, 0.0)


def test_saturation_by_hand():
    rows = torch.tensor([[0.5, 0.5], [1.0, 0.0], [1.0, 0.0]])
    found = saturation(rows)
    assert found.n_rows == 3
    assert found.entropy == pytest.approx(math.log(2) / 3)
    assert found.largest == pytest.approx(2.5 / 3)
    assert found.gradient == pytest.approx(0.5 / 3)
    assert found.median_gradient == 0
    assert found.dead == pytest.approx(2 / 3)


def test_a_histogram_covers_what_a_normal_curve_does():
    scores = divided(drawn_scores(512, n_rows=20_000), 512)
    edges = torch.linspace(-2, 2, 21)
    found = density(scores, edges)
    at = (edges[1:] + edges[:-1]).numpy() / 2
    curve = np.exp(-(at**2) / 2) / math.sqrt(2 * math.pi)
    np.testing.assert_allclose(found.numpy(), curve, atol=0.01)
    assert float((found * edges.diff()).sum()) == pytest.approx(0.9545, abs=0.005)  # the rest lies outside


@pytest.mark.parametrize(
    "sizes", [dict(d_k=0, n_rows=1), dict(d_k=1, n_rows=0), dict(d_k=1, n_rows=1, n_keys=0)]
)
def test_sizes_below_one_are_refused(sizes):
    with pytest.raises(InputError, match="must be 1 or more, not 0"):
        drawn_scores(**sizes)


def by_hand(run, layer, head, scale, allowed):
    """One head's weights from the parameters and the residual stream, in NumPy; the toy has no norms."""
    params = run.model.transformer.stack.layers[layer].attention.params
    x, kv = run.resid_pre[layer].numpy(), head // 3
    q = x @ params.w_q[head].numpy() + params.b_q[head].numpy()
    k = x @ params.w_k[kv].numpy() + params.b_k[kv].numpy()
    scores = np.where(allowed, q @ k.T * scale, -np.inf)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("scale", [5**-0.5, 1.0, 2 * 5**-0.5])
def test_a_real_head_under_another_scale(scale):
    run = toy().run([1, 2, 3, 4], settings=Settings(mask=masks.Causal()))
    expected = by_hand(run, 1, 4, scale, np.tri(4, dtype=bool))
    ours = under_scale(run.attention(1), scale)
    np.testing.assert_allclose(ours.head(4).weights[0].numpy(), expected, rtol=1e-12)
    found = head_spread(ours, 4)
    rows = expected[1:]  # the first row has one key and no choice
    assert found.n_rows == 3
    assert found.largest == pytest.approx(rows.max(axis=1).mean())
    logs = np.log(rows, where=rows > 0, out=np.zeros_like(rows))
    assert found.entropy == pytest.approx(-(rows * logs).sum(axis=1).mean())


def test_the_trace_itself_keeps_its_scale():
    trace = toy().run([1, 2, 3]).attention(0)
    before = trace.weights
    under_scale(trace, 1.0)
    assert trace.config.scale == pytest.approx(5**-0.5)
    assert trace.weights.equal(before)
    with pytest.raises(InputError, match="above 0, not 0"):
        under_scale(trace, 0)


def test_a_head_whose_rows_have_no_choice_is_not_measured():
    alone = toy().run([1, 2, 3], settings=Settings(mask=masks.Window(0, 0)))
    assert head_spread(alone.attention(0), 0) is None
    blind = toy().run([1, 2, 3], settings=Settings(mask=masks.Keys({0, 1, 2})))
    assert head_spread(blind.attention(0), 0) is None
    with pytest.raises(InputError, match="no row"):
        saturation(torch.zeros(0, 3))
