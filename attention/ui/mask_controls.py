"""Mask controls: each toggle sets or takes away one rule; the rules all hold together."""

from __future__ import annotations

import html
from collections.abc import Callable

import streamlit as st

from attention.analysis.masking import looks_ahead, may_attend
from attention.engine.masks import Causal, Cells, Full, Keys, Prefix, Window
from attention.figures.labels import numbered, plain_label
from attention.ui import state
from attention.ui.mask_rules import change_of, held, with_rule
from attention.ui.mask_text import MOST_NUMBER, conjunction
from attention.ui.scene import Scene, own_rule
from attention.ui.unfolding import unfold_where_used
from attention.ui.view import ViewState


def mask_controls(scene: Scene) -> None:
    """Causal and window at hand, the rest one click away."""
    view = scene.view
    if own_rule(scene.trace) != Full():
        _what_if(view)
    elif not scene.crossing or held(view, Causal):
        _causal(view)
    if not scene.crossing or held(view, Window):  # two sequences have no places in common
        _window(scene)
    kinds = any(held(view, kind) for kind in (Prefix, Keys, Cells))
    unfold_where_used("masks.more", bool(kinds or view.pad or view.mask_layers))
    with st.expander("More masks", key="masks.more", on_change="rerun") as box:
        if box.open:
            _more(scene)


def _more(scene: Scene) -> None:
    """What is made only when it is unfolded: of a long text the choice of keys is long too."""
    if not scene.crossing or held(scene.view, Prefix):
        _prefix(scene.view, len(scene.site.keys))
    _hidden_keys(scene)
    _blocked_cells(scene)
    _padding(scene)
    _layers(scene)


def _causal(view: ViewState) -> None:
    st.toggle(
        "Causal mask",
        key=state.held("causal", held(view, Causal) is not None),
        help="A token sees itself and what came before.",
        on_change=state.take,
        args=("causal", change_of(Causal, lambda on: Causal() if on else None)),
    )


def _what_if(view: ViewState) -> None:
    """Take the mask of a causal model away; it was never trained to see ahead."""
    st.toggle(
        "See ahead (what if)",
        key=state.held("full", held(view, Full) is not None),
        help="Takes the model's own mask away. It was not trained to see what comes after a token.",
        on_change=state.take,
        args=("full", change_of(Full, lambda on: Full() if on else None)),
    )


def _window(scene: Scene) -> None:
    window = held(scene.view, Window)
    # A model that was never trained to see ahead is not made to by a window either.
    ahead = 2 if own_rule(scene.trace) == Full() else 0
    st.toggle(
        "Window",
        key=state.held("window", window is not None),
        help="A token sees itself and some neighbours.",
        on_change=state.take,
        args=("window", change_of(Window, lambda on: Window(2, ahead) if on else None)),
    )
    if isinstance(window, Window):
        _sides(window, waits=_nothing_ahead(scene))


def _sides(window: Window, waits: bool) -> None:
    """How far a window reaches on each side; one that another mask hides keeps its number and waits."""
    before, after = st.columns(2, gap="small")
    for column, side, size in ((before, "before", window.before), (after, "after", window.after)):
        column.number_input(
            side.capitalize(),
            value=None,  # so that an emptied box says None, and not the least number
            min_value=0,
            max_value=MOST_NUMBER,
            step=1,
            disabled=waits and side == "after",
            key=state.held(f"window_{side}", size),
            on_change=state.take,
            args=(f"window_{side}", change_of(Window, _side(window, side))),
        )
    if waits:
        st.html(f'<div class="cap">{WAITS}</div>')


WAITS = "Another mask hides what comes after a token: “After” has no effect, and its number is kept."


def _nothing_ahead(scene: Scene) -> bool:
    """Whether what holds beside the window hides everything that comes after a token."""
    others = tuple(rule for rule in scene.view.mask if not isinstance(rule, Window))
    if scene.crossing or not others:
        return False
    return not looks_ahead(conjunction(others).resolve(own_rule(scene.trace)), len(scene.site.keys))


