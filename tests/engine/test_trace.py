"""Laws of a trace: its parts add up, its pieces are the whole's, and it keeps nothing of size N²."""

import gc

import pytest
import torch

from attention import InputError, Settings, masks
from attention.engine import kernel, steps
from attention.engine.chain import chain
from attention.engine.positions import Fall
from tests.toys import SIZES, toy

IDS = [3, 1, 4, 1, 5, 9, 2, 6]
STEPS = (
    "queries", "scores", "scaled", "capped", "bias", "biased", "masked", "weights", "head_outputs",
)  # fmt: skip
HELD = ("scores", "scaled", "capped", "biased", "mask", "masked", "weights", "head_outputs", "output")
CHOICES = {
    "plain": dict(),
    "rotated": dict(rotary_base=100.0, d_rotary=4),
    "biased": dict(bias="alibi"),
    "rotated, capped and biased": dict(rotary_base=100.0, d_rotary=4, softcap=0.5, bias="alibi"),
}


@pytest.fixture(scope="module", params=CHOICES)
def trace(request):
    settings = Settings(
        mask=masks.Causal() & masks.Keys({0}), heads_off={(1, 4)}, positions=[4, 0, 7, 2, 1, 6, 3, 5]
    )
    return toy(**CHOICES[request.param]).run(IDS, settings=settings).attention(1)


@pytest.fixture(scope="module")
def plain():
    settings = Settings(mask=masks.Causal() & masks.Keys({0}), heads_off={(1, 4)})
    return toy().run(IDS, settings=settings).attention(1)


def close(ours, expected):
    torch.testing.assert_close(ours, expected, atol=1e-12, rtol=0)


def test_shapes_follow_heads_groups_and_value_width(trace):
    assert trace.queries.shape == (6, 8, 5)
    assert trace.keys.shape == (2, 8, 5)
    assert trace.values.shape == (2, 8, 11)
    assert trace.weights.shape == (6, 8, 8)
    assert trace.output.shape == (8, 7)


def test_the_chain_holds_every_step_as_the_trace_gives_it_and_makes_each_once(trace, monkeypatch):
    softmax, calls = steps.softmax, []
    monkeypatch.setattr(steps, "softmax", lambda masked: calls.append(masked) or softmax(masked))
    held = chain(trace)
    made = {step: getattr(held, step) for step in HELD}
    assert len(calls) == 1
    assert all(getattr(held, step) is made[step] for step in HELD)
    for step in HELD:
        assert torch.equal(made[step], getattr(trace, step)), step


def test_the_chain_takes_queries_keys_and_values_that_are_there(trace):
    kept = trace.queries, trace.keys, trace.values
    held = chain(trace)
    assert all(one is other for one, other in zip(kept, (held.queries, held.keys, held.values), strict=True))


