"""Rotary positions: dials, scores by distance, and the open model's queries and keys before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from attention.analysis.positions import turned_scores, turns
from attention.engine.heads import Heads
from attention.export.plate import Plate
from attention.figures.chart import Axis, Chart, Series
from attention.figures.dials import Dial, Dials, dials, dials_svg
from attention.figures.grid import Grid
from attention.figures.theme import Palette
from attention.model import Model
from attention.ui.components.markup import markup
from attention.ui.models import names
from attention.ui.positions import opened, words
from attention.ui.positions.choices import MOST_SHIFT, PositionsChoices
from attention.ui.positions.controls import choice, settle, slider, within
from attention.ui.positions.turning import REACH, Turning, drawn, fitted, real
from attention.ui.read import read
from attention.ui.shown import files, shown
from attention.ui.titles import title
from attention.ui.view import ViewState

TURNS = "smollm2"
_ANGLES = ("query", "key", "apart")
FORMULA = (
    r"$(x,y) \mapsto (x\cos p\theta_m - y\sin p\theta_m,\; x\sin p\theta_m + y\cos p\theta_m),"
    r"\quad \theta_m = b^{-2m/d_h}$"
)


def turning(model: Model, view: ViewState, choices: PositionsChoices, colours: Palette) -> None:
    """The dials, the score by distance, and, of a model that turns them, real queries and keys.

    Raises:
        AttentionError: The model cannot take the sentence.
    """
    if opened.rotary(model) is None:
        opened.offer(TURNS, words.no_turn(names.title(model.name), opened.way(model)))
        pair = drawn(_on_the_chart(choices))
        _places(pair)
    else:
        run = read(view.model, view.text)
        choices = settle(*fitted(choices, run))
        pair = real(run, choices)
        _choosers(pair, choices, run.n_layers, run.n_heads)
    _dials(pair, colours)
    _scores(pair, choices.shift, colours)
    if pair.heads is not None:
        _before_and_after(pair, pair.heads, colours)


def _on_the_chart(choices: PositionsChoices) -> PositionsChoices:
    """The choices without a position that is beyond the chart."""
    for name in ("query", "key"):
        choices = within(choices, name, (0, REACH), "vectors that are drawn stand on the chart")
    return choices


def _places(pair: Turning) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        slider("query", "Query at position", pair.query_at, (0, REACH))
    with right:
        slider("key", "Key at position", pair.key_at, (0, REACH))


def _choosers(pair: Turning, choices: PositionsChoices, n_layers: int, n_heads: int) -> None:
    layer, head, query, key = st.columns(4, gap="small")
    places = range(len(pair.tokens))
    with layer:
        choice("layer", "Layer", choices.layer, range(n_layers), "L{}".format)
    with head:
        choice("head", "Head", choices.head, range(n_heads), "H{}".format)
    with query:
        choice("query", "Query", pair.query_at, places, lambda at: f"{pair.tokens[at]} ({at})")
    with key:
        choice("key", "Key", pair.key_at, places, lambda at: f"{pair.tokens[at]} ({at})")


def _dials(pair: Turning, colours: Palette) -> None:
    angles = zip(turns(pair.rotary, pair.query_at), turns(pair.rotary, pair.key_at), strict=True)
    drawn_dials = [Dial(f"pair {at}", float(query), float(key)) for at, (query, key) in enumerate(angles)]
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.html(title(words.dials_title(pair), kind="small"), width="content")
        files(plate(drawn_dials, pair), colours)
    markup(dials(drawn_dials, palette=colours), element_key="positions.dials")
    st.html(f'<div class="cap wide">{words.dials(pair)}</div>')
    _table(drawn_dials)


def _table(shown_dials: Sequence[Dial]) -> None:
    with st.expander("As a table", key="positions.dials.table", type="compact", on_change="rerun") as box:
        if box.open:
            angles = {"query, degrees": "query", "key, degrees": "key", "apart, degrees": "apart"}
            columns = {
                title: np.degrees([getattr(dial, field) for dial in shown_dials])
                for title, field in angles.items()
            }
            frame = pd.DataFrame(columns, index=[dial.name for dial in shown_dials])
            st.dataframe(frame, height=260, key="positions.dials.numbers")


def plate(shown_dials: Sequence[Dial], pair: Turning) -> Plate:
    """The angles of the dials as files."""
    angles = np.array([[dial.query, dial.key, dial.apart] for dial in shown_dials])
    drawing = Dials(tuple(shown_dials))
    return Plate(
        picture=Grid(
            title="Turns of the pairs of channels",
            values=np.concatenate([angles, np.degrees(angles)], axis=1),
            rows=tuple(dial.name for dial in shown_dials),
            columns=tuple(f"{of}, {unit}" for unit in ("radians", "degrees") for of in _ANGLES),
            row_title="pair of channels",
            column_title="angle",
            scale="ink",
        ),
        key="positions-dials",
        facts={**pair.facts, "query at": str(pair.query_at), "key at": str(pair.key_at)},
        caption=words.dials(pair),
        drawing=drawing,
        markup=partial(dials_svg, drawing),
    )


def _scores(pair: Turning, shift: int, colours: Palette) -> None:
    """The score of this query and this key at every distance, here and after both have moved."""
    left, right = st.columns([7, 4], gap="large")
    distances = list(range(-REACH, REACH + 1))
    here = turned_scores(pair.rotary, pair.query, pair.key, pair.query_at, distances)
    there = turned_scores(pair.rotary, pair.query, pair.key, pair.query_at + shift, distances)
    chart = Chart(
        title="Score of this query and this key",
        x=Axis("distance: query’s position minus key’s"),
        y=Axis("raw score"),
        series=(
            Series(f"query at {pair.query_at}", distances, here.numpy(), role="primary"),
            Series(f"query at {pair.query_at + shift}", distances, there.numpy(), role="ink", dashed=True),
            *_standing(pair, here.numpy(), distances),
        ),
    )
    with left:
        caption = words.turned(float((here - there).abs().max()), shift)
        shown(chart, key="positions-turned", colours=colours, caption=caption, facts=pair.facts)
    with right:
        slider("shift", "Move both by", shift, (0, MOST_SHIFT), words.SHIFT)
        st.markdown(FORMULA)
        st.html(f'<div class="cap">{words.ROTARY}</div>')


def _standing(pair: Turning, scores: NDArray[np.floating[Any]], distances: list[int]) -> Iterator[Series]:
    """The score of the two where they stand; nothing where that is off the chart."""
    if pair.distance in distances:
        score = scores[distances.index(pair.distance)]
        yield Series("where they stand", [pair.distance], [score], role="query", mark="points")


def _before_and_after(pair: Turning, heads: Heads, colours: Palette) -> None:
    """All queries of the head as they leave W_Q, and as they are scored; then the keys."""
    for side, states, focus in (
        ("query", (heads.normed_queries[0], heads.queries[0]), pair.query_at),
        ("key", (heads.normed_keys[0], heads.keys[0]), pair.key_at),
    ):
        limit = max(float(state.abs().max()) for state in states)
        columns = st.columns(2, gap="large")
        before, after = states
        stretched = float((after.double().norm(dim=-1) - before.double().norm(dim=-1)).abs().max())
        for column, when, state in zip(columns, ("before", "after"), states, strict=True):
            grid = _states(side, when, state, pair.tokens, focus, limit)
            caption = words.kept(side, stretched) if when == "after" else ""
            with column:
                key = f"positions-{side}-{when}"
                shown(grid, key=key, colours=colours, caption=caption, facts=pair.facts)


def _states(
    side: str,
    when: str,
    state: Float[Tensor, "pos d_head"],
    tokens: tuple[str, ...],
    focus: int,
    limit: float,
) -> Grid:
    plural = "Queries" if side == "query" else "Keys"
    return Grid(
        title=f"{plural} {when} turning",
        values=state.numpy(),
        rows=tokens,
        columns=tuple(map(str, range(state.shape[1]))),
        row_title="token",
        column_title="channel",
        scale="query" if side == "query" else "key",
        limit=limit,
        focus_row=focus,
    )
