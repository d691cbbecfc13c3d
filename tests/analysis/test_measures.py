"""What is measured of a head, against small values worked out elsewhere and plain NumPy."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from attention import Settings, masks
from attention.analysis import spread, targets
from attention.analysis.measured import measured, over_strips
from attention.analysis.measures import BY_KEY, MEASURES
from attention.analysis.moved import update_shares, value_lengths
from attention.analysis.reading import Pieces, even_weights, pieces_of, reading, readings
from attention.engine.config import AttentionConfig
from attention.engine.masks import Full
from attention.engine.params import AttentionParams
from attention.engine.trace import AttentionTrace
from tests.toys import toy

CASE_4A = [[1, 0, 0, 0], [0.6, 0.4, 0, 0], [0.2, 0.5, 0.3, 0], [0.1, 0.2, 0.3, 0.4]]
CAUSAL_4 = torch.ones(4, 4).tril() > 0
INDUCTION_IDS = [7, 3, 5, 3, 9, 7, 3]
REPEATING = [1, 5, 2, 5, 1, 5, 9, 1]


def head(rows):
    return torch.tensor(rows, dtype=torch.float64)[None]


def mean(per_row):
    """The mean over the rows that count, of the first head; None where none does."""
    chosen = per_row.values[0, per_row.rows]
    return float(chosen.mean()) if len(chosen) else None


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("effective", 2.339085),
        ("entropy", 1.075716),
        ("evenness", 0.943800),
        ("distance", 0.625),
        ("direction", -0.625),
        ("previous", 0.466667),
        ("self", 0.525),
        ("first", 0.3),
        ("top", 0.625),
        ("top3", (1 + 1 + 1 + 0.9) / 4),
        ("k90", (1 + 2 + 3 + 3) / 4),
        ("rank", 3.184066),
    ],
)
def test_case_4a(key, expected):
    read = reading(head(CASE_4A), allowed=CAUSAL_4)
    assert mean(BY_KEY[key].per_row(read)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("key", ["next", "special", "equal", "induction", "norm", "norm-special", "update"])
def test_what_case_4a_cannot_tell_is_not_measured(key):
    assert mean(BY_KEY[key].per_row(reading(head(CASE_4A), allowed=CAUSAL_4))) is None


def test_each_row_of_case_4a():
    read = reading(head(CASE_4A), allowed=CAUSAL_4)
    nats = (spread.entropy_bits(read).values[0] * math.log(2)).tolist()
    assert nats == pytest.approx([0, 0.673012, 1.029653, 1.279854], abs=1e-6)
    assert spread.keys_for_nine_tenths(read).values[0].tolist() == [1, 2, 3, 3]
    assert spread.normalised_entropy(read).rows.tolist() == [False, True, True, True]
    assert targets.on_previous(read).values[0, 1:].tolist() == pytest.approx([0.6, 0.5, 0.3])


def test_nine_tenths_in_two_keys_whatever_rounding_makes_of_them():
    read = reading(torch.tensor([[[0.6, 0.3, 0.1]]]))
    assert spread.keys_for_nine_tenths(read).values.tolist() == [[2]]


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (np.eye(4), 4.0),
        (np.full((4, 4), 0.25), 1.0),
        (np.diag([3.0, 1.0]), 1.754765),
        (np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None], 3.137243),
    ],
)
def test_effective_rank(matrix, expected):
    assert mean(spread.effective_rank(reading(head(matrix.tolist())))) == pytest.approx(expected, abs=1e-6)


def test_induction_and_equal_tokens_of_a_typed_text():
    rows = [[1 / (at + 1) if to <= at else 0 for to in range(7)] for at in range(7)]
    rows[3] = [0.1, 0.1, 0.6, 0.2, 0, 0, 0]
    rows[5] = [0.1, 0.5, 0.1, 0.1, 0.1, 0.1, 0]
    rows[6] = [0.05, 0.05, 0.3, 0.05, 0.4, 0.05, 0.1]
    causal = torch.ones(7, 7).tril() > 0
    read = reading(head(rows), allowed=causal, ids=INDUCTION_IDS)
    found = targets.after_equal(read)
    assert torch.nonzero(found.rows).flatten().tolist() == [3, 5, 6]
    assert mean(found) == pytest.approx(0.6)
    assert mean(targets.on_equal(read)) == pytest.approx(0.1)
    chance = targets.after_equal(reading(even_weights(causal)[None], allowed=causal, ids=INDUCTION_IDS))
    assert mean(chance) == pytest.approx(0.234127, abs=1e-6)


def test_a_token_between_its_copies_is_not_what_followed():
    causal = torch.ones(3, 3).tril() > 0
    read = reading(even_weights(causal)[None], allowed=causal, ids=[4, 4, 4])
    found = targets.after_equal(read)
    assert found.rows.tolist() == [False, False, True]
    assert mean(found) == pytest.approx(1 / 3)  # key 1 alone: key 2 is the query itself


def test_special_tokens_ask_for_nothing_and_are_looked_at():
    weights = head([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.7, 0.1, 0.2]])
    read = reading(weights, ids=[1, 5, 1], special=[0, 2])
    assert mean(targets.on_special(read)) == pytest.approx((0.7 + 0.7 + 0.9) / 3)
    assert mean(targets.after_equal(read)) is None
    assert mean(targets.on_equal(read)) == pytest.approx(0.7)
    assert mean(targets.on_first(read)) == pytest.approx(0.65)
    assert mean(targets.on_next(read)) == pytest.approx((0.3 + 0.1) / 2)


def test_a_row_that_sees_nothing_is_in_no_mean():
    read = reading(head([[0, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]]))
    assert mean(spread.effective_number(read)) == pytest.approx((2 + math.exp(1.5 * math.log(2))) / 2)
    assert mean(targets.on_itself(read)) == pytest.approx(0.5)
    rank = rank_by_numpy([[0.5, 0.5, 0], [0.25, 0.25, 0.5]])
    assert mean(spread.effective_rank(read)) == pytest.approx(rank)


def rank_by_numpy(rows):
    sigma = np.linalg.svd(np.array(rows, dtype=float), compute_uv=False)
    p = sigma / sigma.sum()
    return float(np.exp(-(p[p > 0] * np.log(p[p > 0])).sum()))


@pytest.mark.parametrize("n", [5, 12])
def test_an_even_head_has_the_values_of_the_formulas(n):
    full = reading(even_weights(torch.ones(n, n) > 0)[None])
    assert mean(targets.distance(full)) == pytest.approx((n * n - 1) / (3 * n))
    assert mean(targets.signed_distance(full)) == pytest.approx(0)
    assert mean(spread.effective_number(full)) == pytest.approx(n)
    causal = reading(even_weights(torch.ones(n, n).tril() > 0)[None])
    assert mean(targets.distance(causal)) == pytest.approx((n - 1) / 4)
    assert mean(targets.signed_distance(causal)) == pytest.approx(-(n - 1) / 4)
    assert mean(spread.normalised_entropy(causal)) == pytest.approx(1)


def kobayashi():
    """Two tokens and one head, whose queries and keys have the logarithms of its weights as scores."""
    weights = torch.tensor([[0.5, 0.5], [0.25, 0.75]], dtype=torch.float64)
    inputs = torch.tensor([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], dtype=torch.float64)
    keys = weights.log().T / torch.tensor([1.0, 2.0], dtype=torch.float64)[:, None]
    params = AttentionParams(
        w_q=torch.tensor([[[1.0, 0.0], [0.0, 0.5], [0.0, 0.0]]], dtype=torch.float64),
        w_k=torch.cat([keys, torch.zeros(1, 2, dtype=torch.float64)])[None],
        w_v=torch.diag(torch.tensor([1.0, 0.1, 1.0], dtype=torch.float64))[None],
        w_o=torch.tensor([[[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]], dtype=torch.float64),
        b_o=torch.tensor([0.1, -0.1, 0.0], dtype=torch.float64),
    )
    config = AttentionConfig(d_model=3, n_heads=1, n_kv_heads=1, d_head=2, d_value=3, scale=1.0)
    return AttentionTrace(
        config=config, params=params, query_input=inputs, key_input=inputs, mask_rule=Full()
    )


def test_value_weighted_norms_of_kobayashi_s_case():
    pieces = Pieces(ids=(3, 8), special=(False, True), units=((0,), (1,)), n_real=2)
    ((rows, even),) = readings(kobayashi(), pieces)
    assert value_lengths(kobayashi()).tolist() == [pytest.approx([1.414214, 0.2], abs=1e-6)]
    expected = torch.tensor([[[0.707107, 0.1], [0.353553, 0.15]]], dtype=torch.float64)
    torch.testing.assert_close(rows.value_weights, expected, atol=1e-6, rtol=0)
    assert mean(targets.value_length(rows)) == pytest.approx((0.807107 + 0.503553) / 2, abs=1e-6)
    assert mean(targets.value_on_special(rows)) == pytest.approx(
        (0.1 / 0.807107 + 0.15 / 0.503553) / 2, abs=1e-6
    )
    assert mean(targets.value_length(even)) == pytest.approx((1.414214 + 0.2) / 2, abs=1e-6)


def test_shares_of_the_update_and_of_the_bias_add_up_to_one():
    trace = toy().run(REPEATING).attention(1)
    shares = update_shares(trace)
    by_bias = (trace.output @ trace.params.b_o) / (trace.output * trace.output).sum(dim=-1)
    torch.testing.assert_close(shares.sum(dim=0) + by_bias, torch.ones(len(REPEATING), dtype=torch.float64))
    alone = trace.head(4).output
    torch.testing.assert_close(shares[4], (alone * trace.output).sum(-1) / (trace.output**2).sum(-1))


@pytest.fixture(scope="module")
def run():
    return toy().run(REPEATING, settings=Settings(mask=masks.Causal()))


def weights_by_hand(run, layer):
    """All heads' causal weights in NumPy, from the parameters and the residual stream."""
    trace, params = run.attention(layer), run.model.transformer.stack.layers[layer].attention.params
    x = trace.query_input.numpy()
    group = trace.config.n_heads // trace.config.n_kv_heads
    found = []
    for at in range(trace.config.n_heads):
        q = x @ params.w_q[at].numpy() + params.b_q[at].numpy()
        k = x @ params.w_k[at // group].numpy() + params.b_k[at // group].numpy()
        scaled = np.where(np.tril(np.ones((len(x), len(x)))) > 0, q @ k.T * trace.config.scale, -np.inf)
        e = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        found.append(e / e.sum(axis=1, keepdims=True))
    return np.stack(found)


def test_every_head_of_a_run_is_measured_as_plain_numpy_does(run):
    found = measured(run)
    for layer in range(run.n_layers):
        a = weights_by_hand(run, layer)
        n = a.shape[1]
        rows, keys = np.indices((n, n))
        plain = {
            "effective": np.exp(-(a * np.log(np.where(a > 0, a, 1))).sum(-1)).mean(-1),
            "distance": (a * abs(rows - keys)).sum(-1).mean(-1),
            "previous": np.stack([np.diagonal(one, -1).mean() for one in a]),
            "first": a[:, 1:, 0].mean(-1),
            "top": a.max(-1).mean(-1),
            "rank": np.array([rank_by_numpy(one) for one in a]),
        }
        for key, expected in plain.items():
            shown = [found.value(BY_KEY[key], layer, at) for at in range(run.n_heads)]
            np.testing.assert_allclose(shown, expected, atol=1e-9, err_msg=key)
        assert found.counted(BY_KEY["first"], layer) == n - 1
        assert found.even(BY_KEY["distance"], layer, 3) == pytest.approx((n - 1) / 4)


def test_what_cannot_be_measured_is_none_and_never_zero(run):
    found = measured(run)
    for key in ("next", "special", "norm-special"):
        assert found.value(BY_KEY[key], 0, 0) is None
        assert found.counted(BY_KEY[key], 0) == 0
        assert found.even(BY_KEY[key], 0, 0) is None
    assert found.even(BY_KEY["update"], 0, 0) is None
    blind = measured(toy().run([1, 2], settings=Settings(mask=masks.Keys({0, 1}))))
    assert all(blind.value(measure, 0, 0) is None for measure in MEASURES)


def test_rows_in_strips_have_the_mean_of_rows_at_once(run, monkeypatch):
    whole = measured(run)
    monkeypatch.setattr("attention.analysis.reading.STRIP_CELLS", 3 * 6 * 8)
    strips = list(readings(run.attention(2), pieces_of(run, words=False)))
    assert [rows.first_row for rows, _ in strips] == [0, 3, 6]
    values, evens, counts = over_strips(strips, run.n_heads)
    for at, measure in enumerate(MEASURES):
        if measure.key == "rank":
            assert counts[at] == 0  # a strip has no rank
            continue
        torch.testing.assert_close(values[at], whole.values[at, 2], equal_nan=True)
        torch.testing.assert_close(evens[at], whole.evens[at, 2], equal_nan=True)
        assert counts[at] == whole.rows[at, 2]


def test_padding_is_not_a_row(minilm):
    plain, padded = minilm.run("The dog."), minilm.run("The dog.", pad_to=9)
    for measure in MEASURES:
        ours, theirs = measured(padded).value(measure, 3, 2), measured(plain).value(measure, 3, 2)
        assert ours == theirs or ours == pytest.approx(theirs, abs=2e-6)
        assert measured(padded).counted(measure, 3) == measured(plain).counted(measure, 3)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_every_value_lies_in_the_range_that_is_told(run, measure):
    low, high = measure.reach(len(REPEATING))
    found = measured(run)
    for layer in range(run.n_layers):
        for at in range(run.n_heads):
            value = found.value(measure, layer, at)
            assert value is None or low is None or value >= low - 1e-9
            assert value is None or high is None or value <= high + 1e-9


def test_a_layer_that_adds_nothing_has_no_shares_and_no_zeros():
    model = toy()
    model.transformer.stack.layers[1].attention.params.b_o.zero_()
    off = Settings(heads_off={(1, head) for head in range(6)})
    assert update_shares(model.run(REPEATING, settings=off).attention(1)).isnan().all()


def test_of_the_update_only_rows_without_one_are_left_out():
    """Row 0 gets nothing, row 1 a share, row 2 a value that is no number: its share is told to be none."""
    shares = torch.tensor([[math.nan, 0.25, math.nan]])
    weights = torch.ones(1, 3, 3) / 3
    read = replace(reading(weights), update_shares=shares, value_weights=weights.clone())
    assert targets.of_update(read).rows.tolist() == [False, True, False]
    read.value_weights[0, 2, 1] = math.inf
    found = targets.of_update(read)
    assert found.rows.tolist() == [False, True, True]
    assert math.isnan(mean(found))
