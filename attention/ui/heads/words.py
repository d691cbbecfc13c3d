"""What the page says, from the numbers it shows."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from attention.analysis.measure import Measure
from attention.figures.numbers import exact
from attention.ui import sheets
from attention.ui.between import Axis, strongest_text
from attention.ui.heads.choices import Summary
from attention.ui.heads.numbers import limits, number, ordinal, short_end
from attention.ui.heads.scene import Head, HeadsScene
from attention.ui.heads.shades import ends
from attention.ui.panels.sheet_choices import drawn_caption

TITLE, LINE = "Heads", "what each of them does with your sentence, measured"

SUMMARIES: Mapping[Summary, str] = {
    "mean": "Mean",
    "max": "Largest",
    "rollout": "Rollout",
    "even": "Even rollout",
    "received": "Received",
}
SUMMARY_TITLES: Mapping[Summary, str] = {
    "mean": "Mean weight over all heads",
    "max": "Largest weight of any head",
    "rollout": "Attention rollout",
    "even": "Attention rollout of even weights",
}
SAMPLE = "One sentence is one sample: another may rank the heads otherwise, and no number here is a reason."

CROSS = "Cross-attention looks at another text; what is measured here is the decoder's attention to its own."


def name(head: Head) -> str:
    """A head's name."""
    return f"L{head[0]} H{head[1]}"


def standing(scene: HeadsScene) -> str:
    """What the chosen measure says of the chosen head, and where that puts it among all heads."""
    name, value = html.escape(scene.measure.name), scene.value(scene.chosen)
    if value is None:
        return f"{name}: not measurable here"
    at, n = scene.ranked().index(scene.chosen) + 1, len(scene.heads)
    place = f"the highest of {n} heads" if at == 1 else f"{ordinal(at)} of {n} heads"
    return f"{name}: <b>{number(scene.measure, value)}</b>, {place if n > 1 else 'the only head'}"


def definition(scene: HeadsScene) -> str:
    """What the chosen measure is, its formula and range, how many rows it was taken from."""
    measure = scene.measure
    return (
        f"<b>{html.escape(measure.says)}</b> {_formula(measure)} {_counted(scene)} "
        f"Range: {limits(measure, scene.found.n_keys)}. Source: {html.escape(measure.source)}. {SAMPLE}"
    )


def _formula(measure: Measure) -> str:
    of = "One number of all rows together:" if measure.of_matrix else "Mean over rows of"
    return f"{of} {formula(measure)}."


def formula(measure: Measure) -> str:
    """How a row's value is reckoned, as HTML.

    >>> from attention.analysis.measures import BY_KEY
    >>> formula(BY_KEY["norm"])
    '<i>Σ ‖a f(x)‖, f(x) = (x W<sub>V</sub> + b<sub>V</sub>) W<sub>O</sub></i>'
    >>> formula(BY_KEY["effective"]), formula(BY_KEY["rank"])[:31]
    ('<i>2<sup>H</sup>, H = −Σ a log₂ a</i>', '<i>2<sup>−Σ p log₂ p</sup>, p =')
    """
    lowered = re.sub("_([A-Z])", r"<sub>\1</sub>", html.escape(measure.formula))
    raised = re.sub(r"\^(?:\(([^)]+)\)|(\w))", r"<sup>\1\2</sup>", lowered)
    return f"<i>{raised}</i>"


def unmeasurable(scene: HeadsScene) -> str:
    """Why there is no number."""
    return f"Not measurable on this text: it takes {html.escape(scene.measure.rows)}, and there are none."


def _counted(scene: HeadsScene) -> str:
    counts = {scene.found.counted(scene.measure, layer) for layer in range(scene.run.n_layers)}
    most = max(counts)
    if not most:
        return unmeasurable(scene)
    few = f"{min(counts)} to {most}" if len(counts) > 1 else str(most)
    return f"{few} of {len(scene.units)} rows counted ({html.escape(scene.measure.rows)})."


def glossary_entry(measure: Measure, n: int) -> str:
    """One measure with all there is to say about it."""
    return (
        f"<b>{html.escape(measure.name)}.</b> {html.escape(measure.says)} "
        f"{formula(measure)}, {limits(measure, n)}, "
        f"{'one number of' if measure.of_matrix else 'mean over'} {html.escape(measure.rows)}. "
        f"{html.escape(measure.source)}."
    )


