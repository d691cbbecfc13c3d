"""Inside a block in a real Chromium: a deep link, a click on a token and on a layer of a chart."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect


def parameter(page, name):
    return parse_qs(urlsplit(page.evaluate("location.href")).query).get(name)


def test_a_deep_link_a_token_and_a_layer(page, fresh_server, settled):
    page.goto(fresh_server.at("/block?s=The+bank+approved+the+loan.&layer=2&query=5"))
    settled(page)
    said = page.locator(".note").first
    expect(said).to_contain_text("layers add to loan,")
    expect(page.locator(".note").nth(1)).to_contain_text("In L2, loan comes in")
    page.get_by_role("button", name="bank", exact=True).click()
    settled(page)
    expect(said).to_contain_text("layers add to bank,")
    assert parameter(page, "query") == ["2"]
    page.get_by_role("button", name="last layer, L5").click()
    settled(page)
    expect(page.locator(".note").nth(1)).to_contain_text("In L5, bank comes in")
    assert parameter(page, "layer") == ["5"]
    page.reload()
    settled(page)
    expect(page.locator(".note").nth(1)).to_contain_text("In L5, bank comes in")


def test_a_bad_layer_in_a_link_is_told_in_the_dark(dark_page, server, settled):
    dark_page.goto(server.at("/block?layer=77"))
    settled(dark_page)
    expect(dark_page.get_by_test_id("stAlert")).to_contain_text("There is no layer 77: the model has 6")
    expect(dark_page.locator(".chain tbody tr")).to_have_count(5)
