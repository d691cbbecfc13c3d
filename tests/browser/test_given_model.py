"""A server that was started with a model of the reader's own."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.app.translators import write
from tests.browser.serving import running_server


@pytest.fixture
def fresh_server(tmp_path):
    """Started with a folder that holds a tiny translator."""
    with running_server(str(write(tmp_path, "tiny marian"))) as running:
        yield running


def test_it_opens_across_and_a_click_on_the_source_chooses_the_key(page, fresh_server, settled):
    link = "/?s=the+dog+sat+.&target=der+Hund&site=cross&layer=1&head=1&query=2&key=0"
    page.goto(fresh_server.at(link))
    settled(page)
    expect(page.get_by_text("Source, read by the encoder")).to_be_visible()
    source, target = page.locator(".st-key-strip button .text").all_inner_texts()[:5], ["der", "Hund"]
    assert source == ["the", "dog", "sat", ".", "</s>"]
    assert page.locator(".st-key-strip button .text").all_inner_texts()[6:8] == target
    page.locator(".st-key-strip button", has_text="sat").click()
    settled(page)
    address = parse_qs(urlsplit(page.url).query)
    assert (address["query"], address["key"], address["site"]) == (["2"], ["2"], ["cross"])
    assert "model" not in address
    expect(page.get_by_text("Hund looks at sat")).to_be_visible()
