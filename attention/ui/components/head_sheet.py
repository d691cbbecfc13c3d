"""All heads of a model as small pictures on one sheet, to choose one from."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention.analysis.blocks import keys_in_blocks, queries_in_blocks
from attention.figures.labels import plain_label
from attention.figures.strips import colours
from attention.figures.theme import Palette, weight_scale
from attention.figures.thumbnails import EXPONENT
from attention.figures.thumbnails import shades as shades_of
from attention.ui.components.assets import register
from attention.ui.components.sheet_look import PLAIN, Head, SheetLook
from attention.ui.components.wire import pack, positions, ramp, told

_HTML = """<div class="root"><div class="window">
<canvas tabindex="0" role="application"></canvas><div class="frame"></div>
</div></div>
"""
_sheet = register("head_sheet", scripts=("head_sheet.js",), styles=("head_sheet.css",), html=_HTML)

_MANY_HEADS = 512


@dataclass(frozen=True, slots=True)
class _Handed:
    """What one session's sheet has been told, and what it has told us."""

    selected: Head  # the last selection that went down in the data
    stamp: str  # one for each selection handed down; the script follows a stamp it has not seen
    shown: Head  # what the sheet shows now: that selection, or a later click
    heard: int  # the time of the last click we have taken in


def pooled(weights: NDArray[np.floating[Any]], side: int = 64) -> NDArray[np.uint8]:
    """Weights [… query key] as shades, at most `side` rows and columns, keeping the largest of each block.

    >>> pooled(np.array([[0.0, 1.0], [0.1, 0.0]]), side=1)
    array([[255]], dtype=uint8)
    """
    return shades_of(queries_in_blocks(keys_in_blocks(weights, side), side))


def side_for(n_heads: int) -> int:
    """How many rows and columns a head's picture gets, given how many heads the model has in all."""
    return 64 if n_heads <= _MANY_HEADS else 32


def head_sheet(
    weights: NDArray[Any],
    *,
    selected: Head,
    heads_off: Sequence[Head] | frozenset[Head],
    notes: Sequence[Sequence[str]],
    palette: Palette,
    query_tokens: Sequence[str] = (),
    key_tokens: Sequence[str] | None = None,
    element_key: str = "sheet",
    on_pick: Callable[[Head], None] | None = None,
    look: SheetLook = PLAIN,
) -> Head:
    """The sheet of heads.

    A click moves the frame in the browser and sends two numbers; the pictures do not travel again. A
    selection goes down only when Python itself has changed it.

    Args:
        weights: [layer head query key]; or, as uint8, what `pooled` makes of them.
        selected: The head Python holds to be chosen.
        heads_off: Heads that are switched off.
        notes: A line about each head, [layer][head].
        palette: The theme.
        query_tokens: Raw tokens, for the tooltip; none to leave pairs out of it.
        key_tokens: The keys' raw tokens, where they are others.
        element_key: The component's key in the session.
        on_pick: Called with (layer, head) before the page reruns.
        look: Other colours, words or another order. Another order wants another `element_key`: what the
            browser has told is a place on the sheet.

    Returns:
        The chosen head: the one just clicked, else `selected`.
    """
    n_layers, n_heads = weights.shape[:2]
    shades = weights if weights.dtype == np.uint8 else pooled(weights, side_for(n_layers * n_heads))

    def read(value: object) -> Head | None:
        place = _place(value, n_layers, n_heads)
        return None if place is None else look.at(place, n_heads)

    state = (st.session_state.get(element_key) or {}).get("selected")
    handed, now = _agree(_memory(element_key), selected, state, read)
    st.session_state[_memory_key(element_key)] = handed
    header = {
        "palette": colours(palette),
        "ramp": ramp(look.scale or weight_scale(palette)),
        "exponent": EXPONENT,
        "element": element_key,
        "selected": look.place(handed.selected, n_heads),
        "stamp": handed.stamp,
        "heads_off": sorted(look.place(head, n_heads) for head in heads_off),
        "query_tokens": [plain_label(token) for token in query_tokens],
        "key_tokens": [plain_label(token) for token in (query_tokens if key_tokens is None else key_tokens)],
    }
    words = look.words(n_layers, n_heads, notes)
    data = pack({**header, **words}, {"shades": np.ascontiguousarray(look.arranged(shades))})
    _sheet(key=element_key, data=data, on_selected_change=told(element_key, "selected", read, on_pick))
    return now


def _agree(
    before: _Handed | None, selected: Head, state: object, read: Callable[[object], Head | None]
) -> tuple[_Handed, Head]:
    """Settle what is chosen between Python's word and the browser's, and what has to be handed down."""
    heard = _time(state)
    if before is None:
        return _Handed(selected, secrets.token_hex(4), selected, heard), selected
    clicked = read(state) if heard != before.heard else None
    now = selected if clicked is None else clicked
    shown = before.shown if clicked is None else clicked
    if now == shown:
        return _Handed(before.selected, before.stamp, shown, heard), now
    return _Handed(now, secrets.token_hex(4), now, heard), now


def _place(value: object, n_layers: int, n_heads: int) -> Head | None:
    checked = positions(value, n_layers, n_heads)
    return None if checked is None else (checked[0], checked[1])


def _time(state: object) -> int:
    """When the browser's last click was; 0 when there was none."""
    if isinstance(state, list | tuple) and len(state) == 3 and isinstance(state[2], int):
        return state[2]
    return 0


def _memory_key(element_key: str) -> str:
    return f"{element_key}:handed"


def _memory(element_key: str) -> _Handed | None:
    memory = st.session_state.get(_memory_key(element_key))
    return memory if isinstance(memory, _Handed) else None
