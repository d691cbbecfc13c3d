"""Explore in a real Chromium: type, choose, mask, switch off, take away, come back by a link."""

import csv
import io
import json
import math
import re
import unicodedata
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.export.reading import pdf_texts

TEXT = "The developer deployed the application because it was ready."
LONG = " ".join(f"The engineer number {i} deployed an unremarkable application." for i in range(25))


def note(page):
    return page.locator(".note").first.inner_text()


def parameters(page):
    query = urlsplit(page.evaluate("location.href")).query
    return {key: values[0] for key, values in parse_qs(query).items()}


def heatmap(page):
    """The heatmap's values as Plotly holds them in the page; None where masked."""
    return page.evaluate(
        """() => {
          const traces = document.querySelector('.js-plotly-plot')._fullData;
          const {z} = traces.find((trace) => trace.name === 'weights');
          return Array.from(z, (row) => Array.from(row, (value) => Number.isNaN(value) ? null : value));
        }"""
    )


def type_sentence(page, settled, text):
    box = page.get_by_label("Sentence", exact=True)
    box.fill(text)
    box.press("Enter")
    settled(page)


def chip(page, at):
    return page.locator(".st-key-strip button").nth(at)


def switch(page, settled, label):
    page.get_by_test_id("stSidebar").get_by_text(label, exact=True).first.click()
    settled(page)


def sheet_cell(page, layer, head, n_layers=6, n_heads=12):
    """The middle of a head's square on the sheet's canvas, measured from its labels' side."""
    canvas = page.get_by_role("application").first
    box = canvas.bounding_box()
    pitch = (box["width"] - 28) / n_heads
    return box["x"] + 24 + (head + 0.45) * pitch, box["y"] + box["height"] - (n_layers - layer - 0.45) * pitch


def test_the_first_request_on_a_fresh_server_is_a_deep_link(page, fresh_server, settled):
    link = "/?s=The+dog+chased+the+cat.&layer=2&head=7&query=2&mask=causal&off=0-3&view=table"
    page.goto(fresh_server.at(link))
    settled(page)
    assert page.get_by_label("Sentence", exact=True).input_value() == "The dog chased the cat."
    title = page.locator(".title", has_text="L2 H7").first
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
    assert all(math.isclose(sum(filter(None, row)), 1, abs_tol=1e-5) for row in after)
    moved = page.locator(".bars.moved span").all_inner_texts()[1::2]
    assert len(moved) == 6
    assert float(moved[0]) > 0.05

    page.get_by_label("Heads off", exact=True).click()
    page.keyboard.type("L2 H5")
    page.get_by_role("option", name="L2 H5").first.click()
    page.keyboard.press("Escape")
    settled(page)
    expect(page.locator(".title", has_text="L3 H8").first).to_contain_text("L2 H5 off")
    assert parameters(page)["off"] == "2-5"
    assert heatmap(page) != after

    page.get_by_text("Put everything back").click()
    settled(page)
    assert heatmap(page) == before
    assert "mask" not in parameters(page)


