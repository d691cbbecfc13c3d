"""How soon the page answers: a typed sentence, a toggle, many readers at once, a fresh server."""

import os
import subprocess
import sys
from statistics import median, quantiles
from time import monotonic, perf_counter, sleep
from urllib.error import URLError
from urllib.request import urlopen

from tests.benchmarks.ledger import Row, machine, verdict, write
from tests.benchmarks.painting import painted
from tests.benchmarks.readers import resident, twenty_readers
from tests.browser.serving import ROOT, free_port

REPEATS = 9
SENTENCES = tuple(
    f"The {noun} approved the {other} of the {noun} again." for noun, other in
    (("bank", "loan"), ("cat", "dog"), ("king", "law"), ("crew", "plan"), ("team", "idea"), ("court", "case"),
     ("jury", "vote"), ("club", "name"), ("school", "book"), ("board", "deal"))
)  # fmt: skip


def bench_typing(minilm, page, server, settled):
    assert {len(minilm.tokenize(text)) for text in SENTENCES} == {12}
    page.goto(server.at("/"))
    settled(page)
    times = []
    for text in SENTENCES:
        box = page.get_by_role("textbox").first
        box.fill(text)
        times.append(painted(page, "heatmap", lambda box=box: box.press("Enter")))
        settled(page)
    taken = median(times[1:])
    what = "A new 12-token sentence typed → heatmap painted, MiniLM, model loaded"
    write(Row(what, "≤ 400 ms", "250 ms", f"{taken:.0f} ms", verdict(taken, 400, 250), machine()))


def bench_toggle(page, server, settled):
    page.goto(server.at("/"))
    settled(page)
    switch = page.get_by_test_id("stSidebar").get_by_text("Causal", exact=False).first
    times = []
    for _ in range(REPEATS + 1):
        times.append(painted(page, "heatmap", switch.click))
        settled(page)
    taken = median(times[1:])
    what = "Mask toggle → heatmap painted, MiniLM, 12 tokens"
    write(Row(what, "≤ 200 ms", "100 ms", f"{taken:.0f} ms", verdict(taken, 200, 100), machine()))


def bench_twenty_sessions(fresh_server):
    """Readers without a browser: they speak the page's own protocol, so that only the server is measured."""
    urlopen(fresh_server.at("/_stcore/health"), timeout=5)
    found = twenty_readers(fresh_server, n_readers=20, n_toggles=15)
    p95 = 1000 * quantiles(found.seconds, n=20)[-1]
    grown = found.bytes_a_reader / 1e6
    measured = f"p95 {p95:.0f} ms, {found.errors} errors, {grown:.1f} MB a session"
    met = verdict(p95, 500, 250) if not found.errors and grown < 5 else "no"
    what = "20 sessions at once, a toggle a second each → answered in full"
    write(Row(what, "p95 ≤ 500 ms, no error, < 5 MB a session", "250 ms", measured, met, machine()))


def bench_server_start(page):
    times = [started(page) for _ in range(3)]
    taken = median(times)
    what = "Server start → first heatmap painted, model cached"
    write(Row(what, "≤ 6 s", "4 s", f"{taken:.1f} s", verdict(taken, 6, 4), machine()))


def started(page):
    """Seconds from the command to the first heatmap."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    begin = perf_counter()
    process = subprocess.Popen(
        [*command, "--server.headless", "true"], cwd=ROOT, env=dict(os.environ), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until_answering(f"http://127.0.0.1:{port}")
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_function("() => window.paints.heatmap > 0", timeout=120_000)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert resident(process.pid) > 0
        return perf_counter() - begin
    finally:
        process.terminate()
        process.wait(20)


def wait_until_answering(url):
    give_up = monotonic() + 120
    while monotonic() < give_up:
        try:
            with urlopen(f"{url}/_stcore/health", timeout=5):
                return
        except (URLError, OSError):
            sleep(0.02)
    raise AssertionError("the server did not start")
