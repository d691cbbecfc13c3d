"""What is here and what is not, for tests of the Models page; and what counts as long."""

import pytest

from attention.ui import long_text
from attention.ui.models import downloads


@pytest.fixture
def long_from_five(monkeypatch):
    """Five tokens are long, and whatever takes any time at all is asked for first."""
    monkeypatch.setattr(long_text, "SHORT", 4)
    monkeypatch.setattr(long_text, "ASK_SECONDS", -1.0)


@pytest.fixture
def unset(monkeypatch):
    """The variables that change the Models page, unset."""
    for name in ("HEADLIGHT_MODELS", "HEADLIGHT_HUB", "HEADLIGHT_ACCEPT_GEMMA_TERMS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def away(monkeypatch):
    """Only MiniLM is here, whatever this machine has."""
    monkeypatch.setattr(downloads, "cached", lambda name: "here" if name == "minilm" else None)


@pytest.fixture
def fetched(monkeypatch, away):
    """A download that tells how far it is, and afterwards the model is here; what was asked for."""
    asked = []

    def fetch(name, *, accept_terms=False, progress=None):
        asked.append((name, accept_terms))
        progress("Downloading", 30_000_000, 90_000_000)
        monkeypatch.setattr(downloads, "cached", lambda name: "here")

    monkeypatch.setattr(downloads, "fetch", fetch)
    return asked
