"""The sheet of heads and the sentence between words, in a real Chromium: what hovers say, and by clicks."""

import re

from playwright.sync_api import expect

from tests.browser.explore import parameters, sheet_cell

LORRY = "s=The+lorry+passed+the+hedgerows."


def tip(page):
    return page.locator(".tip").filter(has_text=re.compile(r"^L\d+ H\d+"))


def under(page):
    """What stands under each chip, by what the chip shows."""
    chips = page.locator(".st-key-strip button.chip")
    return [tuple(chip.inner_text().split("\n")) for chip in chips.all()]


def test_a_hover_tells_head_pair_and_entropy_and_a_scale_of_its_own_is_in_the_link(page, server, settled):
    page.goto(server.at(f"/?{LORRY}"))
    settled(page)
    page.mouse.move(*sheet_cell(page, 2, 5))
    lines = tip(page).inner_text().split("\n")
    assert lines[0] == "L2 H5"
    assert re.fullmatch(r"strongest \S+ \(\d+\) → \S+ \(\d+\)  0\.\d{3}", lines[1])
    assert re.fullmatch(r"mean entropy \d\.\d\d bits", lines[2])
    assert re.fullmatch(r"here \S+ → \S+  ≈ 0\.\d\d", lines[3])
    page.get_by_text("Own scales", exact=True).click()
    settled(page)
    assert parameters(page)["sheet.shade"] == "head"
    page.mouse.move(*sheet_cell(page, 3, 5))
    page.mouse.move(*sheet_cell(page, 2, 5))
    assert tip(page).inner_text().split("\n") == lines[:3]
    expect(page.get_by_text("The last shade is the largest of each square.")).to_be_visible()


def test_a_hover_on_heads_tells_the_measure_too(page, server, settled):
    page.goto(server.at(f"/heads?{LORRY}&heads.measure=entropy"))
    settled(page)
    page.mouse.move(*sheet_cell(page, 2, 5))
    lines = tip(page).inner_text().split("\n")
    assert lines[0] == "L2 H5"
    assert lines[1].startswith("strongest ")
    assert re.fullmatch(r"Entropy \d\.\d+ \(even weights: 3\.459\)", lines[2])


def test_pieces_of_a_word_share_its_light_and_one_number(page, server, settled):
    page.goto(server.at(f"/?{LORRY}&words=1&query=9"))  # the full stop, which looks back at "hedgerows"
    settled(page)
    chips = page.locator(".st-key-strip button.chip")
    shades = [chips.nth(at).locator(".text").evaluate("e => e.style.background") for at in (6, 7, 8)]
    assert len(set(shades)) == 1
    weights = [chips.nth(at).get_attribute("title").split("\n")[-1] for at in (6, 7, 8)]
    assert len(set(weights)) == 1
    assert weights[0].startswith("its word: weight 0.")
    numbers = [found for found in under(page)[6:9] if len(found) > 1]
    assert len(numbers) == 1
    assert float(numbers[0][1]) == round(float(weights[0].rsplit(" ", 1)[1]), 2)
    chips.nth(7).click()
    settled(page)
    assert [found[1:] for found in under(page)[6:9]] == [(), ("query",), ()]
    assert parameters(page)["query"] == "7"
