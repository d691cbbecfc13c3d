"""Readers without a browser: they open the app, press its causal toggle once a second, time the answer."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from urllib.request import urlopen

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

TOGGLE = "control.causal"


@dataclass
class Found:
    """What all readers met.

    Attributes:
        seconds: From a toggle to the last byte of its answer.
        errors: Exceptions, runs that did not end well, or answers that do not say what was toggled.
        bytes_a_reader: What the server grew by, over the number of readers.
    """

    seconds: list[float] = field(default_factory=list)
    errors: int = 0
    bytes_a_reader: float = 0.0


def resident(pid: int) -> int:
    """Bytes of memory that a process and its children hold."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(lines["Pid"]) == pid or int(lines["PPid"]) == pid:
            total += int(lines.get("VmRSS", "0").split()[0]) << 10
    return total


class Reader:
    """One session over the page's own protocol."""

    def __init__(self, socket):
        self._socket = socket
        self._toggle = ""
        self._says_causal = False
        self.errors = 0

    async def run(self, causal: bool | None = None) -> float:
        """Ask for a run of the page and read its answer; seconds."""
        asked = BackMsg()
        asked.rerun_script.query_string = ""
        if causal is not None:
            if not self._toggle:
                raise AssertionError(f"the page has no toggle {TOGGLE}")
            state = asked.rerun_script.widget_states.widgets.add()
            state.id, state.bool_value = self._toggle, causal
        self._says_causal = False
        start = perf_counter()
        await self._socket.send(asked.SerializeToString())
        while not await self._finished():
            pass
        taken = perf_counter() - start
        self.errors += self._says_causal != bool(causal)
        return taken

    async def _finished(self) -> bool:
        message = ForwardMsg()
        message.ParseFromString(await asyncio.wait_for(self._socket.recv(), 120))
        element = message.delta.new_element if message.HasField("delta") else None
        if element is not None and element.HasField("checkbox") and element.checkbox.id.endswith(TOGGLE):
            self._toggle = element.checkbox.id
        if element is not None and element.HasField("html"):
            self._says_causal |= "causal mask in every layer" in element.html.body
        self.errors += element is not None and element.HasField("exception")
        if message.WhichOneof("type") != "script_finished":
            return False
        self.errors += message.script_finished not in (
            ForwardMsg.FINISHED_SUCCESSFULLY,
            ForwardMsg.FINISHED_EARLY_FOR_RERUN,
        )
        return message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY


async def _read(url: str, n_toggles: int, delay: float, found: Found, together: asyncio.Barrier) -> None:
    """One reader's visit; it stays until all have finished and the server has been weighed."""
    options = {"subprotocols": ["streamlit"], "max_size": None, "open_timeout": 60}
    async with websockets.connect(f"{url.replace('http', 'ws')}/_stcore/stream", **options) as socket:
        reader = Reader(socket)
        await reader.run()
        await asyncio.sleep(delay)
        for number in range(n_toggles):
            taken = await reader.run(causal=number % 2 == 0)
            found.seconds.append(taken)
            await asyncio.sleep(max(0.0, 1 - taken))
        found.errors += reader.errors
        await together.wait()
        await together.wait()


async def _visit(url: str, n_readers: int, n_toggles: int) -> tuple[Found, int]:
    """What so many readers at once meet, and the server's bytes while they are all there."""
    found, together = Found(), asyncio.Barrier(n_readers + 1)
    readers = [
        asyncio.create_task(_read(url, n_toggles, at / n_readers, found, together)) for at in range(n_readers)
    ]
    finished = asyncio.create_task(together.wait())
    await asyncio.wait([finished, *readers], return_when=asyncio.FIRST_COMPLETED)
    if not finished.done():
        await asyncio.gather(*readers)  # raises what a reader met; the others would wait for it for ever
    held = resident(_pid_on(url))
    await together.wait()
    await asyncio.gather(*readers)
    return found, held


def twenty_readers(server, *, n_readers: int, n_toggles: int) -> Found:
    """So many readers at once, spread over the second; one reader loads the model beforehand."""
    with urlopen(server.at("/"), timeout=30):
        pass
    _, alone = asyncio.run(_visit(server.url, 1, 4))
    found, together = asyncio.run(_visit(server.url, n_readers, n_toggles))
    found.bytes_a_reader = max(0, together - alone) / (n_readers - 1)
    return found


def _pid_on(url: str) -> int:
    """The process that serves an address: its command names the port."""
    port = url.rsplit(":", 1)[-1]
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = command.read_bytes().decode(errors="replace").split("\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if "streamlit" in words and port in words:
            return int(command.parent.name)
    raise AssertionError(f"no server on port {port}")
