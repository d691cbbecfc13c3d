"""Start here in a real Chromium: links carry their state, the session goes along, Back comes back."""

import pytest
from playwright.sync_api import expect


def test_a_link_opens_its_page_with_its_state_and_back_comes_straight_back(page, server, settled):
    page.goto(server.at("/start"))
    settled(page)
    page.get_by_role("link", name="The causal mask").first.click()
    expect(page.locator(".brand", has_text="Who may attend to whom?")).to_be_visible()
    settled(page)
    assert "masks.pattern=causal" in page.url
    page.go_back()
    expect(page.locator(".brand", has_text="Start here")).to_be_visible()
    settled(page)
    page.get_by_role("link", name="Guess a weight").click()
    expect(page.get_by_label("How much weight does learn give to I?")).to_be_visible()
    settled(page)
    assert page.url.endswith("/worked-example?worked.predict=weights")


@pytest.mark.parametrize("width", [1440, 800])
def test_it_fits(page, server, settled, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(server.at("/start?foo=1"))
    settled(page)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    assert page.locator(".idea").evaluate("element => element.scrollWidth <= element.clientWidth")
    expect(page.get_by_test_id("stAlert")).to_contain_text("foo")
