"""The worked example in a real Chromium: a deep link, an edited cell, the board, the files, three widths."""

import csv
import io
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

# The texts of cells that are wider than their cell.
TOO_LONG = """(grid) => [...grid.querySelectorAll("tbody td")].filter((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell);
  return text.getBoundingClientRect().width > cell.clientWidth;
}).map((cell) => cell.textContent)"""
LARGE = (
    "worked.n=6&worked.d=6&worked.dk=6&worked.dv=6&worked.mask=causal"
    "&worked.q=-1,2,0,0,0,0;0,-1,2,0,0,0;0,0,-1,2,0,0;0,0,0,-1,2,0;0,0,0,0,-1,2;2,0,0,0,0,-9"
)


def parameters(page):
    query = urlsplit(page.evaluate("location.href")).query
    return {key: values[0] for key, values in parse_qs(query).items() if key.startswith("worked.")}


def table(page, name):
    """The texts of one of the board's tables, row by row."""
    found = page.locator("table", has=page.locator("caption", has_text=name)).first
    return [row.locator("td").all_inner_texts() for row in found.locator("tbody tr").all()]


def type_into(page, settled, at, row, column, text):
    """Type into a cell of the editor that stands at a place on the page, as a reader does."""
    grid = page.get_by_test_id("stDataFrame").nth(at)
    cell = grid.get_by_test_id(f"glide-cell-{column + 1}-{row}")
    canvas = grid.get_by_test_id("data-grid-canvas")
    canvas.scroll_into_view_if_needed()
    for _ in range(5):  # a click in another grid than the last may only take the keyboard there
        if cell.get_attribute("aria-selected") == "true":
            break
        # Glide draws its cells on a canvas; where they are follows from the sizes the page gave them.
        box = canvas.bounding_box()
        label = box["width"] - 44 * (grid.locator("th").count() - 1)
        x = box["x"] + label + 44 * (column + 0.5)
        page.mouse.click(x, box["y"] + 35 + 31 * (row + 0.5), delay=50)
        settled(page)
    if text:
        page.keyboard.press("Enter")
        editor = page.locator("#portal .gdg-input")
        expect(editor).to_be_focused()  # what is typed earlier is lost
        editor.fill(text)
        page.keyboard.press("Enter")
    else:
        page.keyboard.press("Delete")
    settled(page)


def test_a_deep_link_on_a_fresh_server_and_a_cell_that_is_edited(page, fresh_server, settled):
    page.goto(fresh_server.at("/worked-example?worked.mask=causal"))
    settled(page)
    assert table(page, "Weights") == [["1", "0"], ["0.330", "0.670"]]
    type_into(page, settled, 1, 1, 1, "3")
    row = np.exp([0, 3 / 2**0.5])
    first, second = row / row.sum()
    assert table(page, "Weights") == [["1", "0"], [f"{first:.3f}", f"{second:.3f}"]]
    assert parameters(page) == {"worked.mask": "causal", "worked.q": "1,0;0,3"}
    page.reload()
    settled(page)
    assert table(page, "Weights")[1] == [f"{first:.3f}", f"{second:.3f}"]


def test_a_bad_cell_is_told_kept_and_mended(page, server, settled):
    page.goto(server.at("/worked-example"))
    settled(page)
    type_into(page, settled, 2, 0, 1, "abc")
    told = page.get_by_test_id("stAlert")
    expect(told).to_contain_text("W_K, row 0, column 1: “abc” is not a number.")
    assert table(page, "Weights") == [["0.670", "0.330"], ["0.330", "0.670"]]
    expect(page.locator(".title", has_text="Seven steps")).to_contain_text(
        "last numbers that could all be read"
    )
    held = page.get_by_test_id("stDataFrame").nth(2).get_by_test_id("glide-cell-2-0")
    assert held.text_content() == "abc"
    type_into(page, settled, 0, 0, 0, "")
    expect(told).to_contain_text("X, row 0 (I), column 0 is empty")
    sizes = page.get_by_role("spinbutton", name="d_k")
    sizes.fill("3")
    sizes.press("Enter")
    settled(page)
    assert held.text_content() == "abc"
    type_into(page, settled, 2, 0, 1, "0")
    type_into(page, settled, 0, 0, 0, "1")
    expect(told).to_have_count(0)
    assert len(table(page, "Queries, keys, values, Q")[0]) == 3


def test_what_is_typed_outlives_a_visit_to_another_page(page, server, settled):
    page.goto(server.at("/worked-example?worked.dv=1"))
    settled(page)
    type_into(page, settled, 1, 0, 0, "2")
    type_into(page, settled, 1, 0, 1, "1e99")
    page.get_by_role("link", name="Explore").click()
    settled(page)
    page.go_back()
    settled(page)
    if not page.locator(".brand", has_text="Worked example").count():
        page.get_by_test_id("stHeader").get_by_text("Learn").click()
        page.get_by_text("Worked example", exact=True).click()
        settled(page)
    grid = page.get_by_test_id("stDataFrame").nth(1)
    assert grid.get_by_test_id("glide-cell-1-0").text_content() == "2"
    assert grid.get_by_test_id("glide-cell-2-0").text_content() == "1e99"
    expect(page.get_by_test_id("stAlert")).to_contain_text("“1e99” is too large")


