"""The Models page in a real browser: a deep link, opening a model, and what a bad link is told."""

from playwright.sync_api import expect


def test_a_deep_link_opens_the_page_and_a_click_opens_another_model(page, fresh_server, settled):
    page.goto(fresh_server.at("/models?s=I+learn"))
    settled(page)
    cards = page.locator(".st-key-cards")
    expect(cards.locator(".title").filter(has_text="all-MiniLM-L6-v2")).to_contain_text("ready · open")
    facts = page.locator("table.facts")
    expect(facts.locator("tr").filter(has_text="Layers")).to_contain_text("6")
    expect(page.locator(".st-key-anatomy svg").first).to_be_visible()
    page.get_by_role("button", name="Open Worked example").click()
    settled(page)
    expect(facts.locator("tr").filter(has_text="Layers")).to_contain_text("1")
    assert "model=worked-example" in page.url
    page.get_by_role("link", name="See Worked example in Explore").click()
    settled(page)
    expect(page.locator(".st-key-strip button .text")).to_have_text(["I", "learn"])


def test_a_bad_link_is_told_and_nothing_sticks_out_when_narrow(page, server, settled):
    page.set_viewport_size({"width": 800, "height": 900})
    page.goto(server.at("/models?model=%2Fetc%2Fpasswd"))
    settled(page)
    expect(page.get_by_test_id("stAlert")).to_contain_text("The link's model was ignored")
    sideways = page.evaluate(
        """() => { const main = document.querySelector('[data-testid="stMain"]');
                   return main.scrollWidth - main.clientWidth; }"""
    )
    assert sideways <= 0
