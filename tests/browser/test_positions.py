"""Positions in a real Chromium: a deep link brings its state back, a click reorders, a bad value is told."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect


def choices(page):
    query = urlsplit(page.evaluate("location.href")).query
    return {key: values[0] for key, values in parse_qs(query).items() if key.startswith("positions.")}


def order(page):
    return page.locator(".orders span").nth(1).locator("bdi").all_inner_texts()


def test_a_deep_link_a_shuffle_a_part_and_back(page, fresh_server, settled):
    page.goto(fresh_server.at("/positions?positions.s=The+bank+approved+the+loan.&positions.order=4.1.2.3.0"))
    settled(page)
    assert order(page) == ["CLS", "loan", "bank", "approved", "the⁴", "the¹", ".", "SEP"]
    verdict = page.locator(".verdicts tbody tr").nth(1)
    expect(verdict).to_contain_text("positions taken away")
    expect(verdict).to_contain_text("it cannot tell")
    page.get_by_role("button", name="turned round").click()
    settled(page)
    assert order(page) == ["CLS", "loan", "the⁴", "approved", "bank", "the¹", ".", "SEP"]
    assert choices(page) == {"positions.s": "The bank approved the loan."}
    page.get_by_text("Rotary", exact=True).click()
    settled(page)
    dials = page.get_by_role("img", name="8 dials")
    expect(dials).to_be_visible()
    assert choices(page)["positions.part"] == "rotary"
    page.go_back()
    settled(page)
    expect(page.locator(".orders")).to_be_visible()


def test_a_bad_value_in_a_link_is_told_and_the_rest_kept(dark_page, server, settled):
    dark_page.goto(server.at("/positions?positions.part=sinusoidal&positions.n=1&positions.d=6"))
    settled(dark_page)
    expect(dark_page.get_by_test_id("stAlert")).to_contain_text("1 is not from 2 to 256")
    expect(dark_page.get_by_text("Notice row 0, which is 0, 1, 0, 1")).to_be_visible()
    assert choices(dark_page)["positions.d"] == "6"
