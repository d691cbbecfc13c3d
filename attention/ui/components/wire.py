"""What goes to the browser and what comes back.

Streamlit carries raw bytes only as a component's whole data, so words and matrices travel as one value:
a header length, a JSON header, the arrays. What comes back is checked here, whoever sent it.
"""

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention.figures.theme import Scale, lut

T = TypeVar("T")

_KINDS = ("float32", "uint8")


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Words and arrays as one bytes value; the script's `unpack` reads it.

    Args:
        header: Anything JSON can hold. The key "arrays" is ours.
        arrays: float32 or uint8, in the shapes the script expects.
    """
    table, body = {}, bytearray()
    for name, array in arrays.items():
        if array.dtype.name not in _KINDS:
            raise TypeError(f"{name} is {array.dtype.name}; scripts read {' and '.join(_KINDS)}")
        table[name] = {"dtype": array.dtype.name, "shape": array.shape, "offset": len(body)}
        body += _padded(array.tobytes(), b"\0")
    words = _padded(json.dumps({**header, "arrays": table}).encode("ascii"), b" ")
    return struct.pack("<I", len(words)) + words + bytes(body)


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a packed value, as the script sees them."""
    (length,) = struct.unpack_from("<I", data)
    header: dict[str, Any] = json.loads(data[4 : 4 + length])
    table = header.pop("arrays")
    arrays = {
        name: np.frombuffer(
            data, entry["dtype"], int(np.prod(entry["shape"])), 4 + length + entry["offset"]
        ).reshape(entry["shape"])
        for name, entry in table.items()
    }
    return header, arrays


def _padded(data: bytes, filler: bytes) -> bytes:
    return data + filler * (-len(data) % 4)


def ramp(scale: Scale) -> str:
    """A colour scale as the scripts read it: 256 colours in hex, without separators."""
    return "".join(lut(scale)).replace("#", "")


def position(value: object, n: int) -> int | None:
    """A position below n, or None for anything else.

    >>> position(3, 12), position(12, 12), position("3", 12), position(True, 12)
    (3, None, None, None)
    """
    return value if type(value) is int and 0 <= value < n else None


def positions(value: object, *sizes: int) -> tuple[int, ...] | None:
    """As many positions as there are sizes, each below its size, or None.

    >>> positions([2, 5], 6, 12), positions([2, 12], 6, 12), positions(None, 6, 12)
    ((2, 5), None, None)
    """
    if not isinstance(value, list | tuple) or len(value) < len(sizes):
        return None
    checked = [position(entry, n) for entry, n in zip(value, sizes, strict=False)]
    return None if None in checked else tuple(entry for entry in checked if entry is not None)


def told(
    element_key: str, event: str, read: Callable[[object], T | None], on_pick: Callable[[T], None] | None
) -> Callable[[], None]:
    """A Streamlit callback that hands what was picked, once checked, to `on_pick`, before the page reruns."""

    def callback() -> None:
        said = (st.session_state.get(element_key) or {}).get(event)
        _note_time(element_key, said)  # now, since a run that is cut short forgets it
        picked = read(said)
        if on_pick is not None and picked is not None:
            on_pick(picked)

    return callback


def heard(element_key: str) -> int | None:
    """The time of the last pick we have taken in: the script knows by it which of its picks this answers."""
    _note_time(element_key, (st.session_state.get(element_key) or {}).get("picked"))
    last = st.session_state.get(f"{element_key}:heard")
    return last if isinstance(last, int) else None


def _note_time(element_key: str, said: object) -> None:
    match said:
        case [_, _, int(time)]:
            st.session_state[f"{element_key}:heard"] = time
