"""How heads become one output, in NumPy from the parameters; and one wide head by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from attention import InputError, Settings, masks
from attention.analysis.merging import merging_difference, parts, wide_head
from attention.engine.params import AttentionParams
from attention.engine.trace import AttentionTrace
from tests.families.table import CASES
from tests.toys import toy


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def projected(run, layer):
    """Each head's queries, keys and values in NumPy, kv heads repeated 0 0 0 1 1 1."""
    params = run.model.transformer.stack.layers[layer].attention.params
    x = run.resid_pre[layer].numpy()
    q, k, v = (
        np.einsum("pm,hmd->hpd", x, getattr(params, f"w_{which}").numpy())
        + getattr(params, f"b_{which}").numpy()[:, None]
        for which in "qkv"
    )
    return q, np.repeat(k, 3, axis=0), np.repeat(v, 3, axis=0), params.w_o.numpy(), params.b_o.numpy()


def test_parts_by_numpy():
    run = toy().run([1, 2, 3, 4])
    q, k, v, w_o, b_o = projected(run, 1)
    heads = softmax(q @ k.transpose(0, 2, 1) / math.sqrt(5)) @ v
    given = np.concatenate([np.einsum("hv,hvm->hm", heads[:, 2], w_o), b_o[None]])
    output = given.sum(axis=0)
    found = parts(run.attention(1), 2)
    assert [part.head for part in found] == [0, 1, 2, 3, 4, 5, None]
    assert [part.length for part in found] == pytest.approx(list(np.linalg.norm(given, axis=1)))
    assert [part.share for part in found] == pytest.approx(list(given @ output / (output @ output)))


@pytest.mark.parametrize("name", CASES)
def test_parts_of_every_family_make_up_the_output(name):
    run = CASES[name].run(CASES[name].fullest)
    trace = run.attention(1)
    assert merging_difference(trace) < 1e-12
    assert sum(part.share for part in parts(trace, 3)) == pytest.approx(1)
    assert (parts(trace, 3)[-1].head is None) == (trace.params.b_o is not None)


def test_the_difference_sees_a_fault():
    """A head that the forward pass leaves out and the parts do not."""
    trace = toy().run([1, 2, 3]).attention(0)

    class Faulty(AttentionTrace):
        @property
        def fused_output(self):
            return super().fused_output + 0.25

    fields = {name: getattr(trace, name) for name in trace.__dataclass_fields__}
    assert merging_difference(Faulty(**fields)) == pytest.approx(0.25)


def test_parts_of_nothing_have_no_share():
    model = toy()
    model.transformer.stack.layers[0].attention.params.b_o.zero_()
    off = Settings(heads_off={(0, head) for head in range(6)})
    assert all(part.share is None for part in parts(model.run([1, 2], settings=off).attention(0), 0))
    with pytest.raises(InputError):
        parts(model.run([1, 2]).attention(0), 2)


def test_the_wide_head_by_numpy():
    run = toy().run([1, 2, 3, 4], settings=Settings(mask=masks.Causal()))
    q, k, v, w_o, b_o = projected(run, 1)
    wide_q = q.transpose(1, 0, 2).reshape(4, -1)  # heads side by side
    wide_k = k.transpose(1, 0, 2).reshape(4, -1)
    scores = np.where(np.tri(4, dtype=bool), wide_q @ wide_k.T / math.sqrt(7), -np.inf)
    weights = softmax(scores)
    wide_v = v.transpose(1, 0, 2).reshape(4, -1)
    found = wide_head(run.attention(1))
    np.testing.assert_allclose(found.weights.numpy(), weights, rtol=1e-10)
    output = weights @ wide_v @ w_o.reshape(-1, 7) + b_o
    np.testing.assert_allclose(found.output.numpy(), output, rtol=1e-10)


def test_heads_that_are_off_give_the_wide_head_nothing():
    settings = Settings(heads_off={(1, 0), (1, 4)})
    run = toy().run([1, 2, 3], settings=settings)
    _, _, v, w_o, b_o = projected(run, 1)
    found = wide_head(run.attention(1))
    lit = [1, 2, 3, 5]
    expected = np.einsum("qk,hkv,hvm->qm", found.weights.numpy(), v[lit], w_o[lit]) + b_o
    np.testing.assert_allclose(found.output.numpy(), expected, rtol=1e-10)


def test_one_head_of_full_width_is_the_wide_head():
    run = toy(n_heads=1, n_kv_heads=1, d_head=7).run([1, 2, 3])
    trace = run.attention(0)
    found = wide_head(trace)
    torch.testing.assert_close(found.weights, trace.weights[0])
    torch.testing.assert_close(found.output, trace.output)


def test_two_heads_that_disagree_average_out():
    """Head 0 looks at key 0, head 1 at key 1: as one head their scores cancel and both keys get half."""
    trace = toy(n_heads=2, n_kv_heads=2, d_model=2, d_head=1, d_value=1).run([1, 2]).attention(0)
    eye = torch.eye(2).double()[:, :, None]
    params = AttentionParams(w_q=torch.ones_like(eye), w_k=10 * eye, w_v=eye, w_o=eye.transpose(1, 2))
    x = torch.eye(2).double()
    two = replace(trace, params=params, query_input=x, key_input=x)
    assert [int(head.argmax()) for head in two.weights[:, 0]] == [0, 1]
    torch.testing.assert_close(wide_head(two).weights, torch.full((2, 2), 0.5).double())


@pytest.mark.parametrize("name", ["gemma2", "t5"])
def test_caps_stay_and_biases_are_averaged(name):
    trace = CASES[name].run("plain" if name != "t5" else CASES[name].fullest).attention(0)
    scores = trace.scores.numpy().sum(axis=0) / math.sqrt(trace.config.d_model)
    if trace.has_cap:
        scores = np.tanh(scores / trace.config.softcap) * trace.config.softcap
    if trace.has_bias:
        scores = scores + trace.bias.numpy().mean(axis=0)
    scores = np.where(trace.mask.numpy(), scores, -np.inf)
    np.testing.assert_allclose(wide_head(trace).weights.numpy(), softmax(scores), rtol=1e-6, atol=1e-12)


def test_a_query_that_sees_nothing_gets_b_o_from_the_wide_head_too():
    run = toy().run([1, 2], settings=Settings(mask=masks.Cells({(0, 0), (0, 1)})))
    trace = run.attention(0)
    found = wide_head(trace)
    assert found.weights[0].tolist() == [0, 0]
    torch.testing.assert_close(found.output[0], trace.params.b_o)
