"""The files of all pages name the same things the same way, and say them as Explore's files do."""

import pytest

from attention.ui import shown
from tests.app.by_hand import TEXT
from tests.app.screen import opened

EXPLORE_S = {"model", "revision", "attention", "layer", "head", "changes", "text", "second sentence"}
SYMBOLS = {"N", "d", "M"}
OTHER_NAMES = {"sentence", "changed", "layers and heads"}
PAGES = {
    "block": {"model", "revision", "attention", "layer", "changes", "text"},
    "context": {"model", "revision", "text"},
    "cost": EXPLORE_S - {"second sentence"},
    "heads": {"model", "revision", "attention", "changes", "text"},
    "masks": {"model", "revision", "attention", "layer", "head", "text"},
    "scaling": EXPLORE_S - {"second sentence"},
    "positions": {"model", "revision"},
}


@pytest.fixture
def facts(monkeypatch):
    """What every picture that is drawn says about itself."""
    found, real = [], shown.Plate
    monkeypatch.setattr(shown, "Plate", lambda **of: found.append(of["facts"]) or real(**of))
    return found


@pytest.mark.parametrize("page", PAGES)
def test_files_of_a_page_name_things_as_those_of_explore_do(facts, minilm, page):
    link = {} if page == "context" else {"s": TEXT}
    opened(f"../../pages/{page}.py", **link)
    assert any(PAGES[page] <= one.keys() for one in facts)
    for one in facts:
        assert not OTHER_NAMES & one.keys()
        assert {name for name in one if name != name.lower()} <= SYMBOLS
        assert one.get("model", "minilm") == "minilm"
        assert one.get("revision", minilm.checkpoint.revision) == minilm.checkpoint.revision
        assert one.get("layer", "L4") == "L4"
        assert page == "positions" or one.get("head", "H4") == "H4"


@pytest.mark.parametrize("part", ["sinusoidal", "learned", "rotary", "alibi", "relative"])
def test_files_of_the_page_about_positions_too(facts, part):
    opened("../../pages/positions.py", **{"positions.part": part})
    assert facts
    assert all(name == name.lower() for one in facts for name in one)
    if part == "learned":
        assert facts[0]["model"] == "minilm"
        assert facts[0]["rows"].startswith("0–63 of ")


def test_a_pair_of_sentences_is_in_the_files(facts):
    opened("../../pages/heads.py", s="I learn", pair="You teach")
    assert all((one["text"], one["second sentence"]) == ("I learn", "You teach") for one in facts)
