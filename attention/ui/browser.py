"""Opens the reader's browser once the server answers: earlier, the page would be an error."""

import threading
import time
import webbrowser
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException

TRIES = 150
PAUSE_SECONDS = 0.2


def open_when_ready(port: Callable[[], int]) -> threading.Thread:
    """Open the page in a thread of its own, which gives up after half a minute.

    Args:
        port: Where the server listens; asked before each try.
    """
    thread = threading.Thread(target=_open, args=(port,), daemon=True)
    thread.start()
    return thread


def _open(port: Callable[[], int]) -> None:
    for _ in range(TRIES):
        if _answers(at := port()):
            webbrowser.open(f"http://localhost:{at}")
            return
        time.sleep(PAUSE_SECONDS)


def _answers(port: int) -> bool:
    connection = HTTPConnection("localhost", port, timeout=1)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
