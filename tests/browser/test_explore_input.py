"""Explore with sentences that are bad, long or markup, at three widths, by every name."""

import re
import unicodedata
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.explore import LONG, TEXT, type_sentence

WITHOUT_TITLES = """(labels) => labels.map((label) => {
  const copy = label.cloneNode(true);
  copy.querySelectorAll("title").forEach((title) => title.remove());
  return copy.textContent;
})"""


def refusals(page):
    """What is said of the text itself; a long one is missing in the address besides."""
    return page.get_by_test_id("stAlert").filter(has_not_text="the address leaves it out")


@pytest.mark.parametrize("text", ["", "😀 🚀", "word " * 600])
def test_bad_sentences_are_told_and_stay_in_the_box(page, server, settled, text):
    page.goto(server.at("/"))
    settled(page)
    type_sentence(page, settled, text)
    expect(refusals(page)).to_have_count(1)
    assert page.get_by_label("Sentence", exact=True).input_value() == text


def test_a_million_characters_are_refused_at_once(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    type_sentence(page, settled, "a" * 1_000_000)
    expect(refusals(page)).to_contain_text("1,000,000 characters", timeout=30_000)  # they travel twice


def test_a_bad_link_is_told_value_by_value(page, server, settled):
    page.goto(server.at("/?layer=99&mask=casual&range=rainbow&s=I+learn"))
    settled(page)
    said = page.get_by_test_id("stAlert").all_inner_texts()
    assert len(said) == 3
    assert any("no layer 99: the model has 6" in sentence for sentence in said)


@pytest.mark.parametrize("token", ["<script>", "</script>", "<b>", "&amp;", "$x$", "**b**"])
@pytest.mark.parametrize(
    ("view", "labels"),
    [
        ("heatmap", (".tick.query", ".tick.key")),
        ("lines", ("[data-side=query]", "[data-side=key]")),
    ],
)
def test_markup_is_shown_as_itself(page, server, settled, token, view, labels):
    page.goto(server.at(f"/?s={quote(f'{token} is {token}')}&view={view}"))
    settled(page)
    assert as_read(page.locator(".st-key-strip button .text")).count(token) == 2
    for side in labels:
        assert as_read(page.locator(side)).count(token) == 2
    assert page.locator(".note script, .note b:not(.k), svg script, svg b").count() == 0


def as_read(labels):
    """The sentence that labels make when read one after the other, without what cannot be seen."""
    expect(labels.first).to_be_attached()
    joined = "".join(labels.evaluate_all(WITHOUT_TITLES)).replace("##", "")
    return "".join(character for character in joined if unicodedata.category(character) != "Cf")


@pytest.mark.parametrize("width", [1440, 1280, 800])
@pytest.mark.parametrize("text", ["I learn", TEXT, LONG])
def test_nothing_sticks_out_at_any_width(page, server, settled, width, text):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(server.at(f"/?s={quote(text)}"))
    settled(page)
    sideways = page.evaluate(
        """() => { const main = document.querySelector('[data-testid="stMain"]');
                   return main.scrollWidth - main.clientWidth; }"""
    )
    assert sideways <= 0
    if text == LONG:
        ticks = page.locator(".st-key-heatmap .tick").count() // 2
        assert 20 < ticks <= 64


def test_every_control_has_a_name_and_every_picture_an_alternative(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid="stAppViewContainer"] button, input')]
          .filter((control) => control.offsetParent && !(control.ariaLabel || control.textContent.trim()
            || control.labels?.length || control.getAttribute('aria-labelledby') || control.title))
          .map((control) => control.outerHTML.slice(0, 200))"""
    )
    assert nameless == []
    expect(page.get_by_role("application").first).to_have_attribute("aria-label", re.compile("heads", re.I))


def test_an_example_is_one_click_away_and_so_is_a_second_sentence(page, server, settled):
    page.goto(server.at("/?mask=causal&query=3"))
    settled(page)
    page.get_by_role("button", name="bank, loan", exact=True).click()
    settled(page)
    expect(page.locator(".st-key-head-title", has_text="L4 H4")).to_contain_text("causal mask")
    box = page.get_by_label("Sentence", exact=True)
    assert box.input_value() == "The bank approved the loan."
    assert page.locator(".st-key-strip button[aria-pressed=true] .text").inner_text() == "bank"
    page.get_by_role("button", name="second sentence").click()
    settled(page)
    expect(page.get_by_label("Second sentence", exact=True)).to_be_visible()
    page.get_by_role("button", name="second sentence").click()
    settled(page)
    expect(page.get_by_label("Second sentence", exact=True)).to_have_count(0)
