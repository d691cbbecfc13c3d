"""Calling off a run that takes long: it ends on the server too, and may be asked for again."""

import json

import pytest
from playwright.sync_api import expect
from safetensors.torch import save_file

from tests.browser.explore import type_sentence
from tests.browser.serving import running_server
from tests.toys import toy

N_TOKENS, FAR = 8192, 6
# So many layers that a fast machine is not through before a click has reached it; measuring takes far longer.
READING, MEASURING = 96, 24
SIZES = {"n_heads": 8, "n_kv_heads": 8, "d_model": 16, "d_head": 16, "d_value": 16, "n_positions": N_TOKENS}

HOW_FAR = """(n) => {
  const found = document.body.innerText.match(new RegExp(`(\\\\d+) of ${n}\\\\b`));
  return found && {done: Number(found[1])};
}"""


@pytest.fixture
def fresh_server(tmp_path, request):
    """Started with a toy of some layers that takes ids, and its time."""
    model = toy(positions=False, n_layers=request.param, **SIZES)
    (tmp_path / "config.json").write_text(json.dumps(dict(model.checkpoint.config)))
    # Smaller than a toy's, or what so many layers without a norm add up to is no longer finite.
    tensors = {name: 0.1 * tensor.float() for name, tensor in model.checkpoint.tensors.items()}
    save_file(tensors, tmp_path / "model.safetensors")
    with running_server(str(tmp_path)) as running:
        yield running


def layers_done(page, n_layers, at_least=0):
    """How many layers the bar says are done, as soon as it says so many."""
    enough = f"(n) => {{ const far = ({HOW_FAR})(n); return far && far.done >= {at_least} && far; }}"
    return page.wait_for_function(enough, arg=n_layers, timeout=120_000).json_value()["done"]


@pytest.mark.parametrize("fresh_server", [READING], indirect=True)
def test_cancel_ends_the_run_and_it_may_be_begun_anew(page, fresh_server, settled):
    page.goto(fresh_server.at("/?layer=0&head=0"))
    settled(page)
    type_sentence(page, settled, "1 2 " * (N_TOKENS // 2))
    begin = page.get_by_role("button", name=f"Read all {N_TOKENS:,} tokens")
    cancel = page.get_by_role("button", name="Cancel")
    begin.click()
    before = layers_done(page, READING, at_least=FAR)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_hidden()  # the page would end halfway
    # It has the focus still: seen beside "Cancel", it would go when that is clicked, and move it.
    expect(begin).to_be_hidden()
    cancel.click()
    settled(page)
    expect(begin).to_be_visible()
    expect(cancel).to_have_count(0)
    assert page.locator(".st-key-strip button").count() == 0, "nothing was read"
    begin.click()
    anew = layers_done(page, READING)
    assert anew < FAR <= before, "what was called off did not go on"
    cancel.click()
    settled(page)
    expect(begin).to_be_visible()


@pytest.mark.parametrize("fresh_server", [MEASURING], indirect=True)
def test_cancel_ends_the_measuring_of_all_heads_too(page, fresh_server, settled):
    page.goto(fresh_server.at("/heads?layer=0&head=0"))
    settled(page)
    type_sentence(page, settled, "1 2 " * 1024)
    begin = page.get_by_role("button", name="Measure all heads")
    read = page.get_by_role("button", name="Read all 2,048 tokens")  # asked for on a machine that is busy
    expect(begin.or_(read)).to_be_visible()
    if read.is_visible():
        read.click()
        expect(begin).to_be_visible(timeout=60_000)
    cancel = page.get_by_role("button", name="Cancel")
    begin.click()
    before = layers_done(page, MEASURING, at_least=FAR)
    cancel.click()
    settled(page)
    expect(begin).to_be_visible()
    expect(cancel).to_have_count(0)
    assert page.get_by_role("application").count() == 0, "nothing was measured"
    begin.click()
    assert layers_done(page, MEASURING) < FAR <= before, "what was called off did not go on"
    cancel.click()
    settled(page)
    expect(begin).to_be_visible()


@pytest.mark.parametrize("fresh_server", [READING], indirect=True)
def test_another_reader_s_page_waits_says_so_and_stays_in_its_place(page, dark_page, fresh_server, settled):
    for reader in (page, dark_page):
        reader.goto(fresh_server.at("/?layer=0&head=0"))
        settled(reader)
    type_sentence(page, settled, "1 2 " * (N_TOKENS // 2))
    page.get_by_role("button", name=f"Read all {N_TOKENS:,} tokens").click()
    layers_done(page, READING)
    title, box = dark_page.locator("h1"), dark_page.get_by_label("Sentence", exact=True)
    stood = title.bounding_box()
    box.fill("1 2 " * 128)
    box.press("Enter")
    note = dark_page.get_by_text("Waiting for other long work to end: 1 before this page")
    expect(note).to_be_visible()
    assert title.bounding_box() == stood
    page.get_by_role("button", name="Cancel").press("Enter")
    # Its sheet of so many layers takes its time and is nothing to wait for here.
    expect(dark_page.locator(".st-key-strip button")).to_have_count(256, timeout=60_000)
    expect(note).to_have_count(0)
