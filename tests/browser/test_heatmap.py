"""The heatmap in a real Chromium: hover, click, arrow keys, labels, and looking closer."""

import re
from urllib.parse import quote

from playwright.sync_api import expect

from tests.browser.explore import parameters

WORDS = " ".join(f"word{at}" for at in range(35))


def canvas_of(page):
    return page.locator(".st-key-heatmap canvas")


def at(canvas, row, column, rows, columns):
    size = canvas.bounding_box()
    return {"x": (column + 0.5) * size["width"] / columns, "y": (row + 0.5) * size["height"] / rows}


def test_a_hover_tells_a_weight_from_a_masked_cell_and_from_a_blind_row(page, server, settled):
    page.goto(server.at("/?s=I+learn.&layer=0&head=0&mask=block:1-0.1-1.1-2.1-3.1-4.2-0"))
    settled(page)
    canvas, tip = canvas_of(page), page.locator(".st-key-heatmap .tip")
    for row, column, said in ((2, 0, "masked for this query"), (1, 3, "this query sees nothing")):
        canvas.hover(position=at(canvas, row, column, 5, 5))
        expect(tip).to_contain_text(said)
    canvas.hover(position=at(canvas, 2, 1, 5, 5))
    expect(tip).to_contain_text("learn (2) looks at i (1)")
    expect(tip).to_contain_text("weight 0.")
    expect(page.locator(".st-key-heatmap .blind")).to_have_text("sees nothing")


def test_arrow_keys_walk_the_cells_and_the_page_follows(page, server, settled):
    page.goto(server.at("/?query=7&key=5"))
    settled(page)
    canvas_of(page).focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
    settled(page)
    assert (parameters(page)["query"], parameters(page)["key"]) == ("5", "4")
    expect(page.locator(".st-key-heatmap .tick.focus")).to_have_text(["application", "the"])
    expect(page.locator(".st-key-heatmap .live")).to_contain_text("application (5) looks at the (4)")


def test_a_cell_that_is_clicked_again_is_let_go(page, server, settled):
    page.goto(server.at("/?query=7"))
    settled(page)
    canvas = canvas_of(page)
    for said in ("it looks at deployed", "it looks at application"):
        canvas.click(position=at(canvas, 7, 3, 12, 12))
        settled(page)
        expect(page.locator(".title", has_text="This cell")).to_contain_text(said)
    assert "key" not in parameters(page)
    expect(page.locator(".st-key-heatmap .tick.key.focus")).to_have_text("application")


def test_a_click_on_a_label_moves_the_focus_to_its_token(page, server, settled):
    page.goto(server.at("/?query=7&key=5"))
    settled(page)
    page.locator(".st-key-heatmap .tick.query", has_text="ready").click()
    settled(page)
    page.locator(".st-key-heatmap .tick.key", has_text="deployed").click()
    settled(page)
    assert (parameters(page)["query"], parameters(page)["key"]) == ("9", "3")


def test_where_cells_are_too_small_a_click_looks_closer(page, server, settled):
    page.goto(server.at(f"/?s={quote(WORDS)}"))
    settled(page)
    canvas = canvas_of(page)
    n = int(canvas.get_attribute("aria-label").split()[2])
    assert n > 64
    canvas.click(position=at(canvas, 40, 50, n, n))
    settled(page)
    assert (parameters(page)["query"], parameters(page)["key"]) == ("40", "50")
    assert (parameters(page)["rows"], parameters(page)["columns"]) == (
        "16-63",
        f"{min(26, n - 48)}-{min(73, n - 1)}",
    )
    expect(canvas).to_have_attribute("aria-label", re.compile("48 queries by 48 keys"))


def test_a_narrow_column_squeezes_cells_and_nothing_else(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    wide = canvas_of(page).bounding_box()
    page.set_viewport_size({"width": 1280, "height": 900})
    settled(page)
    narrow = canvas_of(page).bounding_box()
    assert narrow["height"] == wide["height"]
    assert narrow["width"] < wide["width"]
    room = page.locator(".st-key-heatmap").bounding_box()
    assert narrow["x"] + narrow["width"] <= room["x"] + room["width"]
