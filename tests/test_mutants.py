"""Every seeded mistake is caught by the parity test."""

import pytest

from attention.errors import AttentionError
from tests.families import bert_cases
from tests.families.parity import assert_parity
from tests.mutants import BERT


def _caught(case):
    asked, expected = bert_cases.CASES[case]
    reference = bert_cases.theirs(**expected)
    try:
        assert_parity(bert_cases.run_case(bert_cases.ours(), asked), reference)
    except (AssertionError, AttentionError, IndexError, RuntimeError, TypeError):
        return True
    return False


@pytest.mark.parametrize("mutant", BERT)
def test_mutant_is_caught(mutant, monkeypatch):
    case = "pair, padded and causal"
    assert not _caught(case), "parity fails without a mutant: nothing can be told"
    BERT[mutant](monkeypatch)
    assert _caught(case)
