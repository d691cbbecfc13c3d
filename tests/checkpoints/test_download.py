import subprocess
import sys
import time

import pytest

from attention.checkpoints.download import run_downloader
from attention.checkpoints.store import SourceError


def python(code):
    return [sys.executable, "-c", code]


def test_what_it_says_and_how_it_ends(tmp_path):
    code = "import os, sys; print('out·'); sys.stdout.flush(); sys.stderr.write(os.environ['X']); sys.exit(3)"
    ended, said = run_downloader(python(code), tmp_path, lambda n_bytes: None, environment={"X": "err"})
    assert (ended, said.split()) == (3, ["out·", "err"])


def test_temporary_files_land_where_they_are_counted(tmp_path):
    code = "import tempfile; print(tempfile.gettempdir())"
    assert run_downloader(python(code), tmp_path, lambda n_bytes: None)[1].strip() == str(tmp_path)


def test_where_nothing_comes_it_is_ended(tmp_path):
    started = time.monotonic()
    with pytest.raises(SourceError, match="nothing came for 0 seconds"):
        run_downloader(python("import time; time.sleep(600)"), tmp_path, lambda n_bytes: None, idle=0.3)
    assert time.monotonic() - started < 300


def test_what_comes_slowly_is_not_ended(tmp_path):
    """Five bytes, each well within the limit, all of them together far beyond it."""
    code = (
        f"import time\nfor i in range(5): time.sleep(0.6); open({str(tmp_path / 'file')!r}, 'ab').write(b'x')"
    )
    seen = []
    assert run_downloader(python(code), tmp_path, seen.append, idle=2.0) == (0, "")
    assert sorted(seen) == seen
    assert seen[-1] >= 4


def test_it_does_not_outlive_an_interruption(tmp_path, monkeypatch):
    processes = []
    plain = subprocess.Popen

    def start(*arguments, **named):
        processes.append(plain(*arguments, **named))
        return processes[-1]

    def interrupt(n_bytes):
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(KeyboardInterrupt):
        run_downloader(python("import time; time.sleep(600)"), tmp_path, interrupt)
    assert processes[0].returncode is not None


def test_a_program_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match=r"/nowhere/python could not be started: No such file"):
        run_downloader(["/nowhere/python"], tmp_path, lambda n_bytes: None)
