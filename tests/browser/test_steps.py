"""The strip of steps in a real Chromium: its sentences, by keyboard and by finger."""

import re

import pytest
from playwright.sync_api import expect

STEPS = ("Input", "Queries, keys, values", "Scores", "Scaled", "Masked", "Weights", "Weighted sum")


@pytest.fixture
def steps(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    return page.locator(".st-key-steps")


def test_every_step_s_sentence_is_reached_by_keyboard(page, steps):
    sentence = steps.locator(".sentence")
    steps.get_by_role("application").focus()
    for number, name in enumerate(STEPS, start=1):
        page.keyboard.press("Tab")
        expect(steps.get_by_role("button", name=name, exact=True)).to_be_focused()
        expect(sentence).to_contain_text(f"{number} {name}. ")
    expect(sentence).to_have_attribute("aria-live", "polite")


def test_a_tap_on_a_step_s_name_tells_its_sentence(steps):
    steps.get_by_role("button", name="Weights").dispatch_event("click")
    expect(steps.locator(".sentence")).to_contain_text("6 Weights. Softmax turns each row into shares")


def test_arrow_keys_leave_the_keyboard_on_the_step_s_name(page, steps, settled):
    steps.get_by_role("button", name="Masked").focus()
    page.keyboard.press("ArrowUp")
    settled(page)
    expect(steps.get_by_role("button", name="Masked")).to_be_focused()
    assert "query=6" in page.url


def test_the_sentence_on_show_follows_what_is_changed(page, steps, settled):
    steps.get_by_role("button", name="Weighted sum").focus()
    expect(steps.locator(".sentence")).not_to_contain_text("This head is off")
    page.get_by_label("Heads off", exact=True).click()
    page.keyboard.type("L4 H4")
    page.get_by_role("option", name="L4 H4").first.click()
    page.keyboard.press("Escape")
    settled(page)
    expect(steps.locator(".sentence")).to_contain_text("This head is off")


def test_the_share_of_the_layer_says_what_it_is_where_a_pointer_rests(steps):
    number = steps.locator(".value").last
    expect(number).to_have_text("14 % of the layer")
    expect(number).to_have_attribute("title", re.compile("^14 %: this head’s share of what the layer’s"))
    number.hover()
    expect(steps.locator(".sentence")).to_contain_text("this head’s share of what the layer’s attention adds")
    room = number.evaluate("(word) => [word.offsetLeft + word.offsetWidth, word.parentNode.clientWidth]")
    assert room[0] <= room[1]
