"""Every family equals transformers at every step of every layer, in float64 throughout."""

import pytest

from attention.families import FAMILIES
from tests.families.parity import assert_parity
from tests.families.table import CASES, PAIRS


@pytest.mark.parametrize(("family", "asked"), PAIRS, ids=lambda name: name)
def test_every_step_of_every_layer_equals_transformers(family, asked):
    case = CASES[family]
    assert_parity(case.run(asked), case.theirs(asked))


def test_no_family_is_left_out():
    compared = {case.ours().checkpoint.config["model_type"] for case in CASES.values()}
    # a Gemma 3 that sees pictures too is built from the same text
    assert compared == set(FAMILIES) - {"toy", "gemma3"}
