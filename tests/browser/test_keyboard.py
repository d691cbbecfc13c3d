"""Every picture that can be clicked is one stop of the Tab key, shows the keyboard, and answers to keys.

What has nothing to click (dials, squares, charts) is no stop; its numbers are in the table below it. The
cells of a grid that can be clicked are Plotly's, which knows no keys; what they choose has a control beside
them, or is a pair that Explore's heatmap chooses by keys.
"""

from typing import NamedTuple

import pytest
from playwright.sync_api import expect

from tests.browser.explore import LONG, chip, parameters

MOST_TABS = 80
DEEPEST = (
    "let it = document.activeElement; while (it?.shadowRoot?.activeElement) it = it.shadowRoot.activeElement;"
)
INSIDE = f"""(within) => {{ {DEEPEST}
  for (let at = it; at; at = at.parentNode ?? at.host) if (at.matches?.(within)) return true;
  return false; }}"""
OUTLINE = f"() => {{ {DEEPEST} return getComputedStyle(it).outlineStyle }}"


class Keys(NamedTuple):
    """Where a component is, which keys are pressed on it, and what the address says then."""

    within: str
    link: str
    pressed: str
    then: dict[str, str]


START = "/?layer=4&head=4&query=7&key=5"
WORKED = "/worked-example?worked.n=3&worked.d=3&worked.query=0&worked.key=0"
TABLE = {
    "strip: right and left": Keys(
        ".st-key-strip", START, "ArrowRight ArrowRight ArrowLeft Enter", {"query": "8"}
    ),
    "strip: first and last": Keys(".st-key-strip", START, "Home ArrowRight Space", {"query": "1"}),
    "strip: end": Keys(".st-key-strip", START, "End Enter", {"query": "11"}),
    "sheet: arrows": Keys(".st-key-sheet", START, "ArrowRight ArrowUp", {"head": "5", "layer": "3"}),
    "heatmap: arrows": Keys(".st-key-heatmap", START, "ArrowDown ArrowRight", {"query": "8", "key": "6"}),
    "steps: arrows": Keys(".st-key-steps", START, "ArrowUp ArrowLeft", {"query": "6", "key": "4"}),
    "lines: down its column": Keys(".st-key-lines", f"{START}&view=lines", "ArrowDown Enter", {"query": "8"}),
    "lines: over to the keys": Keys(
        ".st-key-lines", f"{START}&view=lines", "ArrowRight ArrowUp Space", {"key": "6", "lines.lock": "key"}
    ),
    "neurons: down its rows": Keys(
        ".st-key-neurons", f"{START}&view=neurons", "ArrowDown ArrowDown Enter", {"key": "7"}
    ),
    "heads: arrows": Keys(
        '[class*="st-key-heads-sheet"]', "/heads?layer=4&head=4", "ArrowLeft", {"head": "3"}
    ),
    "board: arrows": Keys(
        ".st-key-worked-board",
        WORKED,
        "ArrowDown ArrowDown ArrowRight",
        {"worked.query": "2", "worked.key": "1"},
    ),
    "gallery: along its line": Keys(
        ".st-key-mask-gallery", "/masks", "Home ArrowRight Enter", {"masks.pattern": "causal"}
    ),
}


def reach(page, within):
    """Press Tab until something in a component has the keyboard."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate(INSIDE, within):
            return
    raise AssertionError(f"{within} was not reached by {MOST_TABS} presses of Tab")


def press(page, keys):
    for key in keys.split():
        page.keyboard.press(key)


@pytest.mark.parametrize("keys", TABLE.values(), ids=TABLE.keys())
def test_what_keys_do(page, server, settled, keys):
    page.goto(server.at(keys.link))
    settled(page)
    reach(page, keys.within)
    assert page.evaluate(OUTLINE) == "solid"
    press(page, keys.pressed)
    settled(page)
    assert keys.then.items() <= parameters(page).items()
    assert page.evaluate(INSIDE, keys.within), "the keyboard stays where it was"


def test_a_long_sentence_is_one_stop_and_its_lines_are_walked(page, server, settled):
    page.goto(server.at(f"/?query=40&s={LONG.replace(' ', '+')}"))
    settled(page)
    reach(page, ".st-key-strip")
    expect(chip(page, 40)).to_be_focused()
    page.keyboard.press("ArrowDown")
    lower = page.locator(".st-key-strip button:focus")
    above, below = chip(page, 40).bounding_box(), lower.bounding_box()
    assert 10 < below["y"] - above["y"] < 2 * above["height"]
    assert abs(below["x"] - above["x"]) < 60
    page.keyboard.press("ArrowUp")
    assert abs(page.locator(".st-key-strip button:focus").bounding_box()["y"] - above["y"]) < 2
    page.keyboard.press("Tab")
    assert not page.evaluate(INSIDE, ".strip")


def test_a_cell_of_a_mask_is_flipped_by_keys(page, server, settled):
    page.goto(server.at("/masks?s=I+learn&masks.pattern=full"))
    settled(page)
    page.get_by_role("button", name="Flip this cell").focus()
    page.keyboard.press("Enter")
    settled(page)
    assert parameters(page)["masks.flip"] == "0-0"
