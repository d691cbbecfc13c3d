"""Every family equals transformers at every step of every layer, in float64 throughout."""

import pytest

from attention.families import FAMILIES
from tests.families.parity import assert_parity, close
from tests.families.table import CASES, PAIRS
from tests.reference import STEPS


@pytest.mark.parametrize(("family", "asked"), PAIRS, ids=lambda name: name)
def test_every_step_of_every_layer_equals_transformers(family, asked):
    case = CASES[family]
    assert_parity(case.run(asked), case.theirs(asked))


@pytest.mark.parametrize("family", CASES)
def test_one_head_and_a_strip_of_queries_are_those_of_the_whole(family):
    case = CASES[family]
    run, expected = case.run(case.fullest), case.theirs(case.fullest)
    pieces(run.attention(1), expected.layers[1])
    if expected.encoder is not None:
        pieces(run.cross_attention(1), expected.cross[1])
        pieces(run.encoder.attention(1), expected.encoder.layers[1])


def pieces(trace, expected):
    group = trace.config.n_heads // trace.config.n_kv_heads
    for step in STEPS[:-1]:
        head = 1 // group if step in ("keys", "values") else 1
        close(getattr(trace.head(1), step)[0], expected[step][head], 1e-10, f"{step} of one head")
        strip = expected[step] if step in ("keys", "values") else expected[step][:, 2:4]
        close(getattr(trace.rows(2, 4), step), strip, 1e-10, f"{step} of a strip")
    close(trace.rows(2, 4).fused_output, expected["output"][2:4], 1e-10, "output of a strip")
    close(trace.rows(2, 4).head(1).weights, expected["weights"][1:2, 2:4], 1e-10, "weights of both")


def test_no_family_is_left_out():
    compared = {case.ours().checkpoint.config["model_type"] for case in CASES.values()}
    # a Gemma 3 that sees pictures too is built from the same text
    assert compared == set(FAMILIES) - {"toy", "gemma3"}
