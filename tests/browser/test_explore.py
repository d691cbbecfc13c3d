"""Explore in a real Chromium: type, choose, mask, switch off, come back by a link."""

import math
from urllib.parse import quote

from playwright.sync_api import expect

from tests.browser.explore import TEXT, chip, heatmap, note, parameters, sheet_cell, switch, type_sentence


def test_the_first_request_on_a_fresh_server_is_a_deep_link(page, fresh_server, settled):
    link = "/?s=The+dog+chased+the+cat.&layer=2&head=7&query=2&mask=causal&off=0-3&view=table"
    page.goto(fresh_server.at(link))
    settled(page)
    assert page.get_by_label("Sentence", exact=True).input_value() == "The dog chased the cat."
    title = page.locator(".st-key-head-title", has_text="L2 H7")
    expect(title).to_contain_text("causal mask in every layer · L0 H3 off")
    assert chip(page, 2).get_attribute("aria-pressed") == "true"
    assert page.get_by_role("radio", name="Table").is_checked()
    expect(page.locator('[data-testid="stDataFrame"]:visible')).to_have_count(1)


def test_a_sentence_a_head_a_mask_and_a_head_off(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    assert "it mixes mostly application 0.37, developer 0.24" in note(page)
    type_sentence(page, settled, "The bank approved the loan.")
    assert [chip(page, at).locator(".text").inner_text() for at in range(8)] == [
        "CLS", "the", "bank", "approved", "the", "loan", ".", "SEP"]  # fmt: skip
    page.mouse.click(*sheet_cell(page, 2, 7))
    settled(page)
    assert "In L2 H7" in note(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    settled(page)
    assert "In L3 H8" in note(page)
    assert parameters(page)["layer"] == "3"
    assert parameters(page)["head"] == "8"
    before = heatmap(page)
    assert all(value is not None for row in before for value in row)

    switch(page, settled, "Causal mask")
    after = heatmap(page)
    assert all((after[q][k] is None) == (k > q) for q in range(8) for k in range(8))
    # A hover has four digits: eight weights may miss 1 by eight times half of the last.
    assert all(math.isclose(sum(filter(None, row)), 1, abs_tol=4e-4) for row in after)
    moved = page.locator(".bars.moved span").all_inner_texts()[1::2]
    assert len(moved) == 6
    assert float(moved[0]) > 0.05

    page.get_by_label("Heads off", exact=True).click()
    page.keyboard.type("L2 H5")
    page.get_by_role("option", name="L2 H5").first.click()
    page.keyboard.press("Escape")
    settled(page)
    expect(page.locator(".st-key-head-title", has_text="L3 H8")).to_contain_text("L2 H5 off")
    assert parameters(page)["off"] == "2-5"
    assert heatmap(page) != after

    page.get_by_text("Put everything back").click()
    settled(page)
    assert heatmap(page) == before
    assert "mask" not in parameters(page)


def test_typing_a_layer_finds_its_heads_alone_and_enter_takes_one(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    page.get_by_label("Heads off", exact=True).click()
    page.keyboard.type("L2")
    options = page.get_by_role("option")
    expect(options.first).to_have_text("L2 H0")
    assert options.count() >= 10, "the list holds what is in sight"
    assert all(name.startswith("L2 H") for name in options.all_inner_texts())
    page.keyboard.press("Enter")
    settled(page)
    assert parameters(page)["off"] == "2-0"


def test_a_click_in_any_picture_moves_the_pair_in_all(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    chip(page, 2).click()
    settled(page)
    assert "developer mixes mostly [CLS] 0.75" in note(page)
    plot = page.locator(".st-key-heatmap canvas")
    size = plot.bounding_box()
    plot.click(position={"x": size["width"] * 3.5 / 12, "y": size["height"] * 9.5 / 12})
    settled(page)
    assert (parameters(page)["query"], parameters(page)["key"]) == ("9", "3")
    assert "ready looks at deployed" in page.locator(".title", has_text="This cell").inner_text()
    scores = page.locator(".st-key-steps canvas").nth(4)
    scores.scroll_into_view_if_needed()
    size = scores.bounding_box()
    scores.click(position={"x": size["width"] * 1.5 / 12, "y": size["height"] * 4.5 / 12})
    settled(page)
    assert (parameters(page)["query"], parameters(page)["key"]) == ("4", "1")


def test_a_copied_link_opens_the_same_view_in_another_browser(page, dark_page, server, settled):
    page.goto(
        server.at(f"/?s={quote(TEXT)}&layer=1&head=3&query=5&mask=window%3A1%3A0&range=log&special=hide")
    )
    settled(page)
    switch(page, settled, "Shuffled parameters")
    link = page.evaluate("location.href")
    assert parameters(page)["shuffled"] == "0"
    dark_page.goto(link)
    settled(dark_page)
    assert note(dark_page) == note(page)
    assert heatmap(dark_page) == heatmap(page)
    assert parameters(dark_page) == parameters(page)


def test_the_browser_s_back_goes_back(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    for at in (2, 5):
        chip(page, at).click()
        settled(page)
    assert parameters(page)["query"] == "5"
    page.go_back()
    settled(page)
    assert parameters(page)["query"] == "2"
    assert chip(page, 2).get_attribute("aria-pressed") == "true"
    assert "developer mixes mostly" in note(page)


def test_tokens_are_reached_by_keyboard(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    chip(page, 5).focus()
    page.keyboard.press("Enter")
    settled(page)
    assert parameters(page)["query"] == "5"


def test_lines_pick_a_query(page, server, settled):
    page.goto(server.at("/?view=lines"))
    settled(page)
    page.get_by_role("button", name="query deployed, position 3", exact=True).click()
    settled(page)
    assert parameters(page)["query"] == "3"
    assert "key" not in parameters(page)


def test_lines_pick_a_key(page, server, settled):
    page.goto(server.at("/?view=lines&query=7"))
    settled(page)
    page.get_by_role("button", name="key deployed, position 3", exact=True).click()
    settled(page)
    assert (parameters(page)["query"], parameters(page)["key"]) == ("7", "3")


def test_the_dark_theme_reaches_the_pictures(dark_page, server, settled):
    dark_page.goto(server.at("/"))
    settled(dark_page)
    ground = dark_page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=\"stApp\"]')).backgroundColor"
    )
    assert ground == "rgb(18, 20, 23)"
    corner = dark_page.locator(".st-key-heatmap canvas").evaluate(
        "(canvas) => [...canvas.getContext('2d').getImageData(canvas.width - 30, 4, 1, 1).data]"
    )
    assert max(corner[:3]) < 60, "a weight near zero is as dark as the page"
