"""Why √d_k in a real Chromium: a deep link brings its choices back, a click changes what it should."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect


def choices(page):
    query = urlsplit(page.evaluate("location.href")).query
    return {key: values[0] for key, values in parse_qs(query).items() if key.startswith("scaling.")}


def test_a_deep_link_a_preset_a_drag_and_back(page, fresh_server, settled):
    page.goto(fresh_server.at("/scaling?s=The+bank+approved+the+loan.&scaling.d=16&scaling.other=doubled"))
    settled(page)
    note = page.locator(".note").first
    expect(note).to_contain_text("Random vectors of 16 components")
    expect(page.get_by_text("Scale doubled: 2 × q · k ÷ √32")).to_be_visible()
    expect(page.get_by_text("Without the scale: q · k")).to_have_count(0)
    page.get_by_role("button", name="1,024, two rows in three dead").click()
    settled(page)
    expect(note).to_contain_text("Random vectors of 1,024 components")
    assert choices(page) == {"scaling.d": "1024", "scaling.other": "doubled"}
    page.get_by_role("slider").press("ArrowLeft")
    settled(page)
    expect(note).to_contain_text("Random vectors of 512 components")
    page.reload()
    settled(page)
    expect(page.locator(".note").first).to_contain_text("Random vectors of 512 components")
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "512"


def test_a_bad_value_in_a_link_is_told_and_the_rest_kept(dark_page, server, settled):
    dark_page.goto(server.at("/scaling?scaling.d=17&scaling.seed=5"))
    settled(dark_page)
    expect(dark_page.get_by_test_id("stAlert")).to_contain_text("17 is not one of 4, 8, 16")
    expect(dark_page.locator(".note").first).to_contain_text("Random vectors of 64 components")
    expect(dark_page.get_by_role("button", name="Draw again (seed 5)")).to_be_visible()
