"""Every mistake seeded in what is measured of heads is caught by the test that is named beside it."""

import pytest

from tests.mutants.analysis import ANALYSIS


@pytest.mark.parametrize("name", ANALYSIS)
def test_mutant_is_caught(name, monkeypatch):
    seed, check = ANALYSIS[name]
    check()  # it holds before anything is seeded
    seed(monkeypatch)
    with pytest.raises(AssertionError):
        check()
