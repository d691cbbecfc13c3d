"""What moves between slow and fast memory: whole matrices against tiles."""

from __future__ import annotations

import streamlit as st

from attention.analysis.cost import FLOAT32, Traffic, traffic
from attention.errors import AttentionError
from attention.figures.chart import Axis, Chart, Series
from attention.figures.theme import Palette
from attention.ui.cost import words
from attention.ui.cost.choices import MEMORIES, PAGE, TEXTS, WIDTHS, CostChoices
from attention.ui.shown import shown
from attention.ui.titles import title
from attention.ui.words import literal

PRESETS = (
    ("1,024 tokens", {"n_tokens": 1024, "d_head": 64, "fast": 49_152}),
    ("4,096 tokens", {"n_tokens": 4096, "d_head": 64, "fast": 49_152}),
    ("d = 128: the first kind gains nothing", {"n_tokens": 1024, "d_head": 128, "fast": 49_152}),
    ("Too little fast memory", {"n_tokens": 1024, "d_head": 64, "fast": 200}),
)


def moved(choices: CostChoices, colours: Palette) -> None:
    """The choices, three bars, and both truths: exact, and still N² in arithmetic."""
    st.html(title(words.TRAFFIC, "one head, counted"))
    with st.container(key="example-traffic", horizontal=True, gap="medium", vertical_alignment="center"):
        st.html('<div class="cap">Try</div>', width="content")
        for at, (label, fields) in enumerate(PRESETS):
            st.button(
                label, key=f"example-traffic-{at}", type="tertiary", on_click=PAGE.change, kwargs=fields
            )
    left, right = st.columns([2, 3], gap="large")
    with left:
        _controls(choices)
    with right:
        _bars(choices, colours)


def _controls(choices: CostChoices) -> None:
    for name, label, offered, value in (
        ("n_tokens", "N, tokens", TEXTS, choices.n_tokens),
        ("d_head", "d, entries of a query, key or value", WIDTHS, choices.d_head),
        ("fast", "M, elements in fast memory", MEMORIES, choices.fast),
    ):
        st.segmented_control(
            label,
            sorted({*offered, value}),
            key=PAGE.held(name, value),
            format_func="{:,}".format,
            required=True,
            on_change=PAGE.take,
            args=(name,),
        )


def _bars(choices: CostChoices, colours: Palette) -> None:
    try:
        found = traffic(choices.n_tokens, choices.d_head, choices.fast)
    except AttentionError as error:
        st.error(literal(str(error)), icon=":material/error:")
        return
    caption = f"{words.traffic_caption(found, choices.n_tokens, choices.d_head)}<br>{words.COUNTS}"
    facts = {
        "N": str(choices.n_tokens),
        "d": str(choices.d_head),
        "M": str(choices.fast),
        "element": "4 bytes",
    }
    shown(chart(found), key="cost-traffic", colours=colours, caption=caption, facts=facts, level=3)


def chart(found: Traffic) -> Chart:
    """Megabytes of float32, three ways."""
    counts = (found.dense, found.keys_outside, found.queries_outside)
    return Chart(
        title="Bytes moved between slow and fast memory",
        x=Axis("way", labels=("whole matrices", "FlashAttention", "FlashAttention-2")),
        y=Axis("MB, float32"),
        series=(Series("MB", range(3), [FLOAT32 * count / 1e6 for count in counts], "primary", "bars"),),
        note=f"Tiles of {found.key_block} keys, and in the second kind of {found.query_block} queries",
    )
