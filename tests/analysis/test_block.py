"""What a layer does to the stream, for every family, against transformers' own states and by hand."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from attention.analysis.block import changes, summing_difference
from tests.families.table import CASES
from tests.toys import toy

KINDS = {
    "bert": ["attention", "norm", "mlp", "norm"],
    "gpt2": ["attention", "mlp"],
    "gpt_neox": ["attention", "mlp"],
    "gemma2": ["attention", "mlp"],
    "t5": ["attention", "cross", "mlp"],
    "marian": ["attention", "norm", "cross", "norm", "mlp", "norm"],
}


def runs():
    """Each family, on what takes most of it into account, also with a head off."""
    for name, case in CASES.items():
        yield pytest.param(case, {}, id=name)
    yield pytest.param(CASES["gemma2"], {"heads_off": {(1, 0)}}, id="gemma2, a head off")


@pytest.mark.parametrize(("case", "settings"), list(runs()))
def test_the_changes_add_up_to_the_layer_s_step(case, settings):
    run = case.run(case.fullest, **settings)
    for layer in range(run.n_layers):
        chain, states = changes(run, layer), run.layer(layer)
        assert chain[0].before.equal(states.pre)
        for earlier, later in pairwise(chain):
            assert later.before.equal(earlier.after)
        step = sum(change.written for change in chain)
        torch.testing.assert_close(step, states.post - states.pre, rtol=0, atol=1e-12)
        assert summing_difference(run, layer) < 1e-12
        if states.mid is not None:
            n = 2 if chain[1].kind == "norm" else 1
            torch.testing.assert_close(chain[n - 1].after, states.mid, rtol=0, atol=1e-12)


def test_the_difference_sees_a_layer_that_passes_on_something_else():
    run = CASES["gpt2"].run("plain")
    passed = list(run.resid_pre)
    passed[2] = passed[2] + 0.5
    other = replace(run, stack_run=replace(run.stack_run, resid_pre=tuple(passed)))
    assert summing_difference(other, 1) == pytest.approx(0.5)


@pytest.mark.parametrize("name", KINDS)
def test_each_family_has_its_chain(name):
    run = CASES[name].run(CASES[name].fullest)
    assert [change.kind for change in changes(run, 1)] == KINDS[name]


@pytest.mark.parametrize("name", CASES)
def test_what_attention_makes_is_what_transformers_adds(name):
    case = CASES[name]
    run, theirs = case.run(case.fullest), case.theirs(case.fullest)
    for layer in range(run.n_layers):
        made = changes(run, layer)[0].made
        # some families compute a norm or a softmax in float32 inside, in transformers (design, section 5)
        torch.testing.assert_close(made, theirs.layers[layer]["output"], rtol=1e-5, atol=1e-5)


def by_hand(block, resid):
    """An RMS norm, a gated or plain MLP and their sum, in NumPy."""
    x = resid.numpy()
    gain = block.mlp.norms.before.gain.numpy()
    normed = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + block.mlp.norms.before.eps) * gain
    params = block.mlp.params
    gate = normed @ params.w_gate.numpy()
    hidden = gate / (1 + np.exp(-gate)) * (normed @ params.w_in.numpy())
    return normed, hidden @ params.w_out.numpy()


def test_the_mlp_of_a_pre_norm_family_by_hand():
    run = CASES["llama"].run("plain")
    block = run.model.transformer.stack.layers[2]
    attended, thought = changes(run, 2)
    normed, made = by_hand(block, run.layer(2).mid)
    np.testing.assert_allclose(thought.read.numpy(), normed, rtol=1e-6)
    np.testing.assert_allclose(thought.made.numpy(), made, rtol=1e-5, atol=1e-8)
    assert thought.written.equal(thought.made)
    assert attended.read.equal(block.attention.norms.before(run.resid_pre[2]))


def test_in_parallel_the_mlp_reads_the_door():
    run = CASES["gpt_neox"].run("plain")
    block = run.model.transformer.stack.layers[1]
    _, thought = changes(run, 1)
    assert thought.read.equal(block.mlp.norms.before(run.resid_pre[1]))
    assert thought.source.equal(run.resid_pre[1])
    assert not thought.before.equal(run.resid_pre[1])


def test_a_sandwich_norms_what_is_made_before_it_is_added():
    run = CASES["gemma2"].run("plain")
    for change in changes(run, 0):
        assert not torch.allclose(change.made, change.written)
    block = run.model.transformer.stack.layers[0]
    attended = changes(run, 0)[0]
    assert attended.written.equal(block.attention.norms.after_sublayer(attended.made))


def test_a_post_norm_family_leaves_what_its_last_norm_left():
    run = CASES["bert"].run("plain")
    last = changes(run, 3)[-1]
    norm = run.model.transformer.stack.layers[3].mlp.norms.after_add
    standard = (last.after - norm.bias) / norm.gain
    torch.testing.assert_close(standard.mean(dim=-1), torch.zeros(9).double(), rtol=0, atol=1e-12)
    torch.testing.assert_close(standard.pow(2).mean(dim=-1), torch.ones(9).double(), rtol=0, atol=1e-6)


def test_a_toy_has_attention_alone():
    run = toy().run([1, 2, 3])
    (attended,) = changes(run, 1)
    assert attended.read.equal(run.resid_pre[1])
    torch.testing.assert_close(attended.written, run.attention(1).output)
