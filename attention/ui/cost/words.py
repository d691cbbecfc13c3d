"""What the page says, from the numbers it shows."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from attention.analysis.checks import LAW
from attention.analysis.cost import FLOAT32, PowerLaw, Traffic, n_corrections, n_products, n_scores
from attention.analysis.cost_paths import Layer, scores_to_write
from attention.analysis.cost_tiles import Walk
from attention.analysis.cost_timing import D_HEAD, WAYS, WINDOW, Timing, Way
from attention.engine.tiled import Tile
from attention.figures.numbers import exact, signed
from attention.figures.tile_rows import TileRows, corrected

TITLE = "Why is long context expensive?"
LINE = "counted, timed on this machine, and taken apart tile by tile"
SQUARES = "Twice the text, four times the scores"
CLOCK = "What the clock says"
TILES = "FlashAttention, tile by tile"
TRAFFIC = "What tiles save"
SPARSE = "Sparse patterns: cells saved, weight lost"
PATHS = "Recurrence against attention"

PROSE = (
    r"Every query meets every key: $S = QK^\top/\sqrt{d}$ has $N^2$ entries. Tiles compute all of them and "
    r"keep none; patterns compute fewer, which is another attention."
)

ORDERS: Mapping[Layer, tuple[str, str]] = {
    "attention": ("O(1)", "O(1)"),
    "recurrent": ("O(N)", "O(N)"),
    "convolution": ("O(1)", "O(N/k)"),
    "dilated": ("O(1)", "O(log N)"),
}

PATH_CAPTION = (
    "<b>Notice</b> the flat line: in self-attention any two positions are one step apart, and all are "
    "computed at once. A recurrent layer hands everything on token by token (Vaswani et al. 2017, table 1)."
)


def bytes_text(count: float) -> str:
    """Bytes as a reader says them.

    >>> bytes_text(4_000_000), bytes_text(512), bytes_text(1.6e9)
    ('4 MB', '512 B', '1.6 GB')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


SQUARES_CAPTION = (
    "Drawn to scale; bytes are float32, 4 a score, for one head of one layer. <b>Notice</b> that each "
    "square holds four of the one before."
)


def every_head(model: str, n_layers: int, n_heads: int, lengths: Sequence[int]) -> str:
    """What all heads of a model take together."""
    count = n_layers * n_heads
    sizes = [bytes_text(FLOAT32 * count * n_scores(n)) for n in lengths]
    said = " and ".join(f"<b>{size}</b> at {n:,} tokens" for size, n in zip(sizes, lengths, strict=True))
    return (
        f"{html.escape(model)} has {n_layers} layers of {n_heads} heads: {count} such squares, {said}, if "
        f"all were kept. This app keeps none of them."
    )


def before_measuring(most: int) -> str:
    """What will be measured."""
    return (
        f"One head of {D_HEAD} entries, random numbers, up to {most:,} tokens: visible steps, torch’s fused "
        f"kernel, a window of {WINDOW.before + 1}. It takes a few seconds."
    )


def slopes(laws: Mapping[Way, PowerLaw], steps: Sequence[Timing], window: Sequence[Timing]) -> str:
    """The exponents, the largest matrices, and whether the machine was too busy to tell."""
    said = ", ".join(
        f"{WAYS[way]} N<sup>{signed(law.exponent, 2)}</sup> (r² {law.r_squared:.3f})"
        for way, law in laws.items()
    )
    busy = " The points scatter: this machine was busy, so measure again." if _scatters(laws) else ""
    return (
        f"Fitted: {said}.{busy}{_steeper(laws)} At {steps[-1].n_tokens:,} tokens the visible steps hold a "
        f"matrix of {bytes_text(steps[-1].largest)}, the window one of {bytes_text(window[-1].largest)}. "
        f"{_counted(steps[-1], window[-1])}"
    )


def _steeper(laws: Mapping[Way, PowerLaw]) -> str:
    """Why whole matrices may take more than N²; nothing where they do not."""
    if laws["steps"].exponent < 2.1 or _scatters(laws):
        return ""
    return (
        " Steeper than N² is what whole matrices become when they outgrow the processor’s caches: moving "
        "them counts too, which is what tiles save."
    )


def _scatters(laws: Mapping[Way, PowerLaw]) -> bool:
    return any(law.r_squared < 0.9 for law in laws.values())


def _counted(steps: Timing, window: Timing) -> str:
    """What the counts say of the ways, whatever the clock says."""
    return (
        f"<b>Notice</b> the slopes: the kernel never keeps its {steps.n_scores:,} scores, yet computes all "
        f"of them; the window computes {window.n_scores:,}, and beyond its width these grow with N alone."
    )


