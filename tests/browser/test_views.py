"""Lines, neurons, the light of the sentence and every part of the export menu, in a real browser."""

import re
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.browser.explore import LONG

SVG = "{http://www.w3.org/2000/svg}"


def parameters(page):
    return {key: value[0] for key, value in parse_qs(urlsplit(page.url).query).items()}


def token(page, side, name, position):
    return page.get_by_role("button", name=f"{side} {name}, position {position}", exact=True)


def opacities(page, group):
    paths = page.locator(f"svg .{group} path")
    return sorted({round(float(path.get_attribute("stroke-opacity")), 3) for path in paths.all()})


def test_lines_come_back_from_a_link_and_a_choice_locks_and_lets_go(page, fresh_server, settled):
    page.goto(fresh_server.at("/?view=lines&query=7&head=4&lines.heads=2.7&lines.mass=75"))
    settled(page)
    expect(page.locator(".legend .entry")).to_have_text(["H4", "H2", "H7"])
    expect(token(page, "query", "it", 7)).to_have_attribute("aria-pressed", "true")
    assert opacities(page, "others") == [0.07]
    assert min(opacities(page, "own")) >= 0.35
    token(page, "key", "application", 5).click()
    settled(page)
    assert (parameters(page)["key"], parameters(page)["lines.lock"]) == ("5", "key")
    token(page, "key", "application", 5).click()
    page.mouse.move(5, 5)
    settled(page)
    assert parameters(page)["lines.lock"] == "none"
    assert page.locator("svg .own path").count() == 0
    assert min(opacities(page, "others")) >= 0.2


def test_the_heads_of_the_columns_stay_in_sight_where_lines_scroll(page, server, settled):
    page.goto(server.at(f"/?view=lines&s={quote(LONG)}&query=2"))
    settled(page)
    heads, last = page.locator("svg.heads text"), page.locator("[data-side=query]").last
    before = [heads.nth(at).bounding_box() for at in range(2)]
    assert heads.all_text_contents() == ["query, looks →", "key, looked at"]
    last.evaluate("(token) => token.scrollIntoView({block: 'nearest'})")
    scrolled = "(heads) => [heads.parentElement.getBoundingClientRect().y, heads.parentElement.scrollTop]"
    top, below = page.locator("svg.heads").evaluate(scrolled)
    assert below > 1000
    for at, side in enumerate(("query", "key")):
        box = heads.nth(at).bounding_box()
        assert top <= box["y"] <= top + 28
        assert box["x"] == before[at]["x"]
        token = page.locator(f"[data-side={side}]").last.bounding_box()
        ends = [found["x"] + (found["width"] if side == "query" else 0) for found in (box, token)]
        assert abs(ends[0] - ends[1]) < 3, "over its column"


def test_a_hover_leaves_one_token_s_lines_and_a_head_s_name_that_head_s(page, server, settled):
    page.goto(server.at("/?view=lines&query=7&head=4&lines.heads=2"))
    settled(page)
    token(page, "query", "deployed", 3).hover()
    expect(page.locator("svg .others")).to_be_hidden()
    starts = {path.get_attribute("d").split("C")[0] for path in page.locator("svg .own path.strand-0").all()}
    assert len(starts) == 1, "all leave one word"
    page.locator(".legend .entry").nth(1).hover()
    expect(page.locator("svg .own path.strand-0").first).to_be_hidden()
    expect(page.locator("svg .own path.strand-1").first).to_be_visible()


def test_the_keyboard_reaches_each_head_s_lines_alone(page, server, settled):
    page.goto(server.at("/?view=lines&query=7&key=5&head=4&lines.heads=2"))
    settled(page)
    token(page, "key", "application", 5).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    second = page.get_by_role("button", name="H2, its lines alone")
    expect(second).to_be_focused()
    assert second.evaluate("(entry) => getComputedStyle(entry).outlineStyle") == "solid"
    expect(page.locator("svg .own path.strand-0").first).to_be_hidden()
    expect(page.locator("svg .own path.strand-1").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("svg .own path.strand-0").first).to_be_visible()


