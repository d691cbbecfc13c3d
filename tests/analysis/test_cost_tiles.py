"""A head by tiles is the head, wherever one stops to look."""

import numpy as np
import pytest
import torch

from attention import InputError, Settings, masks
from attention.analysis.cost_tiles import walk
from tests.toys import toy

TEXT = "The developer deployed the application because it was ready."


@pytest.fixture(scope="module")
def trace(minilm):
    return minilm.run(TEXT).attention(4)


def by_hand(trace, head):
    """Masked scores and output in float64 NumPy, from the residual stream and the params."""
    x, p = trace.query_input.numpy(), trace.params
    q = x @ p.w_q[head].numpy() + p.b_q[head].numpy()
    k = x @ p.w_k[head].numpy() + p.b_k[head].numpy()
    v = x @ p.w_v[head].numpy() + p.b_v[head].numpy()
    scores = q.astype(float) @ k.astype(float).T / np.sqrt(32)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores, weights / weights.sum(axis=1, keepdims=True) @ v.astype(float)


@pytest.mark.parametrize(("n_rows", "n_columns"), [(3, 3), (5, 4), (12, 12), (1, 12), (12, 1), (1, 1)])
def test_the_last_state_is_the_whole_head(trace, n_rows, n_columns):
    walked = walk(trace, 4, n_rows, n_columns)
    scores, output = by_hand(trace, 4)
    n_tiles = -(-12 // n_rows) * -(-12 // n_columns)
    assert len(walked.tiles) == n_tiles
    assert walked.n_across == -(-12 // n_columns)
    assert walked.largest == (n_rows, n_columns)
    np.testing.assert_allclose(walked.outputs(n_tiles - 1), output, atol=2e-5)
    np.testing.assert_allclose(walked.met(n_tiles - 1), scores, atol=2e-5)
    assert 0 <= walked.difference <= 1e-12
    np.testing.assert_allclose(walked.expected, output, atol=2e-5)


def test_half_way_only_what_was_met_is_there(trace):
    walked = walk(trace, 4, 5, 4)
    met = walked.met(3)
    assert not met[:5, :].isnan().any()
    assert not met[5:10, :4].isnan().any()
    assert met[5:, 4:].isnan().all()
    assert met[10:].isnan().all()
    outputs = walked.outputs(3)
    assert not outputs[:10].isnan().any()
    assert outputs[10:].isnan().all()
    scores, _ = by_hand(trace, 4)
    v = trace.values[4].double().numpy()
    weights = np.exp(scores[5:10, :4])
    np.testing.assert_allclose(outputs[5:10], weights / weights.sum(1, keepdims=True) @ v[:4], atol=2e-5)


def test_the_difference_is_not_of_a_thing_with_itself(trace):
    walked = walk(trace, 4, 5, 4)
    broken = type(walked)(walked.tiles, walked.expected + 0.5)
    assert broken.difference == pytest.approx(0.5)
    only_last = type(walked)((*walked.tiles[:2], *walked.tiles[3:]), walked.expected)
    assert only_last.n_across == 2


@pytest.mark.parametrize("parts", [{}, dict(rotary_base=100.0, d_rotary=4, softcap=0.5, bias="alibi")])
def test_causal_tiles_above_the_diagonal_are_passed_over(parts):
    settings = Settings(mask=masks.Causal() & masks.Keys({0}))
    trace = toy(**parts).run(list(range(9)), settings=settings).attention(1)
    walked = walk(trace, 4, 3, 3)
    assert [tile.passed_over for tile in walked.tiles] == [False, True, True, False, False, True] + [
        False
    ] * 3
    assert walked.n_passed_over == 3
    assert walked.difference <= 1e-14
    assert not walked.outputs(8).isnan().any()
    assert (walked.outputs(8)[0] == 0).all()
    torch.testing.assert_close(walked.outputs(8), trace.head_outputs[4], atol=1e-13, rtol=0)


def test_more_tiles_than_one_can_step_through_are_refused(minilm):
    trace = minilm.run("the " * 60).attention(0)
    with pytest.raises(InputError) as refused:
        walk(trace, 0, 1, 2)
    assert str(refused.value) == (
        "Tiles of 1 × 2 would be 1,922, more than the 1,024 one can step through: take larger ones."
    )


@pytest.mark.parametrize(("n_rows", "said"), [(0, "got 0"), (13, "got 13")])
def test_tiles_of_nothing_are_refused_before_they_are_counted(trace, n_rows, said):
    with pytest.raises(InputError, match=f"from 1 to all 12 queries of the sequence; {said}"):
        walk(trace, 4, n_rows, 3)
