"""The Heads page in a real Chromium: by a link, by a click on a square, by keys, and on to Explore."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from attention.analysis.measures import MEASURES
from attention.ui.heads.detail import WIDTHS

LINK = "/heads?s=The+lorry+passed+the+hedgerows.&layer=1&head=5&heads.measure=entropy&heads.summary=rollout"


def parameters(page):
    return {
        key: values[0] for key, values in parse_qs(urlsplit(page.evaluate("location.href")).query).items()
    }


def square(page, row, column, n_rows=6, n_columns=12):
    """The middle of a square of the sheet, measured from its labels' side."""
    box = page.get_by_role("application").first.bounding_box()
    pitch = (box["width"] - 32) / n_columns
    return box["x"] + 28 + (column + 0.45) * pitch, box["y"] + 20 + (row + 0.45) * pitch


def test_a_link_a_click_and_keys_choose_what_is_seen(page, server, settled):
    page.goto(server.at(LINK + "&words=1"))
    settled(page)
    expect(page.locator(".title", has_text="Entropy").first).to_contain_text("8 words")
    expect(page.locator(".title", has_text="Attention rollout").first).to_be_visible()
    expect(page.locator(".title", has_text="Weights of L1 H5")).to_be_visible()
    assert page.get_by_role("radio", name="Rollout", exact=True).is_checked()
    page.mouse.click(*square(page, 3, 8))
    settled(page)
    expect(page.locator(".title", has_text="Weights of L3 H8")).to_be_visible()
    expect(page.locator(".title", has_text="Heads like L3 H8")).to_be_visible()
    page.get_by_role("application").first.press("ArrowRight")
    settled(page)
    assert (parameters(page)["layer"], parameters(page)["head"]) == ("3", "9")
    canvas = page.get_by_role("application").first
    expect(canvas).to_have_attribute("aria-label", re.compile("Layer 3 head 9 is chosen"))
    page.get_by_role("link", name="Open in Explore").click()
    settled(page)
    expect(page.locator(".title", has_text="L3 H9").first).to_be_visible()


def test_a_square_in_the_order_of_values_is_the_head_whose_number_it_has(page, server, settled):
    page.goto(server.at(LINK + "&heads.sort=value"))
    settled(page)
    heads = page.locator("[class*=st-key-rank-top-] button").all_inner_texts()
    page.mouse.click(*square(page, 0, 4))
    settled(page)
    expect(page.locator(".title", has_text=f"Weights of {heads[4]}")).to_be_visible()
    layer, head = re.findall(r"\d+", heads[4])
    assert (parameters(page)["layer"], parameters(page)["head"]) == (layer, head)
    page.get_by_text("By layer", exact=True).click()
    settled(page)
    canvas = page.get_by_role("application").first
    expect(canvas).to_have_attribute("aria-label", re.compile(f"Layer {layer} head {head} is chosen"))
    assert "heads.sort" not in parameters(page)


def test_a_click_anywhere_on_a_line_shows_its_head_and_nothing_moves(page, server, settled):
    page.goto(server.at(LINK))
    settled(page)
    line, weights = page.locator("[class*=st-key-row-top-3]"), page.locator(".st-key-shown-heads-weights")
    name = line.get_by_role("button").inner_text()
    line.scroll_into_view_if_needed()
    stood = weights.bounding_box()
    box = line.bounding_box()
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2)
    settled(page)
    expect(page.locator(".title", has_text=f"Weights of {name}")).to_be_visible()
    expect(line).to_contain_text("shown now")
    page.get_by_role("button", name="Highest: ").press("Enter")
    settled(page)
    expect(page.get_by_text("the highest of 72 heads")).to_be_visible()
    expect(page.get_by_role("button", name="Highest: ")).to_be_focused()
    assert weights.bounding_box() == stood


def columns(page, at):
    """One column of the table of measures, as it is sorted now."""
    cells = page.locator(f'[data-testid^="glide-cell-{at}-"]').all_inner_texts()
    assert len(cells) == len(MEASURES)
    return cells


def test_the_table_of_measures_is_whole_and_sorts_by_number(page, server, settled):
    """Of 200 tokens, whose numbers are the widest that most texts have."""
    page.goto(server.at("/heads?s=" + "+".join(["the", "dog", "barked", "."] * 50)))
    settled(page)
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    scrolled = table.locator(".dvn-scroller")
    assert scrolled.evaluate("(one) => one.scrollWidth <= one.clientWidth"), "no column is cut"
    box = table.bounding_box()
    page.mouse.click(box["x"] + WIDTHS["measure"] + 20, box["y"] + 15)
    settled(page)
    numbers = [float(text) for text in columns(page, 1) if text]
    assert numbers == sorted(numbers)
    assert numbers[0] < 0 < 20 < numbers[-1]


def test_a_bad_value_in_a_link_is_told(dark_page, server, settled):
    dark_page.goto(server.at("/heads?s=The+lorry.&heads.measure=soul"))
    settled(dark_page)
    alert = dark_page.get_by_test_id("stAlert")
    expect(alert).to_contain_text("heads.measure was ignored: “soul” is not one of effective")
    expect(dark_page.locator(".title", has_text="On the previous token").first).to_be_visible()