def board_caption(walked: Walk) -> str:
    """How to read the board."""
    over = walked.n_passed_over
    said = f" {over} of {len(walked.tiles)} tiles are masked throughout and passed over." if over else ""
    return (
        "Outlined: the tile that is held now. Faded: computed, used and thrown away. Blank: not met yet. "
        f"Hatched: masked.{said}"
    )


def running_caption(rows: TileRows, passed_over: bool) -> str:
    """What happens to the queries of this tile."""
    if not any(map(math.isfinite, rows.maxima)):
        return "Every key met so far is masked for these queries: there is nothing to gather yet."
    if passed_over:
        return "The whole tile is masked and passed over: m, l and the output stay as they were."
    if not any(map(math.isfinite, rows.before)):
        return (
            "The first keys these queries meet: m is their largest score, l the sum of e<sup>score − "
            "m</sup>. <b>Notice</b> what happens to both at the next tile."
        )
    raised = [pair for pair in zip(rows.before, rows.maxima, strict=True) if corrected(*map(float, pair))]
    if not raised:
        return "No larger score here: m stays, α is 1, and the new keys are simply added."
    count = "One query meets" if len(raised) == 1 else f"{len(raised)} queries meet"
    return (
        f"{count} a larger score: <b>notice</b> that everything gathered before, l and O, is multiplied by "
        f"α, as if the new maximum had been known from the start."
    )


def held(walked: Walk, tile: Tile) -> str:
    """How large the largest matrix is."""
    rows, columns = walked.largest
    n_queries, n_keys = walked.tiles[-1].queries.stop, walked.tiles[-1].keys.stop
    return (
        f"The largest matrix ever held is <b>{rows} × {columns}</b>: {rows * columns:,} scores of "
        f"{n_queries * n_keys:,}. This tile holds {len(tile.queries)} × {len(tile.keys)}."
    )


def equal(walked: Walk) -> str:
    """How far the tiles are from whole matrices."""
    held = walked.difference <= LAW
    verdict = "rounding. Tiles are <b>exact</b>" if held else "<b>more than rounding</b>"
    return (
        f"After the last tile the output differs from whole matrices by at most "
        f"<b>{exact(walked.difference)}</b>, in float64: {verdict}."
    )


def output_caption(walked: Walk, number: int) -> str:
    """What to notice in the output."""
    if number == len(walked.tiles):
        return "Every query has met every key: this is the head’s output."
    return (
        "What each query has gathered so far, divided by l. <b>Notice</b> while stepping how the rows of the "
        "tile are corrected, and that finished rows no longer change."
    )


COUNTS = (
    "Whole matrices read Q and K, write and read S, write and read the weights, read V, write O: 4Nd + "
    "4N². FlashAttention takes ⌈M/4d⌉ keys a pass: 2Nd + passes · (3Nd + 4N). FlashAttention-2 takes "
    "blocks of queries: 2Nd + passes · 2Nd + N."
)


def traffic_caption(found: Traffic, n_tokens: int, d_head: int) -> str:
    """The counts, and what they do not change."""
    products = n_products(n_tokens, d_head, d_head)
    added = n_corrections(n_tokens, d_head, found.key_block) / products
    gains = found.dense / found.keys_outside, found.dense / found.queries_outside
    return (
        f"<b>{found.dense:,}</b> elements against <b>{found.keys_outside:,}</b> and "
        f"<b>{found.queries_outside:,}</b>: {_gain(*gains)}. <b>Notice</b> what stays: both multiply "
        f"N²·2d = {products:,} times, and α adds {100 * added:.2g} %. It is exact, and still N² in "
        f"arithmetic."
    )


def _gain(*gains: float) -> str:
    """How many times less the two kinds of tiles move; it can be more."""
    if min(gains) < 1:
        said = (f"{gain:.2f} times less" if gain >= 1 else f"{1 / gain:.2f} times more" for gain in gains)
        return f"{' and '.join(said)}: with little fast memory for d, or few tokens, tiles need not gain"
    less = f"{gains[0]:.2f} and {gains[1]:.2f} times less"
    return less if min(gains) >= 1.05 else f"{less}: hardly a gain where d² is near M"


def writing(n_tokens: int) -> str:
    """Why generating goes one token at a time all the same."""
    return (
        "Training sees a whole text at once. <b>Writing still goes one token at a time</b>: each is the next "
        f"one’s input. {n_tokens:,} tokens take 1 + 2 + … + {n_tokens:,} = {scores_to_write(n_tokens):,} "
        "scores a head, half of N²."
    )