def note(scene: HeadsScene, head: Head) -> str:
    """Two lines about a head on the sheet: its strongest pair, and the measure."""
    return f"strongest {_strongest(scene, head)}\n{_measured(scene, head)}"


def _strongest(scene: HeadsScene, head: Head) -> str:
    side = Axis(scene.units, scene.labels)
    return strongest_text(scene.sheet.strongest[head[0]][head[1]], side, side)


def _measured(scene: HeadsScene, head: Head) -> str:
    value, even = scene.value(head), scene.found.even(scene.measure, *head)
    if value is None:
        return f"{scene.measure.name}: not measurable here"
    beside = "" if even is None else f" (even weights: {exact(even)})"
    return f"{scene.measure.name} {exact(value)}{beside}"


def legend(scene: HeadsScene) -> tuple[str, str]:
    """What stands at both ends of the colours."""
    low, high = ends(scene.measure, scene.values())
    which = "the farthest from 0 here" if scene.measure.kind == "signed" else "the largest here"
    return short_end(low), f"{short_end(high)}, {which}"


def sheet_caption(scene: HeadsScene) -> str:
    """How to read the sheet, and what to notice."""
    order = "Highest first, row by row." if scene.choices.sort == "value" else "Layers down, heads across."
    if scene.choices.squares == "weights":
        return f"{_thumbnails(scene)} {order} Click a square or use the arrow keys."
    if all(scene.value(head) is None for head in scene.heads):
        return f"Each square is one head. {order} {unmeasurable(scene)}"
    return f"Each square is one head. {order} <b>Notice</b> which stand out. Click one or use the arrow keys."


def _thumbnails(scene: HeadsScene) -> str:
    how = drawn_caption(sheets.drawn(scene.site, scene.view), scene.site)
    return f"Each square is one head's weights: rows look, columns are looked at. {how}"


def measurements_caption() -> str:
    """What the columns are."""
    return (
        "Means over the rows that count; the effective rank is one number of all of them. <b>Even</b> is "
        "what a head would have that gives every token it may see the same weight: <b>notice</b> where this "
        "head is far from it. Least and most are the bounds on this text, rows how many count. The head of a "
        "column sorts by it. ∞ is no bound; a dash is no number: not measurable here, or not known if even."
    )


def too_many(scene: HeadsScene, most: int) -> str:
    """Why a picture is not drawn."""
    return f"Not drawn for {len(scene.units):,} {scene.unit}s: this page draws matrices of up to {most:,}."


def too_many_to_compare(scene: HeadsScene, most: int) -> str:
    """Why heads are not compared."""
    return f"Not compared on {len(scene.units):,} {scene.unit}s: this page compares heads on up to {most:,}."


def alike_caption(scene: HeadsScene) -> str:
    """How likeness is measured."""
    return (
        f"Mean Jensen–Shannon distance of their rows to those of {name(scene.chosen)} on this text: 0 is the "
        "same weights, 1 never the same key. Heads alike here may differ on another text."
    )


def summary_caption(scene: HeadsScene) -> str:
    """What a summary is, what it is not, and what to notice."""
    return f"{_SUMMED[scene.choices.summary]} {_NO_CAUSE}{_pieces(scene)}"


_NO_CAUSE = "It leaves out values, W<sub>O</sub>, MLPs and norms: a summary of weights, not of causes."
_SUMMED: Mapping[Summary, str] = {
    "mean": "All heads of all layers, averaged. Rows sum to 1. <b>Notice</b> the columns: what many heads "
    "rest on.",
    "max": "The largest weight that any head of any layer gives. Rows do not sum to 1. <b>Notice</b> which "
    "pairs stay pale: no head gives them much.",
    "rollout": "Each layer's mean over heads, half of it and half identity, multiplied from the first layer "
    "to the last (Abnar & Zuidema 2020). Rows are last positions, columns input tokens, rows sum to 1. "
    "<b>Compare</b> with even weights, which need no model.",
    "even": "Rollout of heads that give every token they may see the same weight: what the masks alone make. "
    "<b>Compare</b> with the rollout of this model.",
    "received": "What each token is given by a query that may see it, on average. <b>Notice</b> tokens far "
    "above the dashed line, where even weights would put them.",
}


def _pieces(scene: HeadsScene) -> str:
    if not scene.view.words:
        return ""
    merged = " Pieces were put together before the largest was taken."
    return merged if scene.choices.summary == "max" else " Pieces were put together at the end."
