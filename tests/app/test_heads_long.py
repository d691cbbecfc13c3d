"""A long text on the Heads page: asked before it is measured, and told where something is left out.

What counts as long is made short here.
"""

import numpy as np
import pytest

from attention.ui.heads import lists, summaries
from tests.app.screen import button, checked, html, opened, packed

PAGE = "../../pages/heads.py"


def measured(text, **link):
    """The page once the reader has had the text read and all heads measured."""
    app = checked(button(opened(PAGE, s=text, **link), "Read all 11 tokens").click().run())
    return checked(button(app, "Measure all heads").click().run())


def sheet(app):
    return packed(app, "heads-sheet")


def test_the_heads_of_a_long_text_are_measured_when_the_reader_says_so(minilm, long_from_five):
    text = "Such words that nobody has read before today."
    app = checked(button(opened(PAGE, s=text), "Read all 11 tokens").click().run())
    (asked,) = app.info
    assert asked.value.startswith("Measuring and drawing all 72 heads of this text takes about ")
    assert not app.dataframe
    assert app.query_params["s"] == text
    app = checked(button(app, "Measure all heads").click().run())
    weights = minilm.run(text).attention(3).weights[5].numpy()
    shown = float(sheet(app)[0]["texts"][3][5])
    assert shown == pytest.approx(np.diagonal(weights, -1).mean(), abs=0.006)


def test_heads_are_compared_when_the_reader_says_so(long_from_five):
    app = measured("Those words that nobody has read before today.")
    assert [info.value for info in app.info][-1].startswith("Comparing this head with all 72 heads of this")
    assert "rank-alike-0" not in [button.key for button in app.button]
    app = checked(button(app, "Compare").click().run())
    assert "rank-alike-5" in [button.key for button in app.button]


def test_another_scale_is_drawn_without_another_question(long_from_five):
    app = measured("Which words that nobody has read before today?", **{"heads.squares": "weights"})
    (scale,) = [one for one in app.get("button_group") if one.label == "Scale of weights"]
    app = checked(scale.set_value("head").run())
    assert sheet(app)[1]["shades"].max(axis=(2, 3)).min() == 255


def test_what_is_left_out_of_a_very_long_text_is_told(monkeypatch):
    monkeypatch.setattr(lists, "MOST_COMPARED", 10)
    monkeypatch.setattr(summaries, "MOST_COMPARED", 10)
    app = opened(PAGE, s="The lorry passed the hedgerows.", **{"heads.summary": "received"})
    said = html(app)
    assert "Not compared on 11 tokens: this page compares heads on up to 10." in said
    assert "Not drawn for 11 tokens: this page draws matrices of up to 10." in said
