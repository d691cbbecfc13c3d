"""Cost in a real Chromium: a deep link, a step of the slider, the clock, and a link with mistakes."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect


def choices(page):
    query = urlsplit(page.evaluate("location.href")).query
    return {key: values[0] for key, values in parse_qs(query).items() if key.startswith("cost.")}


def test_a_deep_link_a_step_a_preset_and_the_clock(page, fresh_server, settled):
    page.goto(
        fresh_server.at(
            "/cost?s=The+bank+approved+the+loan.&cost.rows=3&cost.keys=2&cost.tile=3&cost.most=200"
        )
    )
    settled(page)
    board = page.get_by_role("img", name=re.compile("Tile 3 is held: queries 0 to 2, keys 4 to 5"))
    expect(board).to_be_visible()
    page.get_by_role("slider").first.press("ArrowRight")
    settled(page)
    expect(
        page.get_by_role("img", name=re.compile("Tile 4 is held: queries 0 to 2, keys 6 to 7"))
    ).to_be_visible()
    assert choices(page) == {"cost.rows": "3", "cost.keys": "2", "cost.tile": "4", "cost.most": "200"}
    page.get_by_role("button", name="One tile: the whole matrix").click()
    settled(page)
    expect(page.get_by_text("The largest matrix ever held is 8 × 8: 64 scores of 64.")).to_be_visible()
    page.get_by_role("button", name="Measure here").click()
    expect(page.get_by_text("hold a matrix of 160 kB")).to_be_visible(timeout=60_000)
    settled(page)
    page.get_by_role("button", name="Export").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG", exact=True).first.click()
    assert download.value.suggested_filename.endswith(".svg")


def test_a_link_with_mistakes_is_told_on_a_narrow_dark_page(dark_page, server, settled):
    dark_page.set_viewport_size({"width": 800, "height": 900})
    dark_page.goto(server.at("/cost?cost.rows=0&cost.pattern=nope"))
    settled(dark_page)
    alerts = dark_page.get_by_test_id("stAlert")
    expect(alerts.filter(has_text="“nope” is not one of window")).to_be_visible()
    expect(
        alerts.filter(has_text="The link's cost.rows was ignored: 0 is not from 1 to 512.")
    ).to_be_visible()
    over = dark_page.evaluate(
        "document.querySelector('[data-testid=stMain]').scrollWidth - window.innerWidth"
    )
    assert over <= 0
