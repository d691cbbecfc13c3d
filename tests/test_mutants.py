"""Every seeded mistake is caught by the parity test."""

from functools import cache

import pytest

from tests.families.parity import assert_parity
from tests.families.table import CASES
from tests.mutants.table import MUTANTS, SEEDED


def _caught(case, asked):
    """Only a difference in numbers counts: a mistake that does not even run has been seeded badly."""
    try:
        assert_parity(case.run(asked), case.theirs(asked))
    except AssertionError:
        return True
    return False


@cache
def _caught_without_a_mutant(case, asked):
    """Asked before anything is seeded, once for all the mutants of a case."""
    return _caught(case, asked)


@pytest.mark.parametrize("seeded", SEEDED, ids=": ".join)
def test_mutant_is_caught(seeded, monkeypatch):
    case, mutant = SEEDED[seeded]
    asked = mutant.asked or case.fullest
    assert not _caught_without_a_mutant(case, asked), "parity fails without a mutant: nothing can be told"
    mutant.seed(monkeypatch)
    assert _caught(case, asked)


def test_every_family_has_mutants():
    assert set(CASES.values()) == set(MUTANTS)
