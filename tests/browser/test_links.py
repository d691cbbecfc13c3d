"""The address bar of a real browser: opening a link costs no step back, and Back leads where one was."""

from playwright.sync_api import expect

from tests.browser.explore import chip, parameters


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
