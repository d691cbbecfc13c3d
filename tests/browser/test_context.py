"""Context in a real Chromium: a deep link brings its state back, a click on a token follows its word."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect


def choices(page):
    query = urlsplit(page.evaluate("location.href")).query
    return {key: values[0] for key, values in parse_qs(query).items() if key.startswith("context.")}


def chip(page, name, at):
    return page.locator(f".st-key-context-{name} button").nth(at)


def test_a_deep_link_a_click_on_a_word_and_back(page, fresh_server, settled):
    page.goto(fresh_server.at("/context?context.layer=5&context.b=The+bank+of+the+river+was+steep."))
    settled(page)
    note = page.locator(".note").first
    expect(note).to_contain_text("The vectors of bank in the two sentences")
    expect(page.get_by_text("What “bank” gathered in L5, second sentence")).to_be_visible()
    assert chip(page, "second", 2).get_attribute("aria-pressed") == "true"
    chip(page, "second", 4).click()
    settled(page)
    expect(note).to_contain_text("The vectors of the in the two sentences")
    assert chip(page, "second", 4).get_attribute("aria-pressed") == "true"
    assert choices(page)["context.word"] == "the"
    assert choices(page)["context.other"] == "1"
    page.go_back()
    settled(page)
    expect(note).to_contain_text("The vectors of bank in the two sentences")


def test_a_bad_value_in_a_link_is_told_and_the_rest_kept(dark_page, server, settled):
    dark_page.goto(server.at("/context?context.layer=77&context.word=bank"))
    settled(dark_page)
    expect(dark_page.get_by_test_id("stAlert")).to_contain_text(
        "There is no layer 77: the model has 6 (0–5)."
    )
    expect(dark_page.locator(".note").first).to_contain_text("a cosine of 0.964 before the first layer")
