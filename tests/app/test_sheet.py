"""Explore's sheet of heads: one scale or one for each head, blocks by their largest or their mean weight."""

import re

import numpy as np
import pytest

from attention.figures.head_grid import content, describe, meaning, pooled_note
from attention.ui import long_text, sheets
from attention.ui.overview import Drawn
from attention.ui.scene import scene
from attention.ui.subjects import head_grid
from attention.ui.view import ViewState
from tests.app.by_hand import TEXT, ByHand
from tests.app.screen import checked, html, opened, packed

N, SIDE = 12, 4


@pytest.fixture
def four_cells_a_side(monkeypatch):
    """Squares of four cells a side, for a text of twelve tokens: blocks of three."""
    for module in ("sheets", "overview"):
        monkeypatch.setattr(f"attention.ui.{module}.side_for", lambda n_heads: SIDE)
    sheets._stores.clear()
    yield
    sheets._stores.clear()


def shades(app, layer=4, head=4):
    return packed(app, "sheet")[1]["shades"][layer, head].astype(float)


def pressed(app, label, value):
    (control,) = [one for one in app.get("button_group") if one.label == label]
    return checked(control.set_value(value).run())


def in_blocks(weights):
    return weights.reshape(SIDE, 3, SIDE, 3).transpose(0, 2, 1, 3).reshape(SIDE, SIDE, 9).mean(axis=-1)


def test_each_head_may_have_a_scale_of_its_own(minilm):
    app = opened(s=TEXT)
    weights = ByHand(minilm, 4, 4).weights
    assert np.abs(shades(app) - weights**0.7 * 255).max() <= 1
    assert "The last shade is a weight of 1 in every square." in html(app)
    own = opened(s=TEXT, **{"sheet.shade": "head"})
    assert np.abs(shades(own) - (weights / weights.max()) ** 0.7 * 255).max() <= 1
    assert "The last shade is the largest of each square." in html(own)
    assert packed(own, "sheet")[0]["query_tokens"] == []  # a shade no longer says which weight it is


def test_a_block_is_its_mean_where_the_reader_wants_it(minilm, four_cells_a_side):
    weights = ByHand(minilm, 4, 4).weights
    app = opened(s=TEXT, **{"sheet.pool": "mean"})
    assert np.abs(shades(app) - in_blocks(weights) ** 0.7 * 255).max() <= 1
    assert "A cell is the mean weight of a block." in html(app)


def test_the_file_says_how_the_sheet_is_drawn(minilm, four_cells_a_side):
    grid = head_grid(scene(ViewState(text=TEXT, sheet_pool="mean", sheet_shade="head")))
    weights = in_blocks(ByHand(minilm, 4, 4).weights)
    assert np.abs(grid.shades[4, 4] - (weights / weights.max()) ** 0.7 * 255).max() <= 1
    assert pooled_note(grid) == "each square shows the mean weights of blocks of its 12 × 12 cells"
    assert "0 to the largest weight of each square" in meaning(grid)
    assert "0 to the largest weight of each square" in describe(grid)
    assert content(grid) == "all-heads-mean-own-scales"
    assert content(head_grid(scene(ViewState(text=TEXT)))) == "all-heads"


def test_a_choice_that_changes_nothing_makes_nothing_anew(minilm):
    of = scene(ViewState(text=TEXT)).site
    assert sheets.drawn(of, ViewState(text=TEXT, sheet_pool="mean", words=True)) == Drawn()
    assert "Of a block" not in [one.label for one in opened(s=TEXT).get("button_group")]


def test_a_switch_on_explore_is_the_one_on_heads():
    app = pressed(opened(s=TEXT), "Scale of the sheet", "head")
    assert app.query_params["sheet.shade"] == "head"
    checked(app.switch_page("../../pages/heads.py").run())
    (control,) = [one for one in app.get("button_group") if one.label == "Scale of weights"]
    assert control.value == "head"


def test_the_tooltip_has_the_strongest_pair_and_the_entropy(minilm):
    words, _ = packed(opened(s=TEXT), "sheet")
    weights = ByHand(minilm, 2, 5).weights
    query, key = np.unravel_index(weights.argmax(), (N, N))
    bits = -(weights * np.log2(weights)).sum(axis=1).mean()
    pair, entropy = words["notes"][2][5].split("\n")
    assert re.fullmatch(rf"strongest \S+ \({query}\) → \S+ \({key}\)  {weights.max():.3f}", pair)
    assert entropy == f"mean entropy {bits:.2f} bits"


def test_another_sheet_of_a_long_text_is_drawn_when_the_reader_says_so(minilm, monkeypatch):
    monkeypatch.setattr(long_text, "SHORT", 4)
    monkeypatch.setattr(long_text, "ASK_SECONDS", -1.0)
    app = opened(s="Further words that nobody has read before today.")
    for label in ("Read all 11 tokens", "Draw all heads"):
        (button,) = [button for button in app.button if button.label == label]
        checked(button.click().run())
    app = pressed(app, "Scale of the sheet", "head")
    (asked,) = app.info
    assert asked.value.startswith("Drawing all 72 heads of this text takes about ")
    assert "sheet" not in [element.key for element in app.get("bidi_component")]
    (button,) = [button for button in app.button if button.label == "Draw all heads"]
    checked(button.click().run())
    assert packed(app, "sheet")[1]["shades"].max(axis=(2, 3)).min() == 255
