"""The page from top to bottom: random vectors, what they do to the softmax, and a real head."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import streamlit as st

from attention.figures.theme import Palette
from attention.ui import state
from attention.ui.choosing import choose_head, choose_layer
from attention.ui.facts import of_scene
from attention.ui.scaling import head, pictures, words
from attention.ui.scaling.choices import MOST_SEED, PAGE, PRESETS, SIZES, ScalingChoices
from attention.ui.scaling.experiment import N_KEYS, N_ROWS, Experiment, experiments
from attention.ui.scene import Scene
from attention.ui.shown import shown
from attention.ui.titles import title


def experiment(choices: ScalingChoices, colours: Palette) -> None:
    """Random queries and keys: the choice of their length, rows of weights, and the measurements."""
    every = experiments(choices.seed)
    of = every[choices.d_k]
    facts = {
        "vectors": f"components drawn from N(0, 1), {N_ROWS} queries, {N_KEYS} keys each",
        "seed": str(choices.seed),
    }
    _choices(choices)
    st.html(f'<div class="note">{words.point(of)}</div>')
    _rows(of, colours, facts)
    _scores(every, of, colours, facts)
    _softmax(every, of, colours, facts)


def _choices(choices: ScalingChoices) -> None:
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="example-sizes"):
        st.html('<div class="cap">Try d<sub>k</sub> =</div>', width="content")
        for preset in PRESETS:
            at = {"d_k": preset.d_k}
            key = f"example-d-{preset.d_k}"
            st.button(preset.label, key=key, type="tertiary", on_click=PAGE.change, kwargs=at)
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        _size(choices.d_k)
        _seed(choices.seed)


def _size(d_k: int) -> None:
    st.select_slider(
        "Components of q and k, dₖ",
        SIZES,
        key=PAGE.held("d_k", d_k),
        format_func="{:,}".format,
        width=560,
        on_change=PAGE.take,
        args=("d_k",),
    )


def _seed(seed: int) -> None:
    st.button(
        f"Draw again (seed {seed})",
        icon=":material/casino:",
        help="Other random numbers. The link keeps the seed.",
        on_click=PAGE.change,
        kwargs={"seed": (seed + 1) % (MOST_SEED + 1)},
    )


@contextmanager
def _pair(name: str) -> Iterator[tuple[st.delta_generator.DeltaGenerator, st.delta_generator.DeltaGenerator]]:
    """Two columns that stand under one another where the page is narrow."""
    with st.container(key=f"beside-{name}"):
        left, right = st.columns(2, gap="large")
        yield left, right


def _rows(of: Experiment, colours: Palette, facts: Mapping[str, str]) -> None:
    with _pair("rows") as columns:
        for column, scaled in zip(columns, (False, True), strict=True):
            with column:
                shown(
                    pictures.rows(of, scaled),
                    key=f"scaling-rows-{'scaled' if scaled else 'raw'}",
                    colours=colours,
                    caption=words.rows_caption(scaled, of),
                    facts=facts,
                )


def _scores(
    every: Mapping[int, Experiment], of: Experiment, colours: Palette, facts: Mapping[str, str]
) -> None:
    st.html(title("Why they rest on one key", "the scores’ spread"))
    st.markdown(words.PROSE)
    with st.container(key="beside-scores"):
        for column, scaled in zip(st.columns(3, gap="medium"), (False, True, None), strict=True):
            picture = (
                pictures.variance(every)
                if scaled is None
                else pictures.histogram(every, of.drawn.d_k, scaled)
            )
            caption = words.variance_caption(of) if scaled is None else words.spread_caption(scaled)
            name = {None: "variance", True: "scores-scaled", False: "scores-raw"}[scaled]
            with column:
                shown(picture, key=f"scaling-{name}", colours=colours, caption=caption, facts=facts, level=3)


def _softmax(
    every: Mapping[int, Experiment], of: Experiment, colours: Palette, facts: Mapping[str, str]
) -> None:
    st.html(title("What that costs", "softmax and its gradient"))
    parts = (
        ("largest", pictures.largest(every), words.saturation_caption(of)),
        ("entropy", pictures.entropy(every), words.entropy_caption(of)),
        ("gradient", pictures.gradient(every), words.gradient_caption(every)),
        ("dead", pictures.dead(every), words.dead_caption(of)),
    )
    for one, other in (parts[:2], parts[2:]):
        with _pair(one[0]) as columns:
            for column, (name, picture, caption) in zip(columns, (one, other), strict=True):
                with column:
                    shown(
                        picture, key=f"scaling-{name}", colours=colours, caption=caption, facts=facts, level=3
                    )


def real_head(of: Scene, choices: ScalingChoices, colours: Palette) -> None:
    """A head of the open model under three scales, and every head of its layer."""
    with st.sidebar:
        choose_layer(of.view.layer, of.site.n_layers)
        choose_head(of.view.head, of.site.n_heads)
    name = f"L{of.view.layer} H{of.view.head}"
    st.html(title("On your sentence", f"{name}, weights recomputed"))
    measured, every = head.layer_spread(of), head.variants(of.trace.config)
    mine = {key: numbers[of.view.head] for key, numbers in measured.items()}
    if said := words.comparison({key: variant.said for key, variant in every.items()}, mine):
        st.html(f'<div class="note">{said}</div>')
    _other(choices, every)
    with _pair("head") as columns:
        for column, key in zip(columns, ("own", choices.other), strict=True):
            with column:
                _weights(of, every[key], words.head_caption(mine[key]), key, colours)
    _every_head(of, measured, colours)


def _every_head(of: Scene, measured: head.Measured, colours: Palette) -> None:
    with _pair("heads") as columns:
        for column, (field, title) in zip(columns, head.MEASURES.items(), strict=True):
            picture, key = head.by_head(of, measured, field, title), f"scaling-heads-{field}"
            with column:
                shown(
                    picture,
                    key=key,
                    colours=colours,
                    caption=words.HEADS_CAPTION,
                    facts=of_scene(of),
                    level=3,
                )


def _other(choices: ScalingChoices, every: Mapping[str, head.Variant]) -> None:
    st.segmented_control(
        "Held against its own scale",
        [key for key in every if key != "own"],
        key=PAGE.held("other", choices.other),
        format_func=lambda key: every[key].name,
        required=True,
        on_change=PAGE.take,
        args=("other",),
    )


def _weights(of: Scene, variant: head.Variant, caption: str, key: str, colours: Palette) -> None:
    rows, columns = head.window(of)
    shown(
        head.weights(of, variant),
        key=f"scaling-head-{key}",
        colours=colours,
        caption=caption,
        facts=of_scene(of) | {"scale": f"{variant.scale:g}"},
        on_pick=lambda row, column: state.change(query=rows[row], key=columns[column]),
        level=3,
    )