def test_a_click_and_the_arrow_keys_choose_the_pair(page, server, settled):
    page.goto(server.at("/worked-example?worked.n=3&worked.d=3"))
    settled(page)
    board = page.get_by_role("group", name="The seven steps")
    weights = board.locator("table", has=page.locator("caption", has_text="Weights"))
    weights.locator("tr[data-q='2'] td[data-k='1']").click()
    settled(page)
    title = page.locator(".title", has_text="This cell")
    expect(title).to_contain_text("from looks at learn")
    assert parameters(page)["worked.query"] == "2"
    board.focus()
    page.keyboard.press("ArrowUp")
    settled(page)
    page.keyboard.press("ArrowRight")
    settled(page)
    expect(title).to_contain_text("learn looks at from")
    assert parameters(page)["worked.key"] == "2"
    assert board.evaluate("element => element === element.getRootNode().activeElement")
    marked = board.locator("td[aria-current]")
    assert marked.count() == 4
    assert {cell.get_attribute("data-k") for cell in marked.all()} == {"2"}


def test_the_browser_s_back_brings_earlier_numbers_back(page, server, settled):
    page.goto(server.at("/worked-example"))
    settled(page)
    page.get_by_role("button", name="large scores").click()
    settled(page)
    page.get_by_text("Causal mask").click()
    settled(page)
    assert table(page, "Weights") == [["1", "0"], ["0.001", "0.999"]]
    page.go_back()
    settled(page)
    assert table(page, "Weights")[0] == ["0.999", "0.001"]
    page.go_back()
    settled(page)
    assert table(page, "Weights") == [["0.670", "0.330"], ["0.330", "0.670"]]
    cell = page.get_by_test_id("stDataFrame").nth(1).get_by_test_id("glide-cell-1-0")
    assert cell.text_content() == "1"
    type_into(page, settled, 1, 0, 0, "4")
    assert parameters(page) == {"worked.q": "4,0;0,1"}


def test_a_hidden_step_is_nowhere_on_the_page_until_a_guess_is_typed(page, server, settled):
    page.goto(server.at("/worked-example?worked.predict=weights&worked.q=1.7,0;0,0.3"))
    settled(page)
    row = np.exp([0, 0.3 / 2**0.5])
    hidden = f"{row[0] / row.sum():.3f}"
    assert table(page, "Weights") == [["?", "?"], ["?", "?"]]
    assert hidden not in page.content()
    board = page.get_by_role("group", name="The seven steps")
    assert hidden not in board.evaluate("element => element.outerHTML")
    box = page.get_by_placeholder("a number, then Enter")
    box.fill("0.4")
    box.press("Enter")
    settled(page)
    assert table(page, "Weights")[1][0] == hidden
    expect(page.locator(".note", has_text="You guessed")).to_contain_text(f"it is {hidden}")


def test_the_table_of_steps_can_be_taken_away(page, server, settled):
    page.goto(server.at("/worked-example?worked.words=%3D1%2B1+learn"))
    settled(page)
    page.get_by_test_id("stSidebar").get_by_text("Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    assert waiting.value.suggested_filename == "headlight_worked-example_steps.csv"
    rows = list(csv.reader(io.StringIO(Path(waiting.value.path()).read_text("utf-8-sig"))))
    at = [row[:1] for row in rows].index(["Weights = softmax by row"])
    assert rows[at][1:] == ["'=1+1", "learn"]
    assert float(rows[at + 1][1]) == pytest.approx(0.6697615493266569)
    for ext, begins in {"PDF": b"%PDF-", "HTML": b"<!DOCTYPE html>"}.items():
        with page.expect_download() as waiting:
            page.get_by_role("button", name=ext, exact=True).click()
        assert waiting.value.suggested_filename == f"headlight_worked-example_L0_H0_weights.{ext.lower()}"
        assert Path(waiting.value.path()).read_bytes().startswith(begins)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="NPZ").click()
    held = np.load(io.BytesIO(Path(waiting.value.path()).read_bytes()), allow_pickle=False)
    np.testing.assert_allclose(held["weights"].sum(axis=1), 1)


@pytest.mark.parametrize(
    ("path", "table"), [("/worked-example", ".reckoning"), ("/block?s=The+bank+approved+the+loan.", ".chain")]
)
def test_on_a_telephone_the_table_scrolls_and_not_the_page(page, server, settled, path, table):
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(server.at(path))
    settled(page)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    scrolled = page.locator(".sideways", has=page.locator(table)).evaluate_all(
        "found => found.map(one => one.scrollWidth - one.clientWidth)"
    )
    assert max(scrolled) > 0, "there is more of a table than fits"


@pytest.mark.parametrize("width", [1440, 1280, 800])
@pytest.mark.parametrize("query", ["", LARGE], ids=["two", "six"])
def test_nothing_is_cut_or_scrolls_sideways(page, server, settled, width, query):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(server.at(f"/worked-example?{query}"))
    settled(page)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    room = page.get_by_role("group", name="The seven steps").bounding_box()
    tables = [found.bounding_box() for found in page.locator(".grid table").all()]
    assert len(tables) == 9
    assert all(box["x"] + box["width"] <= room["x"] + room["width"] + 3 for box in tables)
    assert page.locator(".grid").evaluate(TOO_LONG) == []


def test_it_is_dark_for_those_who_prefer_dark(dark_page, server, settled):
    dark_page.goto(server.at("/worked-example?worked.mask=causal"))
    settled(dark_page)
    lit = dark_page.locator(".grid td:not([class])[style]").first
    assert lit.evaluate("cell => getComputedStyle(cell).color") in ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
    masked = dark_page.locator("td.masked").first
    assert "gradient" in masked.evaluate("cell => getComputedStyle(cell).backgroundImage")
    assert "29, 32, 36" in masked.evaluate("cell => getComputedStyle(cell).backgroundImage")
