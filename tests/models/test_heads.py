"""Measures of real heads whose behaviour is known from elsewhere: SmolLM2 on random tokens said twice."""

import pytest
import torch

from attention import load
from attention.analysis.measured import measured
from attention.analysis.measures import BY_KEY

pytestmark = pytest.mark.weights
N = 25


def test_the_known_induction_heads_come_first_and_chance_is_what_it_should_be():
    model = load("smollm2")
    ids = (1000 + torch.randperm(40_000, generator=torch.Generator().manual_seed(0))[:N]).tolist()
    found, induction = measured(model.run([1, *ids, *ids])), BY_KEY["induction"]
    heads = [(layer, head) for layer in range(30) for head in range(9)]
    ranked = sorted(heads, key=lambda head: -found.value(induction, *head))
    # The four that TransformerLens' stripe over the second copy finds too.
    assert set(ranked[:4]) == {(18, 6), (17, 4), (17, 5), (17, 3)}
    assert ranked[0] == (18, 6)
    assert found.value(induction, 18, 6) > 0.7
    assert found.counted(induction, 0) == N
    rows = torch.arange(N + 1, 2 * N + 1)
    chance = float((1 / (rows + 1.0)).mean())
    assert found.even(induction, 0, 0) == pytest.approx(chance, abs=1e-9)