def test_a_click_in_any_picture_moves_the_pair_in_all(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    chip(page, 2).click()
    settled(page)
    assert "developer mixes mostly [CLS] 0.75" in note(page)
    plot = page.locator(".js-plotly-plot .nsewdrag").bounding_box()
    page.mouse.click(plot["x"] + plot["width"] * 3.5 / 12, plot["y"] + plot["height"] * 9.5 / 12)
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


def download(page, name):
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    found = waiting.value
    return found.suggested_filename, Path(found.path()).read_bytes()


def test_every_export_opens(page, server, settled, tmp_path):
    page.goto(server.at("/?layer=4&head=4&query=7&mask=causal&off=2-5"))
    settled(page)
    shown = heatmap(page)
    page.get_by_role("button", name="Export").click()
    files = {name: download(page, name) for name in ("PNG", "SVG", "PDF", "HTML", "CSV", "NPZ", "JSON")}
    names = {name: filename for name, (filename, _) in files.items()}
    assert names["PNG"] == "headlight_minilm_L4_H4_causal_off2-5_weights.png"
    assert names["NPZ"] == "headlight_minilm_L4_causal_off2-5_steps.npz"

    image = Image.open(io.BytesIO(files["PNG"][1])).convert("RGB")
    assert min(image.size) > 600
    assert len(set(image.resize((64, 64)).get_flattened_data())) > 20
    svg = files["SVG"][1].decode()
    assert "application" in svg
    assert "L2 H5 off" in svg
    assert "1110a243" in svg
    said = pdf_texts(files["PDF"][1])
    assert "minilm · L4 H4 · attention weights" in said
    assert said.count("application") == 2
    assert any("causal mask in every layer · L2 H5 o" in line for line in said)  # "ff" is one letter there
    assert re.search(rb"/MediaBox \[ ?0 0 [\d.]{3,} [\d.]{3,} ?\]", files["PDF"][1])

    rows = list(csv.reader(io.StringIO(files["CSV"][1].decode("utf-8-sig"))))
    numbers = [[float(cell) for cell in row[-12:]] for row in rows[-12:]]
    np.testing.assert_allclose(numbers[7][:8], shown[7][:8], rtol=1e-6)

    arrays = np.load(io.BytesIO(files["NPZ"][1]), allow_pickle=False)
    np.testing.assert_allclose(arrays["weights"][4][7][:8], shown[7][:8], rtol=1e-6)
    assert np.isneginf(arrays["masked"][4][7][8:]).all()
    assert arrays["head_outputs"].shape == (12, 12, 32)
    data = json.loads(files["JSON"][1])
    assert "application" in json.dumps(data)

    exported = tmp_path / "view.html"
    exported.write_bytes(files["HTML"][1])
    page.goto(exported.as_uri())
    page.wait_for_selector(".js-plotly-plot .nsewdrag")
    assert "causal mask in every layer" in page.locator("body").inner_text()


def test_the_script_on_the_page_gives_the_numbers_on_the_page(page, server, settled):
    page.goto(server.at("/?layer=2&head=3&mask=causal"))
    settled(page)
    shown = heatmap(page)
    page.get_by_role("button", name="Export").click()
    scope = {}
    exec(page.get_by_test_id("stCode").inner_text(), scope)
    np.testing.assert_allclose(scope["weights"][5][:6], shown[5][:6], atol=1e-6)


@pytest.mark.parametrize("text", ["", "😀 🚀", "word " * 600])
def test_bad_sentences_are_told_and_stay_in_the_box(page, server, settled, text):
    page.goto(server.at("/"))
    settled(page)
    type_sentence(page, settled, text)
    expect(page.get_by_test_id("stAlert")).to_have_count(1)
    assert page.get_by_label("Sentence", exact=True).input_value() == text


def test_a_million_characters_are_refused_at_once(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    type_sentence(page, settled, "a" * 1_000_000)
    expect(page.get_by_test_id("stAlert")).to_contain_text("1,000,000 characters")


def test_a_bad_link_is_told_value_by_value(page, server, settled):
    page.goto(server.at("/?layer=99&mask=casual&range=rainbow&s=I+learn"))
    settled(page)
    said = page.get_by_test_id("stAlert").all_inner_texts()
    assert len(said) == 3
    assert any("no layer 99: the model has 6" in sentence for sentence in said)


@pytest.mark.parametrize("token", ["<script>", "</script>", "<b>", "&amp;", "$x$", "**b**"])
@pytest.mark.parametrize(
    ("view", "labels"),
    [
        ("heatmap", (".js-plotly-plot .y2tick text", ".js-plotly-plot .x2tick text")),
        ("lines", ("[data-side=query]", "[data-side=key]")),
    ],
)
def test_markup_is_shown_as_itself(page, server, settled, token, view, labels):
    page.goto(server.at(f"/?s={quote(f'{token} is {token}')}&view={view}"))
    settled(page)
    assert as_read(page.locator(".st-key-strip button .text")).count(token) == 2
    for side in labels:
        assert as_read(page.locator(side)).count(token) == 2
    assert page.locator(".note script, .note b:not(.k), svg script, svg b").count() == 0


def as_read(labels):
    """The sentence that labels make when read one after the other, without what cannot be seen."""
    expect(labels.first).to_be_attached()
    joined = "".join(labels.all_text_contents()).replace("##", "")
    return "".join(character for character in joined if unicodedata.category(character) != "Cf")


@pytest.mark.parametrize("width", [1440, 1280, 800])
@pytest.mark.parametrize("text", ["I learn", TEXT, LONG])
def test_nothing_sticks_out_at_any_width(page, server, settled, width, text):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(server.at(f"/?s={quote(text)}"))
    settled(page)
    sideways = page.evaluate(
        """() => { const main = document.querySelector('[data-testid="stMain"]');
                   return main.scrollWidth - main.clientWidth; }"""
    )
    assert sideways <= 0
    if text == LONG:
        ticks = page.locator(".js-plotly-plot [class$=tick] text").count() // 2
        assert 20 < ticks <= 64


def test_every_control_has_a_name_and_every_picture_an_alternative(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid="stAppViewContainer"] button, input')]
          .filter((control) => control.offsetParent && !(control.ariaLabel || control.textContent.trim()
            || control.labels?.length || control.getAttribute('aria-labelledby') || control.title))
          .map((control) => control.outerHTML.slice(0, 200))"""
    )
    assert nameless == []
    expect(page.get_by_role("application").first).to_have_attribute("aria-label", re.compile("heads", re.I))


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
    scale = dark_page.evaluate("document.querySelector('.js-plotly-plot')._fullData[0].colorscale[0][1]")
    assert str(scale).upper() == "#121417"
