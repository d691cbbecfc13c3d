"""Run as a program by `hub.py`: downloads files of one commit from the model hub.

Prints a line `PATH …` for each file, in order, or one line `REASON …` and exits with 1. Knows nothing of the
rest of the package, so that it starts quickly.
"""

import json
import os
import sys
import threading
from typing import Any

SECONDS_TO_ANSWER = 5


def main(wanted: dict[str, Any]) -> None:
    """Get every file, from the hub's own cache where it has them."""
    from huggingface_hub import hf_hub_download

    cached = {name: cached_path(wanted, name, n_bytes) for name, n_bytes in wanted["files"].items()}
    if not all(cached.values()):
        wait_for_answer(wanted)
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


def wait_for_answer(wanted: dict[str, Any]) -> None:
    """See that the hub is there: left to itself, `huggingface_hub` would go on trying for minutes.

    In a thread, since looking up a name can take longer than any limit one gives to a connection.
    """
    failures: list[Exception] = []
    asking = threading.Thread(target=ask, args=(wanted, failures), daemon=True)
    asking.start()
    asking.join(SECONDS_TO_ANSWER)
    if asking.is_alive():
        raise TimeoutError
    if failures:
        raise failures[0]


def ask(wanted: dict[str, Any], failures: list[Exception]) -> None:
    """Ask the hub about the first file."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    name = next(iter(wanted["files"]))
    try:
        get_hf_file_metadata(
            hf_hub_url(wanted["repo"], name, revision=wanted["commit"]), timeout=SECONDS_TO_ANSWER
        )
    except Exception as error:  # handed to the thread that waits
        failures.append(error)


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
