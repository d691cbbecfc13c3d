"""A view without what its model or its sentence does not have, and what that was, a sentence each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from attention.figures.lines import MOST_HEADS
from attention.model import Model
from attention.run import Run
from attention.sites import Site, SiteRun, every_site
from attention.ui.mask_text import format_mask, tidy
from attention.ui.view import Changes, Span, ViewState

SITE_NAMES: Mapping[Site, str] = {
    "self": "self-attention",
    "cross": "cross-attention",
    "encoder": "encoder of its own",
}


@dataclass(frozen=True)
class Room:
    """What one kind of attention has room for."""

    n_layers: int
    n_heads: int
    n_queries: int
    n_keys: int
    d_head: int
    d_value: int


def rooms(run: Run) -> Mapping[Site, Room]:
    """The room of each kind of attention of a run."""
    return {of.site: _room(of) for of in every_site(run)}


def _room(of: SiteRun) -> Room:
    config = of.config(0)
    return Room(of.n_layers, of.n_heads, len(of.queries), len(of.keys), config.d_head, config.d_value)


def fit_model(view: ViewState, model: Model, n_real: int) -> tuple[ViewState, tuple[str, ...]]:
    """The view without a target that nothing writes, and without padding that the model cannot take.

    Args:
        view: The view.
        model: Its model.
        n_real: Tokens of the text that is padded.
    """
    if model.encoder is None and view.target:
        told = (f"{model.name} is not an encoder–decoder: it takes no target.",)
        fitted, also = _fit_padding(replace(view, target=None), model, n_real)
        return fitted, (*told, *also)
    return _fit_padding(view, model, n_real)


def _fit_padding(view: ViewState, model: Model, n_real: int) -> tuple[ViewState, tuple[str, ...]]:
    most = (model.encoder_config or model.config).n_positions
    if view.pad is None or (model.pad_id is not None and n_real <= view.pad <= most):
        return view, ()
    if model.pad_id is None:
        return replace(view, pad=None), (f"{model.name} has no padding token; nothing was padded.",)
    room = f"between the text's {n_real} tokens and the model's {most} positions"
    return replace(view, pad=None), (f"Padding to {view.pad} is not {room}.",)


def fit(view: ViewState, every: Mapping[Site, Room]) -> tuple[ViewState, tuple[str, ...]]:
    """The view with everything that some kind of attention does not have taken out, and what that was.

    Of another layer or head `misplaced` tells: whether it is worth a word hangs on who chose it.

    Args:
        view: The view.
        every: The room of each kind of attention there is.
    """
    told: list[str] = []
    view = _fit_site(view, every, told)
    room = every[view.site]
    fitted = replace(
        view.changed_to(_fit_changes(view.changes, room, told)),
        layer=min(view.layer, room.n_layers - 1),
        head=min(view.head, room.n_heads - 1),
        query=_position(view.query, room.n_queries, "query", told),
        key=_position(view.key, room.n_keys, "key", told),
        entry=_entry(view, room, told),
        rows=_span(view.rows, room.n_queries, "rows", told),
        columns=_span(view.columns, room.n_keys, "columns", told),
    )
    fitted = _fit_lines(fitted, room, told)
    others = tuple((site, _fit_changes(changes, every[site], told)) for site, changes in view.elsewhere)
    return replace(fitted, elsewhere=tuple(pair for pair in others if pair[1].any)), tuple(told)


def misplaced(asked: ViewState, fitted: ViewState, named: Collection[str]) -> tuple[str, ...]:
    """A sentence for the layer and for the head that there is not, where the link names it.

    Args:
        asked: The view before it was fitted.
        fitted: The same with the last layer or head there is.
        named: Keys of the link.
    """
    sides = (("layer", asked.layer, fitted.layer), ("head", asked.head, fitted.head))
    return tuple(
        f"There is no {name} {lost}: the model has {last + 1} ({name}s 0–{last})."
        for name, lost, last in sides
        if lost != last and name in named
    )


def _fit_site(view: ViewState, every: Mapping[Site, Room], told: list[str]) -> ViewState:
    lost = [site for site in (view.site, *dict(view.elsewhere)) if site not in every]
    told += [f"This model has no {SITE_NAMES[site]}; what a link says of it was ignored." for site in lost]
    kept = tuple(pair for pair in view.elsewhere if pair[0] in every)
    if view.site in every:
        return replace(view, elsewhere=kept)
    own = dict(kept).get("self", Changes())
    others = tuple(pair for pair in kept if pair[0] != "self")
    return replace(view.changed_to(own), site="self", elsewhere=others)


def _fit_changes(changes: Changes, room: Room, told: list[str]) -> Changes:
    heads = {(ly, h) for ly, h in changes.heads_off if ly < room.n_layers and h < room.n_heads}
    if lost := sorted(changes.heads_off - heads):
        names = ", ".join(f"L{layer} H{head}" for layer, head in lost[:4])
        told.append(f"There is no {names}{' and others' * (len(lost) > 4)} to switch off.")
    layers = changes.mask_layers
    if layers is not None and not layers <= set(range(room.n_layers)):
        told.append(f"The mask's layers go beyond the model's {room.n_layers}; it applies to every layer.")
        layers = None
    rules = tuple(rule for rule in changes.mask if _inside(rule.named(), room))
    beyond = (format_mask((rule,)) for rule in changes.mask if rule not in rules)
    told += [f"The mask {text} names positions beyond the {_sizes(room)}." for text in beyond]
    return Changes(mask=tidy(rules), mask_layers=layers, heads_off=frozenset(heads))


def _fit_lines(view: ViewState, room: Room, told: list[str]) -> ViewState:
    """No head that there is not, no more than have a colour, and no choice by sentence where there is one."""
    beside = sorted(view.lines_heads - {view.head})
    there = [head for head in beside if head < room.n_heads]
    if lost := [f"H{head}" for head in beside if head >= room.n_heads]:
        told.append(f"There is no {', '.join(lost[:4])}: the model has {room.n_heads} heads a layer.")
    if len(there) >= MOST_HEADS:
        told.append(f"Lines are drawn for {MOST_HEADS} heads at once, not for {len(there) + 1}.")
    block = view.lines_block
    if block != "all" and not view.pair:
        told.append("There is one sentence, so lines are not chosen by sentence.")
        block = "all"
    return replace(view, lines_heads=frozenset(there[: MOST_HEADS - 1]), lines_block=block)


def _sizes(room: Room) -> str:
    if room.n_queries == room.n_keys:
        return f"{room.n_keys} tokens"
    return f"{room.n_queries} queries and {room.n_keys} keys"


def _inside(named: tuple[frozenset[int], frozenset[int]], room: Room) -> bool:
    queries, keys = named
    return all(at < room.n_queries for at in queries) and all(at < room.n_keys for at in keys)


def _entry(view: ViewState, room: Room, told: list[str]) -> int | None:
    width = room.d_value if view.vector == "value" else room.d_head
    if view.entry is None or view.entry < width:
        return view.entry
    told.append(f"There is no entry {view.entry} of the {view.vector}: it has {width} (0–{width - 1}).")
    return None


def _position(position: int | None, n_tokens: int, name: str, told: list[str]) -> int | None:
    if position is None or position < n_tokens:
        return position
    told.append(f"There is no {name} at position {position}: the sentence has {n_tokens} tokens.")
    return None


def _span(span: Span | None, n_tokens: int, name: str, told: list[str]) -> Span | None:
    if span is None or span[1] < n_tokens:
        return span
    told.append(f"The {name} {span[0]}–{span[1]} go beyond the {n_tokens} tokens; all are shown.")
    return None