def test_the_file_has_the_curves_colours_and_opacities_of_the_page(page, server, settled):
    page.goto(server.at("/?view=lines&query=7&head=4&lines.heads=2"))
    settled(page)
    on_page = [
        (path.get_attribute("stroke").lower(), round(float(path.get_attribute("stroke-width")), 2),
         round(float(path.get_attribute("stroke-opacity")), 2))
        for path in page.locator("svg .own path").all()
    ]  # fmt: skip
    _, file = download(page, "SVG")
    in_file = []
    for path in ElementTree.fromstring(file).iter(f"{SVG}path"):
        look = dict(part.strip().split(": ") for part in path.get("style", "").split(";") if ": " in part)
        if "C" in path.get("d", "") and "stroke-width" in look and float(look.get("opacity", 1)) > 0.1:
            width = float(look["stroke-width"]) / 0.75
            in_file.append((look["stroke"], round(width, 2), round(float(look["opacity"]), 2)))
    assert len(in_file) == len(on_page) > 5
    for made, seen in zip(sorted(in_file), sorted(on_page), strict=True):
        assert made[0] == seen[0]
        assert made[1:] == pytest.approx(seen[1:], abs=0.011)


def test_a_key_is_chosen_among_the_neurons(page, server, settled):
    page.goto(server.at("/?view=neurons&query=7&key=5"))
    settled(page)
    expect(page.locator(".neurons tr.focus th")).to_have_text("application")
    page.locator(".neurons tr[data-row='2'] button").focus()
    page.keyboard.press("Enter")
    settled(page)
    assert parameters(page)["key"] == "2"
    expect(page.locator(".neurons tr.focus th")).to_have_text("developer")


def test_the_light_of_the_sentence_is_in_the_link_and_numbers_stand_under_every_chip(page, server, settled):
    page.goto(server.at("/?strip=receives&query=7&head=4"))
    settled(page)
    chips = page.locator(".st-key-strip button.chip")
    assert "receives, on average," in chips.nth(0).get_attribute("title")
    assert chips.nth(0).locator(".number").inner_text().startswith(".")
    chips.nth(3).click()
    settled(page)
    assert (parameters(page)["query"], parameters(page)["strip"]) == ("3", "receives")


def test_a_bad_value_is_told(page, server, settled):
    page.goto(server.at("/?view=lines&lines.mass=0&strip=takes"))
    settled(page)
    said = page.get_by_test_id("stAlert").all_inner_texts()
    assert len(said) == 2
    assert any("0 is not from 1 to 100" in sentence for sentence in said)


def download(page, name):
    if not page.get_by_role("button", name=name, exact=True).count():
        page.get_by_role("button", name="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    found = waiting.value
    return found.suggested_filename, Path(found.path()).read_bytes()


def test_every_part_of_the_page_becomes_a_file_that_opens_offline(page, server, settled, tmp_path):
    page.goto(server.at("/?query=7&head=4&mask=causal"))
    settled(page)
    wanted = {
        "Sentence": "headlight_minilm_L4_H4_causal_sentence",
        "Seven steps": "headlight_minilm_L4_H4_causal_step-strip",
        "All heads": "headlight_minilm_causal_all-heads",
    }
    files = {}
    page.get_by_role("button", name="Export").click()
    for what, name in wanted.items():
        page.get_by_test_id("stPopoverBody").get_by_text(what, exact=True).click()
        settled(page)
        filename, files[what] = download(page, "HTML")
        assert filename == f"{name}.html"
        assert download(page, "PNG")[1].startswith(b"\x89PNG")
    for what, file in files.items():
        exported = tmp_path / f"{re.sub(' ', '-', what)}.html"
        exported.write_bytes(file)
        page.goto(exported.as_uri())
        assert page.locator("svg").first.bounding_box()["width"] > 300
        assert "causal mask in every layer" in page.locator("body").inner_text()
