"""Everything that Explore's menu gives, opened and held to the page."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.explore import (
    heatmap,
)
from tests.export.reading import pdf_texts


def download(page, name):
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    found = waiting.value
    return found.suggested_filename, Path(found.path()).read_bytes()


@pytest.mark.parametrize(("path", "first", "file"), [
    ("/?query=7", "This head", r"headlight_minilm_L4_H4_weights\.csv"),
    ("/worked-example", "PNG", r"headlight_worked-example.*\.csv"),
    ("/cost", "PNG", r"headlight_cost-.*\.csv"),
])  # fmt: skip
def test_the_keyboard_alone_takes_a_file(page, server, settled, path, first, file):
    page.goto(server.at(path))
    settled(page)
    page.get_by_role("button", name="Export").first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text(first, exact=True).last).to_be_visible()
    page.wait_for_function("(text) => document.activeElement.textContent.trim() === text", arg=first)
    while page.evaluate("document.activeElement.textContent.trim()") != "CSV":
        page.keyboard.press("Tab")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert re.fullmatch(file, waiting.value.suggested_filename)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Export").first).to_be_focused()


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
    np.testing.assert_allclose(numbers[7][:8], shown[7][:8], atol=5e-5)

    arrays = np.load(io.BytesIO(files["NPZ"][1]), allow_pickle=False)
    np.testing.assert_allclose(arrays["weights"][4][7][:8], shown[7][:8], atol=5e-5)
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
    np.testing.assert_allclose(scope["weights"][5][:6], shown[5][:6], atol=5e-5)
