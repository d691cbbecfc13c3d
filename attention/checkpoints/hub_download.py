"""Run as a program by `hub.py`: asks the model hub what it has, or downloads files of one commit from it.

Given no files, it prints a line `COMMIT …` and for each file a line `FILE <bytes> <sha256 or -> <name>`.
Given files, it prints a line `PATH …` for each, in order. Where that fails it prints one line `REASON …` and
exits with 1. Knows nothing of the rest of the package, so that it starts quickly.
"""

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

SECONDS_TO_ANSWER = 5


def main(wanted: dict[str, Any]) -> None:
    """Say what there is, or get what is wanted."""
    if wanted.get("files") is None:
        list_files(wanted["repo"])
    else:
        bring_files(wanted)


def list_files(repo: str) -> None:
    """Print the newest commit of a repository, and its files."""
    from huggingface_hub import HfApi

    found = in_time(lambda: HfApi().model_info(repo, files_metadata=True, timeout=SECONDS_TO_ANSWER))
    print("COMMIT", found.sha, flush=True)
    for file in found.siblings:
        sha256 = file.lfs.sha256 if file.lfs is not None else "-"
        print("FILE", file.size or 0, sha256, file.rfilename, flush=True)


def bring_files(wanted: dict[str, Any]) -> None:
    """Get every file, from the hub's own cache where it has them."""
    from huggingface_hub import hf_hub_download

    cached = {name: cached_path(wanted, name, n_bytes) for name, n_bytes in wanted["files"].items()}
    if not all(cached.values()):
        in_time(lambda: ask(wanted))
    for name, path in cached.items():
        path = path or hf_hub_download(
            wanted["repo"],
            name,
            revision=wanted["commit"],
            local_dir=wanted["folder"],
            cache_dir=wanted["folder"],  # else a cut file in the hub's own cache would be taken again
            etag_timeout=SECONDS_TO_ANSWER,
        )
        print("PATH", path, flush=True)


def cached_path(wanted: dict[str, Any], name: str, n_bytes: int) -> str | None:
    """Where the hub's own cache has this file, if it does."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(wanted["repo"], name, revision=wanted["commit"])
    return path if isinstance(path, str) and os.path.getsize(path) == n_bytes else None


def in_time(question: Callable[[], Any]) -> Any:
    """The hub's answer, if it comes: left to itself, `huggingface_hub` would go on trying for minutes.

    In a thread, since looking up a name can take longer than any limit one gives to a connection.
    """
    answers: list[Any] = []
    failures: list[Exception] = []

    def ask_it() -> None:
        try:
            answers.append(question())
        except Exception as error:  # handed to the thread that waits
            failures.append(error)

    asking = threading.Thread(target=ask_it, daemon=True)
    asking.start()
    asking.join(SECONDS_TO_ANSWER)
    if failures:
        raise failures[0]
    if not answers:
        raise TimeoutError
    return answers[0]


def ask(wanted: dict[str, Any]) -> Any:
    """Ask the hub about the first file."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    name = next(iter(wanted["files"]))
    url = hf_hub_url(wanted["repo"], name, revision=wanted["commit"])
    return get_hf_file_metadata(url, timeout=SECONDS_TO_ANSWER)


def reason(error: Exception) -> str:
    """Why it did not work, in a few words.

    >>> reason(TimeoutError())
    'no answer in 5 seconds'
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(getattr(error, "response", None), "status_code", None)
    if "OfflineModeIsEnabled" in kinds:
        return "HF_HUB_OFFLINE is set"
    if status is not None:
        return f"it answered with status {status}"
    if kinds & {"TimeoutError", "TimeoutException"}:
        return f"no answer in {SECONDS_TO_ANSWER} seconds"
    if kinds & {"ConnectError", "ConnectionError", "NetworkError", "TransportError"}:
        return "no connection"
    return f"{type(error).__name__}: {error}".splitlines()[0][:120]


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except Exception as error:  # told to the process that asked, whatever it is
        print("REASON", reason(error), flush=True)
        os._exit(1)  # a thread may still be waiting for an answer
