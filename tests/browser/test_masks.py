"""Masks in a real Chromium: a deep link, a click in the gallery, a cell clicked twice, a narrow window."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

SENTENCE = "s=The+bank+approved+the+loan."


def own(page):
    """The page's own keys in the address."""
    query = urlsplit(page.evaluate("location.href")).query
    return {key: values[0] for key, values in parse_qs(query).items() if key.startswith("masks.")}


def chosen(page):
    """The mask that is marked in the gallery."""
    return page.locator(".tile[aria-pressed=true]")


def click_cell(page, query, key, n):
    """Click a cell of the matrix, where a reader sees it."""
    area = page.locator('[class*="st-key-shown-masks-allowed"] .nsewdrag').first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    page.mouse.click(box["x"] + box["width"] * (key + 0.5) / n, box["y"] + box["height"] * (query + 0.5) / n)


def test_a_deep_link_on_a_fresh_server_restores_the_mask_and_tells_what_is_wrong(page, fresh_server, settled):
    page.goto(fresh_server.at(f"/masks?{SENTENCE}&masks.pattern=dilated&masks.step=3&masks.reach=9999"))
    settled(page)
    expect(chosen(page)).to_have_text(["Dilated"])
    expect(page.get_by_test_id("stAlert")).to_contain_text(
        "masks.reach was ignored: 9999 is not from 0 to 512"
    )
    # two steps of three on each side of eight tokens: 8 + 2·5 + 2·2
    expect(page.locator(".title", has_text="of N²")).to_contain_text("22 of 64 cells, 34 % of N²")
    page.locator(".tile", has_text="Block-local").click()
    settled(page)
    expect(chosen(page)).to_have_text(["Block-local"])
    expect(page.locator(".title", has_text="of N²")).to_contain_text("32 of 64 cells, 50 % of N²")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    assert own(page) == {"masks.pattern": "blocks", "masks.step": "3"}


def test_a_cell_is_blocked_and_opened_by_clicks_and_its_row_comes_into_focus(page, server, settled):
    page.goto(server.at(f"/masks?{SENTENCE}&masks.pattern=full"))
    settled(page)
    count = page.locator(".title", has_text="of N²")
    expect(count).to_contain_text("64 of 64 cells")
    click_cell(page, 2, 5, 8)
    settled(page)
    expect(count).to_contain_text("63 of 64 cells, 98 % of N² · 1 cell changed by hand")
    assert own(page) == {"masks.pattern": "full", "masks.flip": "2-5", "masks.query": "2"}
    click_cell(page, 2, 5, 8)
    settled(page)
    expect(count).to_contain_text("64 of 64 cells")
    assert own(page) == {"masks.pattern": "full", "masks.query": "2"}


def way_down(page):
    """From the page's title to what stands below the matrix."""
    title, below = page.locator("h1"), page.get_by_text("What it does to the output")
    return below.bounding_box()["y"] - title.bounding_box()["y"]


def test_nothing_moves_when_a_cell_is_changed_and_no_box_offers_to_be_emptied(page, server, settled):
    page.goto(server.at(f"/masks?{SENTENCE}&masks.pattern=bigbird"))
    settled(page)
    expect(page.get_by_test_id("stNumberInputClearButton").first).to_be_hidden()
    before = way_down(page)
    click_cell(page, 2, 5, 8)  # scrolls to the cell first: places are told from the page's title
    settled(page)
    expect(page.locator(".title.line", has_text="of N²")).to_contain_text("1 cell changed by hand")
    expect(page.get_by_role("button", name="Put the cells back")).to_be_enabled()
    assert way_down(page) == before


def test_a_narrow_window_in_the_dark_does_not_scroll_sideways(dark_page, server, settled):
    dark_page.set_viewport_size({"width": 800, "height": 900})
    dark_page.goto(server.at(f"/masks?{SENTENCE}&masks.pattern=bigbird&masks.flip=3-3.3-4"))
    settled(dark_page)
    main = dark_page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    expect(dark_page.locator("[data-proof]")).to_contain_text("(float64)")
