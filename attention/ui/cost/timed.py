"""N² counted, and the time it takes on the machine that serves the page."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention.analysis.cost import FLOAT32, PowerLaw, n_scores, power_law
from attention.analysis.cost_timing import D_HEAD, WAYS, WINDOW, Timing, Way, lengths, measure
from attention.export.plate import Plate
from attention.figures.chart import Axis, Chart, Series, SeriesRole
from attention.figures.grid import Grid
from attention.figures.numbers import signed
from attention.figures.squares import Square, Squares, nested_squares
from attention.figures.theme import Palette
from attention.ui import cache
from attention.ui.components.cost import picture
from attention.ui.cost import words
from attention.ui.cost.choices import LONGEST, PAGE, CostChoices
from attention.ui.models import names
from attention.ui.shown import files, shown, twin
from attention.ui.titles import title
from attention.ui.view import ViewState

COUNTED = (500, 1000, 2000)
N_FITTED = 3
"""The longest lengths, where the work outweighs the calls; the slope is theirs."""

_TIMINGS = "cost.timings"
_ROLES: Mapping[Way, SeriesRole] = {"steps": "primary", "fused": "ink", "window": "value"}
_MEASURING = threading.Lock()
"""One reader at a time: two at once would slow each other."""


@dataclass(frozen=True)
class Measured:
    """What was measured, and under which longest text."""

    most: int
    timings: tuple[Timing, ...]

    def of(self, way: Way) -> tuple[Timing, ...]:
        """One way, from short to long."""
        return tuple(timing for timing in self.timings if timing.way == way)

    def law(self, way: Way) -> PowerLaw:
        """The slope through the longest lengths."""
        longest = self.of(way)[-N_FITTED:]
        return power_law([one.n_tokens for one in longest], [one.seconds for one in longest])


def timed(view: ViewState, choices: CostChoices, colours: Palette) -> None:
    """The squares, and beside them the clock."""
    model = cache.model(view.model)
    config, whose = model.config, names.title(view.model) + ("" if model.encoder is None else "’s decoder")
    with st.container(key="pair"):
        left, right = st.columns([1, 1], gap="large")
        with left:
            every = words.every_head(whose, config.n_layers, config.n_heads, COUNTED[1:])
            _squares(f"{words.SQUARES_CAPTION} {every}", colours)
        with right:
            _clock(choices, colours)


def _squares(caption: str, colours: Palette) -> None:
    held = squares_plate()
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.html(title(words.SQUARES, kind="line"), width="content")
        files(held, colours)
    picture(nested_squares(SQUARES, colours), element_key="squares")
    st.html(f'<div class="cap">{caption}</div>')
    twin(held.picture, held.key)


SQUARES = Squares(
    tuple(
        Square(n, f"{n_scores(n):,} scores a head", words.bytes_text(FLOAT32 * n_scores(n))) for n in COUNTED
    )
)


def squares_plate() -> Plate:
    """The squares as files."""
    return Plate(
        picture=Grid(
            title=words.SQUARES,
            values=np.array([[n_scores(n), FLOAT32 * n_scores(n)] for n in COUNTED]),
            rows=tuple(f"{n:,} tokens" for n in COUNTED),
            columns=("scores a head", "bytes a head, float32"),
            row_title="text",
            column_title="what its square holds",
            scale="ink",
        ),
        key="cost-squares",
        caption=words.SQUARES_CAPTION,
        drawing=SQUARES,
        markup=partial(nested_squares, SQUARES),
    )


def _clock(choices: CostChoices, colours: Palette) -> None:
    found = _controls(choices)
    if found is None:
        st.html(f'<div class="cap">{words.before_measuring(choices.most)}</div>')
        return
    shown(
        chart(found),
        key="cost-time",
        colours=colours,
        caption=words.slopes({way: found.law(way) for way in WAYS}, found.of("steps"), found.of("window")),
        facts={"machine": machine(), "heads": "1", "d_head": str(D_HEAD)},
        level=3,
    )


def _controls(choices: CostChoices) -> Measured | None:
    """The longest text, the button, and what is measured by now."""
    st.html(title(words.CLOCK, machine(), kind="line"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Longest text, in tokens",
            sorted({*LONGEST, choices.most}),
            key=PAGE.held("most", choices.most),
            format_func="{:,}".format,
            required=True,
            on_change=PAGE.take,
            args=("most",),
            width="content",
        )
        pressed = st.button("Measure here", type="primary", icon=":material/timer:", key="cost-measure")
    if pressed:
        st.session_state[_TIMINGS] = _measured(choices.most)
    found: Measured | None = st.session_state.get(_TIMINGS)
    return found


def _measured(most: int) -> Measured | None:
    """What was measured now; what there was before, where another reader is measuring."""
    if not _MEASURING.acquire(blocking=False):
        st.info("Another reader is measuring; two at once would slow each other. Try again in a moment.")
        before: Measured | None = st.session_state.get(_TIMINGS)
        return before
    try:
        sizes, bar = lengths(most), st.progress(0.0, "Measuring")
        timings = measure(sizes, partial(_tell, bar, sizes))
        bar.empty()
        return Measured(most, timings)
    finally:
        _MEASURING.release()


def _tell(bar: DeltaGenerator, sizes: Sequence[int], done: int, of: int) -> None:
    bar.progress(done / of, f"{sizes[done]:,} tokens, three ways")


def machine() -> str:
    """What the numbers were measured on, without saying whose it is."""
    return f"this server: one core of {os.cpu_count()}, float32"


def chart(found: Measured) -> Chart:
    """Time against length on log–log axes, and the lines that are fitted."""
    series: list[Series] = []
    for way, name in WAYS.items():
        timings, law = found.of(way), found.law(way)
        sizes = [one.n_tokens for one in timings]
        label = f"{name}, {WINDOW.before + 1} wide" if way == "window" else name
        series.append(Series(label, sizes, [1000 * one.seconds for one in timings], _ROLES[way], "points"))
        fitted = sizes[-N_FITTED:]
        line = [1000 * law.at(n) for n in fitted]
        series.append(Series(f"slope {signed(law.exponent, 2)}", fitted, line, _ROLES[way], dashed=True))
    first = found.of("steps")[-N_FITTED].n_tokens
    return Chart(
        title="Time of one head",
        x=Axis("N, tokens", log=True),
        y=Axis("milliseconds of one core, fastest of several", log=True),
        series=tuple(series),
        note=f"Lines: least squares on the logarithms, over the {N_FITTED} lengths from {first:,} tokens up",
    )
