"""A token's way as charts, for families whose norms stand in other places."""

import re

import numpy as np
import pytest

from attention.analysis.block import changes
from attention.analysis.journey import Door, Step, doors, journey
from attention.ui.block.way import Way, cosines, lengths, norms
from attention.ui.block.words import cosines_caption, turns
from attention.ui.models.anatomy import block
from tests.families.table import CASES
from tests.toys import toy


def way(name, position=3):
    run = CASES[name].run(CASES[name].fullest)
    return run, Way(steps=journey(run).of(position), doors=doors(run, position))


def series(chart):
    return {one.name: np.asarray(one.y) for one in chart.series}


NORMS = {
    "bert": ["on the stream, after attention", "on the stream, after the MLP"],
    "gpt2": ["before attention", "before the MLP"],
    "gpt_neox": ["before attention", "before the MLP"],
    "gemma2": [
        "before attention",
        "of what attention makes",
        "before the MLP",
        "of what the MLP makes",
    ],
    "t5": ["before attention", "before cross-attention", "before the MLP"],
    "marian": [
        "on the stream, after attention",
        "on the stream, after cross-attention",
        "on the stream, after the MLP",
    ],
}


@pytest.mark.parametrize("name", NORMS)
def test_each_norm_of_a_family_has_its_factor(name):
    run, found = way(name)
    layer = run.model.transformer.stack.layers[0]
    drawn = series(norms(found, block(layer)))
    assert list(drawn) == NORMS[name]
    assert all(len(values) == run.n_layers for values in drawn.values())
    by_kind = {"attention": 0, "MLP": -1}
    for label, values in drawn.items():
        for kind, at in by_kind.items():
            if label == f"before {'the ' * (kind == 'MLP')}{kind}":
                door = run.resid_pre[2] if name == "gpt_neox" else changes(run, 2)[at].before
                read = changes(run, 2)[at].read[3].norm()
                assert values[2] == pytest.approx(float(read / door[3].norm()))


def test_a_sandwich_s_outer_norms_are_those_of_what_is_made():
    run, found = way("gemma2")
    attended = changes(run, 1)[0]
    drawn = series(norms(found, block(run.model.transformer.stack.layers[1])))
    expected = float(attended.written[3].norm() / attended.made[3].norm())
    assert drawn["of what attention makes"][1] == pytest.approx(expected)


def test_a_post_norm_s_factor_is_that_of_the_sum():
    run, found = way("bert")
    states = run.layer(2)
    attended, normed = changes(run, 2)[:2]
    drawn = series(norms(found, block(run.model.transformer.stack.layers[2])))
    expected = float(states.mid[3].norm() / attended.after[3].norm())
    assert normed.kind == "norm"
    assert drawn["on the stream, after attention"][2] == pytest.approx(expected)


def test_a_toy_has_no_norms_to_draw():
    run = toy().run([1, 2, 3])
    found = Way(steps=journey(run).of(1), doors=doors(run, 1))
    assert norms(found, block(run.model.transformer.stack.layers[0])) is None
    assert list(series(lengths(found))) == ["the stream as it comes in", "attention adds"]


def test_an_encoder_decoder_shows_its_cross_attention():
    run, found = way("t5")
    assert found.kinds == ("attention", "cross", "mlp")
    crossed = [float(changes(run, layer)[1].written[3].norm()) for layer in range(run.n_layers)]
    assert list(series(lengths(found))["cross-attention adds"]) == pytest.approx(crossed)
    assert "cross-attention and stream" in series(cosines(found))
    assert re.findall('row">([^<]*) and stream', turns(found, 1)) == [
        "attention",
        "cross-attention",
        "the MLP",
    ]
    assert found.added("cross") == pytest.approx(sum(crossed))
    assert found.most("cross") == int(np.argmax(crossed))


def test_the_layer_that_turns_the_stream_most_is_said_and_none_where_there_is_no_direction():
    doors_ = [Door(length=1.0, to_start=None, to_last=to_last) for to_last in (None, 0.9, None, -0.2, 0.1)]
    found = Way(steps=(), doors=tuple(doors_))
    assert found.sharpest == 2
    assert cosines_caption(found).endswith("turns the stream most: stream after and before, <b>−0.200</b>.")
    still = Way(steps=(), doors=tuple(doors_[:1] * 3))
    assert still.sharpest is None
    assert "Notice" not in cosines_caption(still)
    assert turns(still, 1).count("<td>none</td>") == 2


@pytest.mark.parametrize(("written", "log"), [(29.0, False), (31.0, True)])
def test_lengths_that_differ_much_are_drawn_on_a_logarithmic_axis(written, log):
    one = dict(along=0.0, kept=1.0, source=1.0, read=1.0, made=written)
    step = Step(layer=0, kind="mlp", before=1.0, written=written, after=written, **one)
    door = Door(length=1.0, to_start=1.0, to_last=None)
    assert lengths(Way(steps=(step,), doors=(door, door))).y.log == log
