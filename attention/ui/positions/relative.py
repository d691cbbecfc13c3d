"""A learned bias by relative position: buckets, and one matrix a head."""

from __future__ import annotations

import html

import numpy as np
import streamlit as st
import torch

from attention.analysis.positions import Relative, drawn_relative, first_of_buckets, unreached
from attention.figures.chart import Axis, Chart, Series
from attention.figures.grid import Grid
from attention.figures.theme import Palette
from attention.model import Model
from attention.ui.models import names
from attention.ui.positions import opened, words
from attention.ui.positions.choices import MOST_BIASED, SIDES, PositionsChoices
from attention.ui.positions.controls import choice, slider, switch, within
from attention.ui.shown import shown

SEED, NEAR, FAR = 0, 32, 140
_STACKS = {"both": "encoder", "causal": "decoder"}


def relative(model: Model, choices: PositionsChoices, colours: Palette) -> None:
    """The buckets, what each head adds by distance, and one head's matrix."""
    held, source = _table(model, choices)
    n_heads = len(held.table)
    choices = within(choices, "bias_head", (0, n_heads - 1), f"the table has {n_heads}")
    head = choices.bias_head
    _controls(choices, head, n_heads)
    facts = {
        "table": source,
        "head": f"H{head}",
        "buckets": f"{held.rule.n_buckets} up to {held.rule.max_distance}",
    }
    left, right = st.columns([1, 1], gap="large")
    with left:
        caption = words.relative(html.escape(source), head)
        shown(
            _matrix(held, head, choices.m),
            key="positions-bias",
            colours=colours,
            caption=caption,
            facts=facts,
        )
    with right:
        shown(_by_head(held), key="positions-heads", colours=colours, caption=words.HEADS, facts=facts)
    _, last = first_of_buckets(held.rule, 2 * held.rule.max_distance)[-1]
    caption = words.buckets(last, unreached(held.rule))
    shown(_buckets(held), key="positions-buckets", colours=colours, caption=caption, facts=facts)
    st.html(f'<div class="cap wide">{words.RELATIVE}</div>')


def _table(model: Model, choices: PositionsChoices) -> tuple[Relative, str]:
    """The open model's bias on the side that is chosen, else a drawn table; and what is said of it."""
    for bias in opened.biases(model):
        if bias.stack == _STACKS[choices.side]:
            return (
                bias.relative,
                f"The {bias.stack}’s table of {names.title(model.name)}, as its file has it.",
            )
    drawn = drawn_relative(SEED, both_ways=choices.side == "both")
    title = names.title(model.name)
    return drawn, f"{title} has no such bias: this table is drawn at random (seed {SEED}), not learned."


def _controls(choices: PositionsChoices, head: int, n_heads: int) -> None:
    first, second, third = st.columns(3, gap="medium")
    with first:
        choice("bias_head", "Head looked at", head, range(n_heads), "H{}".format)
    with second:
        slider("m", "Positions", choices.m, (2, MOST_BIASED))
    with third:
        switch("side", "Keys after the query", choices.side, SIDES, words.SIDE)


def _matrix(held: Relative, head: int, n: int) -> Grid:
    places = tuple(map(str, range(n)))
    return Grid(
        title=f"What H{head} adds to the scores",
        values=held.matrix(n)[head].numpy(),
        rows=places,
        columns=places,
        row_title="query, looks",
        column_title="key, looked at",
        limit=float(held.table.abs().max()) or None,
        allowed=None if held.rule.both_ways else np.tri(n, dtype=np.bool_),
    )


def _by_head(held: Relative) -> Grid:
    ahead = torch.arange(-NEAR, NEAR + 1 if held.rule.both_ways else 1)
    return Grid(
        title="All heads, by relative position",
        values=held.at(ahead).numpy(),
        rows=tuple(f"H{at}" for at in range(len(held.table))),
        columns=tuple(words.whole(place) for place in ahead.tolist()),
        row_title="head",
        column_title="key’s position minus query’s",
        limit=float(held.table.abs().max()) or None,
    )


def _buckets(held: Relative) -> Chart:
    ahead = torch.arange(-FAR, FAR + 1)
    return Chart(
        title="Which bucket a relative position falls into",
        x=Axis("key’s position minus query’s"),
        y=Axis("bucket"),
        series=(
            Series("bucket", ahead.numpy(), held.rule.of(ahead[None])[0].numpy(), role="ink", mark="points"),
        ),
    )