def test_weights_by_hand_from_params_and_residual_stream(plain):
    trace = plain
    x, p = trace.query_input.numpy(), trace.params
    for head in range(6):
        q = x @ p.w_q[head].numpy() + p.b_q[head].numpy()
        k = x @ p.w_k[head // 3].numpy() + p.b_k[head // 3].numpy()
        close(trace.scores[head], torch.from_numpy(q @ k.T))
        close(trace.scaled[head], torch.from_numpy(q @ k.T / 5**0.5))


def test_a_query_that_sees_nothing_outputs_the_bias_alone(trace):
    assert trace.weights[:, 0].abs().max() == 0
    assert trace.head_outputs[:, 0].abs().max() == 0
    close(trace.output[0], trace.params.b_o)
    close(trace.fused_output[0], trace.params.b_o)


@pytest.mark.parametrize("strip", [3, 256])
def test_fused_output_equals_the_visible_one(trace, strip, monkeypatch):
    monkeypatch.setattr(kernel, "STRIP", strip)
    close(trace.fused_output, trace.output)
    close(trace.rows(2, 5).fused_output, trace.output[2:5])
    close(trace.head(3).fused_output, trace.head(3).output)


def test_head_contributions_and_bias_sum_to_output(trace):
    close(trace.head_contributions().sum(0) + trace.params.b_o, trace.output)


@pytest.mark.parametrize("query", [0, 5, -1])
def test_weighted_values_sum_to_head_outputs(trace, query):
    close(trace.weighted_values(query).sum(1), trace.head_outputs[:, query])


def test_a_head_that_is_off_gives_nothing_and_is_still_seen_to_weigh(trace):
    assert trace.head_outputs[4].abs().max() == 0
    assert trace.weighted_values(3)[4].abs().max() == 0
    assert trace.head(4).output.abs().max() == 0
    close(trace.weights[4, 1:].sum(-1), torch.ones(7, dtype=torch.float64))


@pytest.mark.parametrize("head", range(6))
def test_one_head_is_that_head_of_the_whole(trace, head):
    one = trace.head(head)
    for step in STEPS:
        close(getattr(one, step)[0], getattr(trace, step)[head])
    close(one.values[0], trace.values[head // 3])
    close(one.output, trace.head_contributions()[head])


def test_a_strip_is_those_rows_of_the_whole(trace):
    for strip in (trace.rows(2, 5), trace.rows(1, 6).rows(1, 4)):
        for step in STEPS:
            close(getattr(strip, step), getattr(trace, step)[:, 2:5])
        close(strip.output, trace.output[2:5])
        assert torch.equal(strip.mask, trace.mask[2:5])


def test_with_as_many_kv_heads_as_heads_it_is_plain_attention():
    trace = toy(n_kv_heads=6).run(IDS).attention(0)
    close(trace.scores, trace.queries @ trace.keys.transpose(1, 2))
    close(trace.head_outputs, trace.weights @ trace.values)


def test_shuffling_positions_shuffles_a_bidirectional_layer():
    model, order = toy(positions=False), [5, 0, 7, 2, 1, 6, 3, 4]
    plain, shuffled = model.run(IDS), model.run([IDS[i] for i in order])
    close(shuffled.final, plain.final[order])
    close(shuffled.attention(2).weights, plain.attention(2).weights[:, order][:, :, order])


def test_every_further_step_by_hand():
    order = [4, 0, 7, 2, 1, 6, 3, 5]
    run = toy(**CHOICES["rotated, capped and biased"]).run(IDS, settings=Settings(positions=order))
    trace, n = run.attention(2), torch.tensor(order)
    assert trace.has_rotation
    assert trace.has_cap
    assert trace.has_bias
    assert not trace.has_norm
    for head, slope in enumerate([0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]):
        q, k = trace.projected_queries[head], trace.projected_keys[head // 3]
        close(trace.queries[head], _turned(q, n))
        close(trace.keys[head // 3], _turned(k, n))
        scaled = _turned(q, n) @ _turned(k, n).T / 5**0.5
        close(trace.scaled[head], scaled)
        close(trace.capped[head], 0.5 * torch.tanh(scaled / 0.5))
        close(trace.bias[head], -slope * (n[:, None] - n).abs().double())
        close(trace.biased[head], trace.capped[head] + trace.bias[head])
        close(trace.weights[head], torch.softmax(trace.biased[head], -1))


def _turned(x, n):
    pairs = torch.view_as_complex(torch.stack([x[:, :2], x[:, 2:4]], -1))
    turned = torch.view_as_real(
        pairs
        * torch.polar(torch.ones(8, 2).double(), n[:, None] * torch.tensor([1, 0.1], dtype=torch.float64))
    )
    return torch.cat([turned[..., 0], turned[..., 1], x[:, 4:]], -1)


def test_a_step_that_the_model_does_not_have_gives_back_the_step_before(plain):
    assert not any((plain.has_norm, plain.has_rotation, plain.has_cap, plain.has_bias))
    assert plain.queries is plain.normed_queries is plain.projected_queries
    assert plain.keys is plain.normed_keys is plain.projected_keys
    assert torch.equal(plain.biased, plain.scaled)
    assert torch.equal(plain.bias, torch.zeros(6, 8, 8, dtype=torch.float64))


def test_without_positions_there_is_neither_rotation_nor_bias():
    model = toy(**CHOICES["rotated, capped and biased"])
    trace = model.run(IDS, settings=Settings(positions="none")).attention(0)
    assert not any((trace.has_rotation, trace.has_bias))
    assert trace.queries is trace.projected_queries
    assert torch.equal(trace.biased, trace.capped)
    close(trace.fused_output, trace.output)


@pytest.mark.parametrize("choices", ["rotated", "biased"])
def test_words_in_another_order_under_their_old_positions_are_the_same_words(choices):
    model, order = toy(**CHOICES[choices]), [4, 0, 7, 2, 1, 6, 3, 5]
    moved = model.run([IDS[i] for i in order], settings=Settings(positions=order))
    close(moved.final, model.run(IDS).final[order])
    close(moved.attention(2).weights, model.run(IDS).attention(2).weights[:, order][:, :, order])


def test_a_bias_in_the_forward_pass_is_made_a_strip_at_a_time(monkeypatch):
    monkeypatch.setattr(kernel, "STRIP", 3)
    rows, real = [], Fall.__call__
    watch = lambda self, slopes, queries, keys: rows.append(len(queries)) or real(self, slopes, queries, keys)  # noqa: E731
    monkeypatch.setattr(Fall, "__call__", watch)
    for softcap in (None, 0.5):
        toy(bias="alibi", softcap=softcap, n_layers=1).run(IDS)
    assert rows == [3, 3, 2] * 2


def test_a_trace_keeps_nothing_with_two_position_axes():
    trace = toy(**CHOICES["rotated, capped and biased"]).run(IDS).attention(0)
    for step in (*STEPS, "mask", "output", "fused_output"):
        getattr(trace, step)
    gc.collect()
    kept = [value.shape for value in vars(trace).values() if isinstance(value, torch.Tensor)]
    assert kept
    assert all(tuple(shape).count(len(IDS)) == 1 for shape in kept if len(shape) > 1)


def test_reading_keys_computes_no_scores(monkeypatch):
    monkeypatch.setattr(steps, "score", lambda *_: pytest.fail("scores were computed"))
    assert toy().run(IDS).attention(0).keys.shape == (2, 8, 5)


def test_a_strip_hands_keys_on_instead_of_projecting_again(monkeypatch):
    trace = toy().run(IDS).attention(0)
    keys, values = trace.keys, trace.values
    monkeypatch.setattr(steps, "project", lambda *_: pytest.fail("projected again"))
    strip = trace.rows(0, 3)
    assert strip.keys is keys
    assert strip.values is values


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda t: t.head(6), r"no head 6: the layer has 6 \(heads 0–5\)"),
        (lambda t: t.rows(3, 3), "Rows 3 to 3"),
        (lambda t: t.rows(0, 9), "within the 8 queries"),
        (lambda t: t.weighted_values(8), "no query 8: the sequence has 8"),
    ],
)
def test_what_is_not_there_is_refused(trace, ask, message):
    with pytest.raises(InputError, match=message):
        ask(trace)


def test_sizes_of_the_toy_are_all_different():
    assert len({*SIZES.values(), len(IDS)}) == len(SIZES) + 1
