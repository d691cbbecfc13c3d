"""Which part of the chosen head's weights is drawn, and whether weight by weight or in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from torch import Tensor

from attention.analysis.keeping import keep
from attention.analysis.strips import Pooled, pooled
from attention.analysis.word_blocks import pooled_words
from attention.checkpoints.tokens import Token
from attention.figures.picture import Picture
from attention.figures.strips import Floats
from attention.ui import cache
from attention.ui.arrays import fixed
from attention.ui.between import Axis, axis_of
from attention.ui.overview import units_of
from attention.ui.scene import HELD, MOST_WHOLE, Scene
from attention.ui.view import Span
from attention.ui.whole_words import NOTE, in_words

MOST_BLOCKS = 256
"""Blocks a side of a picture that is too large to be drawn weight by weight."""


def picture(scene: Scene) -> Picture:
    """The chosen head's weights as they are to be drawn."""
    drawn = of_pieces(scene)
    whole = scene.view.words and drawn.block == (1, 1) and scene.view.view != "neurons"
    return in_words(drawn, scene.site.queries, scene.site.keys) if whole else drawn


def of_pieces(scene: Scene) -> Picture:
    """The same between tokens, whether their pieces are put together then or not; in blocks they are."""
    queries, keys = _spans(scene)
    if max(len(queries), len(keys)) > MOST_WHOLE and scene.view.view != "neurons":
        return _in_blocks(scene, queries, keys)
    return _one_by_one(scene, queries, keys)


def _spans(scene: Scene) -> tuple[range, range]:
    """The queries and keys that are drawn; where each has a mark of its own, no more than can be drawn."""
    words = scene.view.words and scene.view.view != "neurons"
    queries = _span(scene.view.rows, scene.site.queries, words=words)
    keys = _span(scene.view.columns, scene.site.keys, words=words)
    match scene.view.view:
        case "heatmap":
            return queries, keys
        case "neurons":
            return range(scene.query, scene.query + 1), keys
    return _about(scene.query, queries), _about(scene.key, keys)


def _span(span: Span | None, tokens: Sequence[Token], *, words: bool) -> range:
    """What the reader asked for; a word is never cut where its pieces are put together."""
    if span is None:
        return range(len(tokens))
    inside = [unit for unit in units_of(tuple(tokens), words) if unit[-1] >= span[0] and unit[0] <= span[1]]
    return range(inside[0][0], inside[-1][-1] + 1)


