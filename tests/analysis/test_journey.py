"""One token's way in lengths and cosines, by NumPy and by the laws that tie them."""

import math

import numpy as np
import pytest
import torch

from attention import InputError, Settings
from attention.analysis.journey import cosine, doors, journey
from tests.analysis.test_block import KINDS
from tests.families.table import CASES
from tests.toys import toy


def test_in_parallel_the_mlp_reads_as_long_a_stream_as_attention():
    run = CASES["gpt_neox"].run("plain")
    attended, thought = (step for step in journey(run).of(4) if step.layer == 1)
    assert thought.source == attended.source == pytest.approx(float(run.resid_pre[1][4].norm()))
    assert thought.before != pytest.approx(thought.source)


def test_cosine_by_hand():
    assert cosine(torch.tensor([3.0, 4.0]), torch.tensor([4.0, 3.0])) == pytest.approx(0.96)
    assert cosine(torch.tensor([0.1] * 3), torch.tensor([0.3] * 3)) <= 1
    assert cosine(torch.zeros(2), torch.ones(2)) is None


@pytest.mark.parametrize("name", ["bert", "gpt2", "gpt_neox", "gemma2"])
def test_a_journey_in_lengths_and_cosines(name):
    run = CASES[name].run("plain")
    steps = journey(run).of(4)
    assert [step.kind for step in steps] == KINDS[name] * run.n_layers
    assert [step.layer for step in steps] == sorted(list(range(run.n_layers)) * len(KINDS[name]))
    for step in steps:
        # the law of cosines ties the three lengths to the angle
        square = step.before**2 + step.written**2 + 2 * step.along * step.before * step.written
        assert step.after == pytest.approx(math.sqrt(square))
        assert step.kept == pytest.approx((step.before + step.along * step.written) / step.after)
        assert (step.source is None) == (step.read is None) == (step.made is None) == (step.kind == "norm")
    assert steps[-1].after == pytest.approx(float(run.stack_run.post[4].norm()))


def test_passedby_numpy():
    run = CASES["gpt2"].run("plain")
    states = np.stack(
        [run.layer(layer).pre[4].numpy() for layer in range(4)] + [run.layer(3).post[4].numpy()]
    )
    lengths = np.sqrt((states**2).sum(axis=1))
    units = states / lengths[:, None]
    found = doors(run, 4)
    assert [door.length for door in found] == pytest.approx(list(lengths))
    assert [door.to_start for door in found] == pytest.approx(list(units @ units[0]))
    assert found[0].to_last is None
    assert [door.to_last for door in found[1:]] == pytest.approx(list((units[1:] * units[:-1]).sum(axis=1)))


def test_a_silent_sublayer_has_no_angle():
    model = toy()
    for layer in model.transformer.stack.layers:
        layer.attention.params.b_o.zero_()
    run = model.run([1, 2], settings=Settings(heads_off={(1, head) for head in range(6)}))
    step = journey(run).of(0)[1]
    assert (step.written, step.along, step.kept) == (0, None, pytest.approx(1))


@pytest.mark.parametrize("position", [-1, 9])
def test_a_position_that_is_not_there_is_refused(position):
    run = CASES["gpt2"].run("plain")
    for look in (journey(run).of, lambda position: doors(run, position)):
        with pytest.raises(InputError, match=rf"There is no position {position}: the text has 9 tokens"):
            look(position)
