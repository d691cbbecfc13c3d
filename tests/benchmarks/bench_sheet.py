"""The sheet of all heads against BertViz's model view: what is sent, and when it is painted."""

from statistics import median
from time import perf_counter
from urllib.parse import urlencode

import pytest

from tests.app.screen import component, opened
from tests.benchmarks.bertviz import model_view_page, serve_scripts
from tests.benchmarks.ledger import Row, machine, verdict, write
from tests.benchmarks.painting import painted

REPEATS = 5
THEIR_REPEATS = 3


def sentence(model, n_tokens, word="the"):
    """A text of so many tokens, special ones among them."""
    text = " ".join([word] * (n_tokens - 2))
    assert len(model.tokenize(text)) == n_tokens
    return text


def their_page(model, text):
    run = model.run(text)
    attentions = [run.attention(layer).weights[None] for layer in range(run.n_layers)]
    return model_view_page(attentions, [token.text for token in run.tokens])


@pytest.mark.parametrize(("n", "part"), [(64, 20), (128, 50), (256, 200)])
def bench_bytes(minilm, n, part):
    text = sentence(minilm, n)
    theirs = len(their_page(minilm, text).encode())
    ours = component(opened(s=text, model="minilm"), "sheet").ByteSize()
    ratio = ours / theirs
    measured = f"1/{1 / ratio:.0f} ({ours / 1e3:,.0f} kB ÷ {theirs / 1e6:,.1f} MB)"
    what = f"Sheet, MiniLM, {n} tokens: bytes sent ÷ BertViz model view’s page"
    write(Row(what, f"≤ 1/{part}", "", measured, verdict(ratio, 1 / part, None), machine()))


@pytest.mark.parametrize(("n", "part"), [(64, 15), (128, 50)])
def bench_painted(minilm, page, server, settled, n, part, tmp_path):
    """Ours from Enter, the model's run included; theirs from opening a page whose numbers are in it."""
    document = tmp_path / "model_view.html"
    document.write_text(f"<!doctype html><meta charset='utf-8'>{their_page(minilm, sentence(minilm, n))}")
    theirs = [their_seconds(page, document) for _ in range(THEIR_REPEATS)]
    page.goto(server.at("/"))
    settled(page)
    ours = [typed(page, settled, sentence(minilm, n, word)) for word in WORDS[: REPEATS + 1]][1:]
    ratio = median(ours) / (1000 * median(theirs))
    measured = f"1/{1 / ratio:.1f} ({median(ours):.0f} ms ÷ {median(theirs):.1f} s)"
    what = f"Sheet, MiniLM, {n} tokens: typed → painted ÷ BertViz model view opened → painted"
    write(Row(what, f"≤ 1/{part}", "", measured, verdict(ratio, 1 / part, None), machine()))


WORDS = ("the", "a", "of", "and", "to", "in", "on", "at")


def typed(page, settled, text):
    box = page.get_by_role("textbox").first
    box.fill(text)
    taken = painted(page, "sheet", lambda: box.press("Enter"))
    settled(page)
    return taken


def their_seconds(page, document):
    """From opening the page until its last lines stand, two frames on."""
    page.route("**/*.js", serve_scripts)
    start = perf_counter()
    page.goto(document.as_uri())
    page.wait_for_function("() => document.querySelectorAll('#vis svg line').length > 0", timeout=300_000)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    taken = perf_counter() - start
    page.unroute("**/*.js")
    return taken


@pytest.mark.weights
def bench_270_heads(page, server, settled):
    text = " ".join(["the"] * 256)
    page.goto(server.at("/?" + urlencode({"s": text, "model": "smollm2", "layer": 5, "head": 3})))
    page.locator(".st-key-heatmap canvas").wait_for(timeout=300_000)  # the model opens first
    settled(page)
    canvas = page.locator(".st-key-sheet canvas").first
    times = []
    for number in range(REPEATS + 1):
        at = square(canvas.bounding_box()["width"], layer=5, head=4 + number % 2)
        times.append(painted(page, "heatmap", lambda at=at: canvas.click(position=at)))
        settled(page)
    taken = median(times[1:])
    what = "SmolLM2’s 270 heads, 256 tokens: click → painted"
    write(Row(what, "≤ 300 ms", "150 ms", f"{taken:.0f} ms", verdict(taken, 300, 150), machine()))


def square(width, layer, head, n_heads=9):
    """The middle of a head's square on the sheet: squares lie in rows right of 28 and below 20 pixels."""
    pitch = (width - 32) / n_heads
    return {"x": 28 + (head + 0.4) * pitch, "y": 20 + (layer + 0.4) * pitch}