def _about(position: int, shown: range) -> range:
    """As many positions as can be drawn one by one: all, or those round the one in focus."""
    if len(shown) <= MOST_WHOLE:
        return shown
    start = min(max(position - HELD // 2, shown.start), shown.stop - HELD)
    return range(start, start + HELD)


def weights_among(scene: Scene, head: int, queries: Sequence[int], keys: Sequence[int]) -> Floats:
    """One head's weights among some tokens, as the reader wants them: as they are, or renormalised.

    A row is divided by all that is left of it when tokens are hidden, whether that is among them or not.

    Args:
        scene: The view.
        head: Of the chosen layer.
        queries: Positions, in order.
        keys: Positions, in order.
    """
    special, first = scene.view.special, min(queries)
    weights = _rows(scene, head, first, max(queries) + 1)
    left = sorted({*_shown(range(len(scene.site.keys)), scene.hideable, special), *keys})
    local = [at - first for at in queries]
    kept = keep(weights, local, left, renormalise=special == "renormalise")
    among: Floats = kept.numpy()[:, np.searchsorted(left, keys)]
    return among


def _rows(scene: Scene, head: int, start: int, stop: int) -> Float[Tensor, "query key"]:
    """A head's rows of weights; those of the chosen head are there already, where they are held."""
    held = scene.head.held
    if head == scene.view.head and held.start <= start and stop <= held.stop:
        return scene.chain.weights[0, start - held.start : stop - held.start]
    return scene.trace.head(head).rows(start, stop).weights[0]


def _one_by_one(scene: Scene, queries: range, keys: range) -> Picture:
    special = scene.view.special
    rows = _shown(queries, scene.hideable_queries, special)
    columns = _shown(keys, scene.hideable, special)
    allowed = scene.trace.head(scene.view.head).rows(queries.start, queries.stop).mask.numpy()
    sees = np.asarray(allowed.any(axis=1))
    hidden = len(rows) < len(queries) or len(columns) < len(keys)
    return Picture(
        values=weights_among(scene, scene.view.head, rows, columns).astype(np.float32),
        allowed=allowed[np.ix_([at - queries.start for at in rows], columns)],
        query_tokens=tuple(scene.query_texts[at] for at in rows),
        key_tokens=tuple(scene.key_texts[at] for at in columns),
        query=rows.index(scene.query) if scene.query in rows else None,
        key=columns.index(scene.key) if scene.key in columns else None,
        range=scene.view.range,
        query_positions=tuple(rows),
        key_positions=tuple(columns),
        note=_joined(_part(scene, queries, keys), _hidden_note(scene) if hidden else ""),
        blind=tuple(at for at, row in enumerate(rows) if not sees[row - queries.start]),
    )


def _in_blocks(scene: Scene, queries: range, keys: range) -> Picture:
    """The same in blocks of neighbours; special tokens are in them as if they had no weight, when hidden."""
    hidden, words = () if scene.view.special == "show" else scene.hideable, scene.view.words
    looking = axis_of(scene.site.queries, words=words, shown=queries)
    seen = axis_of(scene.site.keys, words=words, shown=keys)
    made = _pooled(scene, queries, keys, hidden)
    rows, columns = looking.every(made.block[0]), seen.every(made.block[1])
    return Picture(
        values=made.values[0].numpy().astype(np.float32),
        allowed=fixed(made.allowed.numpy()),
        query_tokens=rows.names,
        key_tokens=columns.names,
        query=looking.at(scene.query) // made.block[0] if scene.query in queries else None,
        key=seen.at(scene.key) // made.block[1] if scene.key in keys else None,
        range=scene.view.range,
        query_positions=rows.positions,
        key_positions=columns.positions,
        block=made.block,
        in_focus=(_name(looking, scene.query, queries), _name(seen, scene.key, keys)),
        note=_joined(
            _blocks(scene, made), _part(scene, queries, keys), _hidden_note(scene) if hidden else ""
        ),
        blind=tuple(row for row, sees in enumerate(made.sees.tolist()) if not sees),
    )


def _name(axis: Axis, position: int, shown: range) -> str:
    return axis.names[axis.at(position)] if position in shown else ""


def _keeping(scene: Scene, hidden: Sequence[int]) -> dict[str, Any]:
    return {"hidden": hidden, "renormalise": scene.view.special == "renormalise"}


def _pooled(scene: Scene, queries: range, keys: range, hidden: Sequence[int]) -> Pooled:
    view = scene.view
    asked = (scene.asked, view.site, view.layer, view.head, queries, keys, view.pool, view.special)
    one, keeping = scene.trace.head(view.head), _keeping(scene, hidden)
    if not view.words:
        return cache.pooled(
            asked, lambda: pooled(one, MOST_BLOCKS, view.pool, queries=queries, keys=keys, **keeping)
        )
    looking = axis_of(scene.site.queries, words=True, shown=queries)
    words = looking.units, axis_of(scene.site.keys, words=True, shown=keys).units
    return cache.pooled(
        (*asked, "words"), lambda: pooled_words(one, MOST_BLOCKS, view.pool, words=words, **keeping)
    )


def _shown(span: range, hideable: Sequence[int], special: str) -> list[int]:
    """Which tokens are shown: never none at all."""
    hidden = () if special == "show" else hideable
    return [at for at in span if at not in hidden] or [span.start]


def _hidden_note(scene: Scene) -> str:
    hidden = [*(scene.site.keys[at] for at in scene.hideable)] or [scene.site.queries[0]]
    what = "special tokens" if scene.crossing or hidden[0].special else "first token"
    rows = "renormalised" if scene.view.special == "renormalise" else "left as they are"
    return f"{what} hidden, rows {rows}"


def _part(scene: Scene, queries: range, keys: range) -> str:
    """Which part of the text is shown; nothing when all of it is."""
    if scene.view.view == "neurons" or len(queries) * len(keys) == len(scene.site.queries) * len(
        scene.site.keys
    ):
        return ""
    return f"queries {queries[0]}–{queries[-1]}, keys {keys[0]}–{keys[-1]}"


def _blocks(scene: Scene, made: Pooled) -> str:
    down, across = made.block
    which = "largest" if scene.view.pool == "max" else "mean"
    rule = f" between words; {NOTE}" if scene.view.words else ""
    return f"each cell: the {which} of {down} × {across} weights{rule}"


def _joined(*notes: str) -> str:
    return " · ".join(filter(None, notes))
