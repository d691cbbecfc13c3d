"""Layers that see a window and layers that see everything are told apart on the sheet itself."""

import re

import pytest

from tests.app.screen import html, opened, packed
from tests.app.translators import SOURCE, write


def test_local_layers_are_marked_and_the_caption_says_what_the_mark_means(tmp_path, monkeypatch):
    write(tmp_path, "tiny gemma")
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    app = opened(model="tiny gemma", s=SOURCE, layer="2", head="1")
    header, _ = packed(app, "sheet")
    said = re.sub("<[^>]+>", "", html(app))
    # Gemma 3's pattern of 3: two local layers, then one that sees everything.
    assert header["marks"] == [at for at in range(len(header["rows"])) if at % 3 != 2]
    assert (
        "○ marks local layers, which see the last 4 tokens; the others see everything before a token." in said
    )
    notes = [note.partition(" · ")[2] for note, *_ in header["notes"]]
    assert notes[:3] == ["local, the last 4 tokens", "local, the last 4 tokens", "global"]


@pytest.mark.parametrize("model", ["minilm", "worked-example"])
def test_layers_that_see_alike_have_no_mark(model):
    app = opened(model=model, s="I learn", layer="0", head="0")
    assert packed(app, "sheet")[0]["marks"] == []
    assert "○" not in html(app)
