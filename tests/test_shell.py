"""What surrounds the code: the server's headers and settings, the pins, and what the README says of them."""

import importlib
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from attention.ui.headers import INDEX, SecurityHeaders, content_security_policy, inline_script_hashes

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ("requirements.txt", "requirements-dev.txt")
PIN = re.compile(r"([A-Za-z0-9_-]+)==\d+(\.\d+)+")


def pins(name):
    lines = (ROOT / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-r "))]


def config():
    return tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))


def answer(kind="http"):
    """What the middleware lets out for an app that answers with one header of its own.

    The coroutine never waits for anything, so one step runs it whole, without an event loop.
    """
    sent = []

    async def app(scope, receive, send):
        await send({"type": f"{kind}.response.start", "status": 200, "headers": [(b"x-own", b"1")]})
        await send({"type": f"{kind}.response.body", "body": b"hello"})

    async def send(message):
        sent.append(message)

    with pytest.raises(StopIteration):
        SecurityHeaders(app)({"type": kind}, None, send).send(None)
    return sent


def policy(html):
    return dict(directive.split(" ", 1) for directive in content_security_policy(html).split("; "))


def test_every_answer_has_the_security_headers_and_keeps_its_own():
    start, body = answer()
    headers = dict(start["headers"])
    assert headers[b"x-own"] == b"1"
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert headers[b"referrer-policy"] == b"no-referrer"
    assert headers[b"content-security-policy"] == content_security_policy(INDEX.read_text("utf-8")).encode()
    assert body["body"] == b"hello"


def test_a_web_socket_passes_untouched():
    assert answer("websocket")[0]["headers"] == [(b"x-own", b"1")]


def test_no_script_may_be_evaluated_or_come_from_elsewhere():
    sources = policy("<script>x</script>")["script-src"].split()
    assert sources[:2] == ["'self'", "blob:"]
    assert sources[2].startswith("'sha256-")
    assert len(sources) == 3


def test_no_other_host_is_named_and_nobody_may_frame_the_page():
    rules = policy("")
    assert rules["default-src"] == rules["frame-ancestors"] == "'self'"
    assert rules["object-src"] == "'none'"
    allowed = {source for sources in rules.values() for source in sources.split()}
    assert allowed == {"'self'", "'none'", "'unsafe-inline'", "blob:", "data:"}


def test_each_inline_script_of_streamlits_own_page_is_admitted():
    html = INDEX.read_text("utf-8")
    assert len(inline_script_hashes(html)) == len(re.findall(r"<script(?![^>]*\bsrc=)[^>]*>", html)) > 0


@pytest.fixture
def server(monkeypatch):
    """The module that `streamlit run` reads, with Streamlit's note of its path taken back afterwards."""
    monkeypatch.setattr("streamlit.config._main_script_path", str(ROOT / "app.py"))
    return importlib.import_module("app")


def test_the_server_is_the_entry_script_with_headers_and_gzip(server):
    assert server.app._resolve_script_path() == ROOT / "attention" / "ui" / "main.py"
    layers = [layer.cls.__name__ for layer in server.app._user_middleware]
    assert layers == ["SecurityHeaders", "GZipMiddleware"]


@pytest.mark.parametrize("headless", [True, False])
def test_the_browser_opens_where_there_is_one(server, monkeypatch, headless):
    opened = []
    options = {"server.headless": headless, "server.port": 8612}
    monkeypatch.setattr(server.st, "get_option", options.get)
    monkeypatch.setattr(server, "open_when_ready", lambda port: opened.append(port()))
    with pytest.raises(StopIteration):
        server.open_browser(server.app).__aenter__().send(None)
    assert opened == ([] if headless else [8612])


def test_nothing_is_reported_and_nobody_is_let_in_unasked():
    settings = config()
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["server"]["showEmailPrompt"] is False
    assert settings["server"]["address"] == settings["browser"]["serverAddress"] == "localhost"
    assert settings["server"]["maxUploadSize"] == 64
    assert settings["server"]["fileWatcherType"] == "none"
    assert settings["client"]["showErrorDetails"] == "none"


def test_streamlit_knows_every_setting():
    from streamlit.config import get_config_options

    known = get_config_options()
    settings = [
        f"{section}.{name}"
        for section, options in config().items()
        for name, value in options.items()
        if not isinstance(value, dict)
    ]
    assert not [name for name in settings if name not in known]


def made_with(folder, script):
    """What make says when the only Python it may use is this script; it must fail."""
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    command = ["make", f"PYTHON={python}", f"VENV={folder / 'venv'}", f"{folder / 'venv'}/made.stamp"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode
    assert not (folder / "venv" / "made.stamp").exists()
    return result.stderr


def test_make_tells_an_old_python_from_the_one_it_needs(tmp_path):
    said = made_with(tmp_path, 'case "$2" in *version_info*) exit 1;; *) echo 3.8.18;; esac')
    assert f"needs Python 3.11 or newer and {tmp_path}/python is 3.8.18:" in said


def test_make_says_what_to_install_where_no_environment_can_be_made(tmp_path):
    assert "install python3-venv" in made_with(
        tmp_path, 'case "$*" in *venv*) exit 1;; *) echo 3.12.1;; esac'
    )


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_every_requirement_is_pinned_exactly(name):
    assert pins(name)
    assert not [line for line in pins(name) if not PIN.fullmatch(line)]


def test_torch_is_asked_for_in_one_way():
    """The Makefile and the README install it first and alone, and the rest must not replace it."""
    torch = next(line for line in pins("requirements.txt") if line.startswith("torch=="))
    readme = (ROOT / "README.md").read_text("utf-8")
    assert set(re.findall(r"torch==[\d.]+", readme)) == {torch}


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_the_readme_gives_a_reason_for_each_dependency(name):
    """A row of the table of dependencies: its name, and something beside it."""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    explained = {
        name for names, reason in rows if len(reason) > 10 for name in re.findall(r"`([\w-]+)`", names)
    }
    assert not [line for line in pins(name) if line.split("==")[0] not in explained]
