"""The address bar of a real browser: opening a link costs no step back, and Back leads where one was."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import expect

from attention.ui.navigation import ENTRIES
from attention.ui.start.glossary import GLOSSARY
from attention.ui.start.links import IT
from attention.ui.start.steps import PATH
from attention.ui.view import START
from tests.browser.explore import chip, parameters

PATHS = {entry.name: f"/{entry.name.replace('_', '-')}" for entry in ENTRIES} | {"explore": "/"}
STEPS = [link for step in PATH for link in step.links]
TERMS = [term.link for terms in GLOSSARY.values() for term in terms]


def addresses(page):
    """Where each link of a page to one of ours leads when it is copied: its words, path and parameters."""
    found = page.get_by_test_id("stMain").locator("a[href]:not([href^='#'])").all()
    parts = [(link, urlsplit(link.evaluate("link => link.href"))) for link in found]
    ours = [(link, part) for link, part in parts if part.netloc == urlsplit(page.url).netloc]
    return [(link.inner_text(), part.path, dict(parse_qsl(part.query))) for link, part in ours]


def test_a_copied_link_of_start_here_is_the_address_of_its_page_and_state(page, server, settled):
    page.goto(server.at("/start"))
    settled(page)
    found = addresses(page)
    assert [(path, params) for _, path, params in found] == [
        (PATHS[link.page], link.params(START)) for link in (*STEPS, *TERMS)
    ]


@pytest.mark.parametrize(
    ("path", "label", "told"),
    [
        ("/masks?masks.pattern=causal", "All its steps", {"mask": "causal"}),
        ("/heads?layer=2&head=5&s=Cats+purr.", "Open in Explore", {"head": "5", "s": "Cats purr."}),
        ("/models?layer=2&head=5&s=Cats+purr.", "in Explore", {"head": "5", "s": "Cats purr."}),
    ],
)
def test_a_copied_link_to_explore_opens_explore_with_the_view(page, server, settled, path, label, told):
    page.goto(server.at(path))
    settled(page)
    (found,) = [one for one in addresses(page) if label in one[0]]
    assert found[1] == "/"
    assert told.items() <= found[2].items()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_no_link_of_ours_leads_to_the_page_one_is_on_or_to_none(page, server, settled, entry):
    here = PATHS[entry.name]
    page.goto(server.at(here))
    settled(page)
    ours = [path for _, path, _ in addresses(page)]
    assert here not in ours
    assert set(ours) <= set(PATHS.values())


def test_a_link_opened_in_a_window_of_its_own_shows_its_state(page, server, settled):
    page.goto(server.at("/start"))
    settled(page)
    with page.context.expect_page() as opening:
        page.get_by_role("link", name="A head with one habit").click(button="middle")
    other = opening.value
    settled(other)
    assert urlsplit(other.url).path == "/"
    expect(other.locator(".title", has_text="L0 H2").first).to_be_visible()
    assert other.get_by_role("textbox", name="Sentence").input_value() == IT


def test_a_click_keeps_the_session_and_one_step_back_is_the_page_before(page, server, settled):
    page.goto(server.at("/heads?layer=2&head=5&s=Cats+purr."))
    settled(page)
    page.get_by_role("link", name="Open in Explore").click()
    expect(page.locator(".title", has_text="L2 H5").first).to_be_visible()
    settled(page)
    assert urlsplit(page.url).path == "/"
    assert parameters(page)["s"] == "Cats purr."
    page.go_back()
    settled(page)
    assert urlsplit(page.url).path == "/heads"


@pytest.mark.parametrize("menu", [("Models",), ("Learn", "Masks"), ("Learn", "Cost")])
def test_a_page_from_the_menu_is_one_step(page, server, settled, menu):
    page.goto(server.at("/?s=I+learn"))
    settled(page)
    before, at = page.evaluate("history.length"), page.url
    for name in menu:
        page.get_by_text(name, exact=True).first.click()
    expect(page).to_have_url(re.compile(rf"/{menu[-1].lower()}\?s=I\+learn&model=minilm"))
    settled(page)
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    settled(page)
    assert page.url == at


def test_opening_costs_no_step_back_and_back_returns_to_the_first_view(page, server, settled):
    page.goto(server.at("/?s=We+sat+beside+the+river+bank.&query=6"))
    settled(page)
    assert parameters(page) == {"s": "We sat beside the river bank.", "query": "6"}
    opened = page.evaluate("history.length")
    page.reload()
    settled(page)
    assert page.evaluate("history.length") == opened
    chip(page, 2).click()
    settled(page)
    assert parameters(page)["query"] == "2"
    page.go_back()
    settled(page)
    assert parameters(page) == {"s": "We sat beside the river bank.", "query": "6"}
    expect(chip(page, 6)).to_have_attribute("aria-pressed", "true")


def test_the_bare_address_is_a_place_to_come_back_to(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    assert parameters(page) == {}
    pressed = chip(page, 7)
    expect(pressed).to_have_attribute("aria-pressed", "true")
    chip(page, 3).click()
    settled(page)
    assert parameters(page)["query"] == "3"
    page.go_back()
    settled(page)
    assert parameters(page) == {}
    expect(pressed).to_have_attribute("aria-pressed", "true")