def _side(window: Window, side: str) -> Callable[[int | None], Window]:
    """The window with another number on one side; an emptied box, which says None, keeps the last one."""

    def changed(size: int | None) -> Window:
        if size is None:
            return window
        return Window(size, window.after) if side == "before" else Window(window.before, size)

    return changed


def _prefix(view: ViewState, n_tokens: int) -> None:
    prefix = held(view, Prefix)
    st.number_input(
        "Prefix open to all",
        value=None,
        min_value=0,
        max_value=max(n_tokens, prefix.n if isinstance(prefix, Prefix) else 0),
        step=1,
        key=state.held("prefix", prefix.n if isinstance(prefix, Prefix) else 0),
        help="The first tokens are visible to every token; the rest is causal. 0: off.",
        on_change=state.take,
        args=("prefix", change_of(Prefix, lambda n: Prefix(n) if n else None)),
    )


def _hidden_keys(scene: Scene) -> None:
    keys = held(scene.view, Keys)
    st.multiselect(
        "Keys hidden from all",
        range(len(scene.site.keys)),
        key=state.held("hidden", sorted(keys.hidden) if isinstance(keys, Keys) else []),
        format_func=lambda at: f"{at} {plain_label(scene.key_texts[at])}",
        placeholder="none",
        on_change=state.take,
        args=("hidden", change_of(Keys, lambda hidden: Keys(hidden) if hidden else None)),
    )


def _blocked_cells(scene: Scene) -> None:
    cells = held(scene.view, Cells)
    blocked = cells.blocked if isinstance(cells, Cells) else frozenset()
    this = (scene.query, scene.key)
    layers = scene.view.mask_layers
    every = range(scene.site.n_layers) if layers is None else layers
    is_open = may_attend(scene.site, every, *this)
    if blocked:
        st.multiselect(
            "Cells blocked",
            sorted(blocked),
            key=state.held("blocked", sorted(blocked)),
            format_func=lambda pair: f"{pair[0]} → {pair[1]}",
            on_change=state.take,
            args=("blocked", change_of(Cells, lambda pairs: Cells(pairs) if pairs else None)),
        )
    st.button(
        "Block the chosen cell",
        disabled=not is_open,
        help="The query in focus may no longer attend to the key in focus.",
        width="stretch",
        on_click=_block,
        args=(blocked | {this},),
    )
    st.html(f'<div class="cap" data-cell>{_cell(scene)} {"may be blocked" if is_open else MASKED}.</div>')


MASKED = "is masked already: there is nothing to block"


def _cell(scene: Scene) -> str:
    """The query and the key in focus, by name; the same line of it is there whether or not they may meet."""
    query = plain_label(numbered(scene.query_texts)[scene.query])
    key = plain_label(numbered(scene.key_texts)[scene.key])
    return f"<bdi>{html.escape(query)}</bdi> → <bdi>{html.escape(key)}</bdi>"


def _padding(scene: Scene) -> None:
    if scene.run.model.pad_id is None:
        return
    reading = scene.run.encoder or scene.run
    own, limit = reading.n_real, reading.model.config.n_positions
    st.number_input(
        "Pad to",
        value=None,
        min_value=own,
        max_value=max(limit, own),
        step=1,
        key=state.held("pad", max(scene.view.pad or own, own)),
        help="Adds padding tokens, hidden from every query."
        + (" It is the source that is padded." if scene.run.encoder else ""),
        on_change=state.take,
        args=("pad", lambda n: {"pad": n if n is not None and n > own else None}),
    )


def _layers(scene: Scene) -> None:
    layers = scene.view.mask_layers
    st.multiselect(
        "In layers",
        range(scene.site.n_layers),
        key=state.held("mask_layers", [] if layers is None else sorted(layers)),
        format_func="L{}".format,
        placeholder="every layer",
        on_change=state.take,
        args=("mask_layers", lambda chosen: {"mask_layers": frozenset(chosen) if chosen else None}),
    )


def _block(cells: frozenset[tuple[int, int]]) -> None:
    state.change(mask=with_rule(state.current().mask, Cells, Cells(cells)))
