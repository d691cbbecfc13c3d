"""Long texts: what one will cost is told before; meanwhile one sees how far it is, and may call it off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar

import streamlit as st

from attention.analysis import strips
from attention.analysis.estimate import cost
from attention.checkpoints.memory import machine_bytes
from attention.checkpoints.sizes import readable
from attention.engine.trace import AttentionTrace
from attention.errors import InputError
from attention.model import Model
from attention.run import Run
from attention.sites import Site, SiteRun
from attention.ui import cache, sheets
from attention.ui.asked import Asked
from attention.ui.loading import CancelledError, Loading
from attention.ui.overview import PLAIN, Overview, Sheet
from attention.ui.scene import Scene
from attention.ui.turns import all_cores

SHORT = 1024
"""Tokens of the longest text that is read, and whose heads are all drawn, without a word."""

ASK_SECONDS = 5.0
"""What takes longer is begun when the reader says so."""

TRIES = 8
"""The quickest of so many trials counts: the first finds caches cold, and others may be at work."""

T = TypeVar("T")
_ALLOWED, _TOLD, _STOPPED = "long.allowed", "long.told", "long.stopped"


@dataclass(frozen=True)
class Work:
    """Something that goes through all weights of a text.

    Attributes:
        doing: What is done with all heads, such as "Drawing".
        passes: How often it goes through them, reckoned in trials.
        button: How the reader says so.
    """

    doing: str
    passes: int
    button: str


DRAWING = Work("Drawing", 2, "Draw all heads")
CHECKING = Work("Drawing and checking", 4, "Draw all heads")


@dataclass(frozen=True)
class _Offer:
    """Something that takes a while: what it costs, how it is begun, and what the reader allows by that."""

    key: object
    cost: str
    button: str


def read(asked: Asked, on_wait: Callable[[], object] = lambda: None) -> Run:
    """A run that may be long. Stops the page where the reader has to be asked, or has called it off.

    Args:
        asked: The run.
        on_wait: Called before the reader is asked and before a bar is shown: the page may end there.

    Raises:
        AttentionError: The text or a setting is one the model cannot take, or the machine has no room for it.
    """
    found = cache.found_run(asked)
    if found is not None:
        return found
    model = cache.model(asked.model, shuffled=asked.shuffled)
    n = max(len(model.tokenize(asked.text, asked.pair)), asked.pad or 0)
    if n <= SHORT or n > (model.encoder_config or model.config).n_positions:
        return cache.run(asked)
    offer = _offer(model, asked, n)
    on_wait()
    if offer is not None and not _allowed(offer):
        _ask(offer)
        st.stop()
    run = _watched(cache.begin_run(asked), asked.untouched)
    if run is None:
        st.stop()
    return run


def overview_if_made(scene: Scene, site: Site) -> Overview | None:
    """All heads of one kind of attention at a glance; None where that takes a while and nobody has asked."""
    of = SiteRun(scene.run, site)
    short = max(len(of.queries), len(of.keys)) <= SHORT
    return cache.overview(scene.asked, site) if short else cache.found_overview(scene.asked, site)


def overview(scene: Scene) -> Overview | None:
    """All heads at a glance; None where the reader has to be asked first, and has been."""
    key = (scene.asked, scene.view.site)
    found = overview_if_made(scene, scene.view.site)
    if found is not None:
        return found
    wait_for(key, scene, CHECKING, lambda: cache.begin_overview(*key))
    return None


def sheet_if_made(scene: Scene) -> Sheet | None:
    """All heads as the reader wants them drawn; None where that takes a while and nobody has asked."""
    how, site = sheets.drawn(scene.site, scene.view), scene.view.site
    if how == PLAIN:
        return overview_if_made(scene, site)
    short = max(len(scene.site.queries), len(scene.site.keys)) <= SHORT
    return sheets.sheet(scene.asked, site, how) if short else sheets.found_sheet(scene.asked, site, how)


def sheet(scene: Scene) -> Sheet | None:
    """The same; None where the reader has to be asked first, and has been."""
    if overview(scene) is None:
        return None
    found = sheet_if_made(scene)
    if found is None:
        key = (scene.asked, scene.view.site, sheets.drawn(scene.site, scene.view))
        wait_for(key, scene, DRAWING, lambda: sheets.begin_sheet(*key))
    return found


def wait_for(key: object, scene: Scene, work: Work, begin: Callable[[], Loading[Any]]) -> None:
    """Begin when the reader says so, where that takes a while; the page is drawn anew when it is made.

    Args:
        key: What is made; what the reader has allowed is remembered by it.
        scene: The view that it is made of.
        work: What it is in words.
        begin: Begins it.
    """
    n_heads, seconds = scene.site.n_layers * scene.site.n_heads, work.passes * _told_once(key, scene)
    told = f"{work.doing} all {n_heads} heads of this text takes about {_time(seconds)}."
    offer = _Offer(key, told, work.button)
    if (seconds > ASK_SECONDS or _stopped(key)) and not _allowed(offer):
        _ask(offer)
    elif _watched(begin(), key) is not None:
        st.rerun()  # what stands above waits for it too: the checks, the files


def _offer(model: Model, asked: Asked, n: int) -> _Offer | None:
    """What reading costs; None where it takes no time worth speaking of."""
    price = cost(model, n)
    has = machine_bytes()
    if has is not None and price.peak_bytes > has:
        raise InputError(
            f"Reading {n:,} tokens takes {readable(price.peak_bytes)} of memory, and this machine has "
            f"{readable(has)}."
        )
    seconds = cache.rates(asked.model).seconds(price)
    if seconds <= ASK_SECONDS and not _stopped(asked.untouched):
        return None
    needs = f"about {_time(seconds)} and {readable(price.peak_bytes)} of memory on this machine"
    return _Offer(asked.untouched, f"Reading {n:,} tokens takes {needs}.", f"Read all {n:,} tokens")


def _told_once(key: object, scene: Scene) -> float:
    """The same estimate while the reader makes up their mind: a trial comes out differently each time."""
    told = st.session_state.get(_TOLD)
    if told is None or told[0] != key:
        told = st.session_state[_TOLD] = (key, _seconds_a_pass(scene))
    return float(told[1])


def _seconds_a_pass(scene: Scene) -> float:
    """How long it takes to go through all weights, by a trial on the held rows of the chosen head."""
    each = min(_timed(scene.one) for _ in range(TRIES)) / scene.one.n_queries
    return each * len(scene.site.queries) * scene.site.n_heads * scene.site.n_layers


def _timed(held: AttentionTrace) -> float:
    with all_cores():
        start = perf_counter()
        strips.entropies(held)
        return perf_counter() - start


def _allowed(offer: _Offer) -> bool:
    return offer.key in st.session_state.get(_ALLOWED, ())


def _stopped(key: object) -> bool:
    """Whether the reader has called it off: it is not begun again without a word, however quick it is."""
    return key in st.session_state.get(_STOPPED, ())


def _ask(offer: _Offer) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(offer.cost, icon=":material/hourglass_empty:")
        st.button(
            offer.button, on_click=_allow, args=(offer.key,), width="content", key=f"ask-{offer.button}"
        )


def _watched(loading: Loading[T], key: object) -> T | None:
    """What is being made, with a bar and a way to call it off; None when somebody has."""
    room = st.empty()
    with room.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text=loading.what)
        st.button("Cancel", on_click=_call_off, args=(loading.call_off, key), width="content")

    def told(what: str, done: int, total: int) -> None:
        bar.progress(done / max(total, 1), text=f"{what}: {done} of {total}" if total else what)

    try:
        made = loading.watch(told)
    except CancelledError:
        room.empty()
        st.info("That was called off.", icon=":material/cancel:")
        return None
    room.empty()
    return made


def _allow(key: object) -> None:
    st.session_state[_ALLOWED] = (*st.session_state.get(_ALLOWED, ()), key)


def _call_off(call_off: Callable[[], None], key: object) -> None:
    call_off()
    allowed = st.session_state.get(_ALLOWED, ())
    st.session_state[_ALLOWED] = tuple(other for other in allowed if other != key)
    st.session_state[_STOPPED] = (*st.session_state.get(_STOPPED, ()), key)


def _time(seconds: float) -> str:
    """A time in words.

    >>> _time(7.4), _time(61), _time(400)
    ('7 s', '60 s', '7 minutes')
    """
    if seconds < 10:
        return f"{seconds:.0f} s"
    return f"{round(seconds, -1):.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
