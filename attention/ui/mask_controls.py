"""Mask controls: each toggle sets or takes away one rule; the rules all hold together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from attention.engine.masks import (
    BlockLocal,
    Causal,
    Cells,
    Dilated,
    Fixed,
    Full,
    Global,
    Keys,
    MaskRule,
    Or,
    Own,
    Prefix,
    Random,
    Strided,
    Window,
)
from attention.figures.labels import plain_label
from attention.ui import state
from attention.ui.mask_text import MOST_NUMBER, Rules, tidy
from attention.ui.scene import Scene, own_rule
from attention.ui.unfolding import unfold_where_used
from attention.ui.view import ViewState

REPLACES_OWN = (Full, Causal, Window, Prefix, Dilated, BlockLocal, Strided, Fixed, Global, Random, Or)
ORDER: tuple[type[MaskRule], ...] = (*REPLACES_OWN, Keys, Cells)


def mask_controls(scene: Scene) -> None:
    """Causal and window at hand, the rest one click away."""
    view = scene.view
    if own_rule(scene.trace) != Full():
        _what_if(view)
    elif not scene.crossing or _held(view, Causal):
        _causal(view)
    if not scene.crossing or _held(view, Window):  # two sequences have no places in common
        _window(view)
    kinds = any(_held(view, kind) for kind in (Prefix, Keys, Cells))
    unfold_where_used("masks.more", bool(kinds or view.pad or view.mask_layers))
    with st.expander("More masks", key="masks.more", on_change="rerun") as box:
        if box.open:
            _more(scene)


def _more(scene: Scene) -> None:
    """What is made only when it is unfolded: of a long text the choice of keys is long too."""
    if not scene.crossing or _held(scene.view, Prefix):
        _prefix(scene.view, len(scene.site.keys))
    _hidden_keys(scene)
    _blocked_cells(scene)
    _padding(scene)
    _layers(scene)


def with_rule(rules: Rules, kind: type[MaskRule], rule: MaskRule | None) -> Rules:
    """The rules with the one of this kind replaced, in a fixed order.

    The model's own mask holds unless a rule that replaces it is there.

    >>> with_rule((Causal(),), Keys, Keys({1}))
    (Causal(), Keys({1}))
    >>> with_rule((Causal(), Keys({1})), Causal, None)
    (Own(), Keys({1}))
    """
    kept = [other for other in rules if type(other) in ORDER and type(other) is not kind]
    kept += [] if rule is None else [rule]
    ordered = tuple(sorted(kept, key=lambda other: ORDER.index(type(other))))
    return ordered if ordered and isinstance(ordered[0], REPLACES_OWN) else tidy((Own(), *ordered))


def _causal(view: ViewState) -> None:
    st.toggle(
        "Causal mask",
        key=state.held("causal", _held(view, Causal) is not None),
        help="A token sees itself and what came before.",
        on_change=state.take,
        args=("causal", _rule(Causal, lambda on: Causal() if on else None)),
    )


def _what_if(view: ViewState) -> None:
    """Take the mask of a causal model away; it was never trained to see ahead."""
    st.toggle(
        "See ahead (what if)",
        key=state.held("full", _held(view, Full) is not None),
        help="Takes the model's own mask away. It was not trained to see what comes after a token.",
        on_change=state.take,
        args=("full", _rule(Full, lambda on: Full() if on else None)),
    )


def _window(view: ViewState) -> None:
    window = _held(view, Window)
    st.toggle(
        "Window",
        key=state.held("window", window is not None),
        help="A token sees itself and some neighbours.",
        on_change=state.take,
        args=("window", _rule(Window, lambda on: Window(2, 2) if on else None)),
    )
    if not isinstance(window, Window):
        return
    before, after = st.columns(2, gap="small")
    for column, side, size in ((before, "before", window.before), (after, "after", window.after)):
        column.number_input(
            side.capitalize(),
            value=None,  # so that an emptied box says None, and not the least number
            min_value=0,
            max_value=MOST_NUMBER,
            step=1,
            key=state.held(f"window_{side}", size),
            on_change=state.take,
            args=(f"window_{side}", _rule(Window, _side(window, side))),
        )


def _side(window: Window, side: str) -> Callable[[int | None], Window]:
    """The window with another number on one side; an emptied box, which says None, keeps the last one."""

    def changed(size: int | None) -> Window:
        if size is None:
            return window
        return Window(size, window.after) if side == "before" else Window(window.before, size)

    return changed


def _prefix(view: ViewState, n_tokens: int) -> None:
    prefix = _held(view, Prefix)
    st.number_input(
        "Prefix open to all",
        value=None,
        min_value=0,
        max_value=max(n_tokens, prefix.n if isinstance(prefix, Prefix) else 0),
        step=1,
        key=state.held("prefix", prefix.n if isinstance(prefix, Prefix) else 0),
        help="The first tokens are visible to every token; the rest is causal. 0: off.",
        on_change=state.take,
        args=("prefix", _rule(Prefix, lambda n: Prefix(n) if n else None)),
    )


def _hidden_keys(scene: Scene) -> None:
    keys = _held(scene.view, Keys)
    st.multiselect(
        "Keys hidden from all",
        range(len(scene.site.keys)),
        key=state.held("hidden", sorted(keys.hidden) if isinstance(keys, Keys) else []),
        format_func=lambda at: f"{at} {plain_label(scene.key_texts[at])}",
        placeholder="none",
        on_change=state.take,
        args=("hidden", _rule(Keys, lambda hidden: Keys(hidden) if hidden else None)),
    )


def _blocked_cells(scene: Scene) -> None:
    cells = _held(scene.view, Cells)
    blocked = cells.blocked if isinstance(cells, Cells) else frozenset()
    this = (scene.query, scene.key)
    if blocked:
        st.multiselect(
            "Cells blocked",
            sorted(blocked),
            key=state.held("blocked", sorted(blocked)),
            format_func=lambda pair: f"{pair[0]} → {pair[1]}",
            on_change=state.take,
            args=("blocked", _rule(Cells, lambda pairs: Cells(pairs) if pairs else None)),
        )
    st.button(
        "Block the chosen cell",
        disabled=this in blocked,
        help="The query in focus may no longer attend to the key in focus.",
        width="stretch",
        on_click=_block,
        args=(blocked | {this},),
    )


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


def _held(view: ViewState, kind: type[MaskRule]) -> MaskRule | None:
    return next((rule for rule in view.mask if isinstance(rule, kind)), None)


def _rule(kind: type[MaskRule], make: Callable[[Any], MaskRule | None]) -> Callable[[Any], Mapping[str, Any]]:
    return lambda value: {"mask": with_rule(state.current().mask, kind, make(value))}
