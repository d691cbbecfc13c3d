"""What the page says, from the numbers it shows."""

from __future__ import annotations

from collections.abc import Mapping

from attention.analysis.bits import in_bits
from attention.analysis.scaling import DEAD, Spread
from attention.figures.numbers import exact, percent, share, signed
from attention.ui.scaling.experiment import N_EXAMPLES, N_KEYS, N_ROWS, Experiment

TITLE, LINE = "Why √dₖ?", "random vectors first, then a real head without its scale"

PROSE = (
    r"Draw the components of $q$ and $k$ independently, with mean 0 and variance 1. Each product $q_i k_i$ "
    r"then has variance 1, and their sum $q \cdot k = \sum_i q_i k_i$ has variance $d_k$. Dividing by "
    r"$\sqrt{d_k}$ brings it back to 1, however long the vectors are."
)
_D_K = "d<sub>k</sub>"
FEW = 8
"""Up to this many components, rows of unscaled scores still mix their keys."""


def point(of: Experiment) -> str:
    """What this size shows, in two sentences."""
    drawn = of.drawn
    return (
        f"Random vectors of <b>{drawn.d_k:,}</b> components: their scores q · k have variance "
        f"<b>{drawn.variance:,.1f}</b>, and the largest of {N_KEYS} weights is "
        f"<b>{share(drawn.raw.largest)}</b> on average. Divided by √{drawn.d_k:,} the variance is "
        f"<b>{drawn.scaled_variance:.2f}</b> and the largest weight <b>{share(drawn.scaled.largest)}</b>."
    )


def rows_caption(scaled: bool, of: Experiment) -> str:
    """What to notice in a few rows of weights."""
    if scaled:
        return f"The same queries and keys. <b>Notice</b> that several keys keep a say, whatever {_D_K} is."
    if of.drawn.d_k <= FEW:
        return f"The first {N_EXAMPLES} queries. <b>Notice</b> that most rows still mix several keys."
    return (
        f"The first {N_EXAMPLES} queries. <b>Notice</b> how many rows rest on one key, by chance alone: "
        "nothing is learned here."
    )


def spread_caption(scaled: bool) -> str:
    """What to notice in the histograms."""
    if scaled:
        return f"<b>Notice</b> that the spread no longer depends on {_D_K}; small sizes have a sharper peak."
    return (
        "<b>Notice</b> that longer vectors spread their scores: the curve gets wide and low, and at 1,024 "
        "goes on beyond the axis."
    )


def variance_caption(of: Experiment) -> str:
    """Measured against theory."""
    drawn = of.drawn
    return (
        f"<b>Notice</b> that the points lie on the theory’s lines. At {_D_K} = {drawn.d_k:,}: measured "
        f"{drawn.variance:,.1f}, by theory {drawn.d_k:,}."
    )


def saturation_caption(of: Experiment) -> str:
    """What the largest weight shows."""
    drawn = of.drawn
    return (
        "Scores far apart saturate the softmax: one weight nears 1. <b>Notice</b> that the scaled rows stay "
        f"where they are: <b>{share(drawn.scaled.largest)}</b> at {_D_K} = {drawn.d_k:,}."
    )


def entropy_caption(of: Experiment) -> str:
    """What entropy shows."""
    raw, scaled = (signed(in_bits(rows.entropy)) for rows in (of.drawn.raw, of.drawn.scaled))
    return (
        f"In bits: <b>{raw}</b> as it comes, <b>{scaled}</b> when scaled. <b>Notice</b> that scaling leaves "
        "the rows mixed, but not even."
    )


def gradient_caption(every: Mapping[int, Experiment]) -> str:
    """What scaling does to the gradient, and what it does not."""
    first, last = every[min(every)].drawn, every[max(every)].drawn
    return (
        f"Scaling makes the gradient nearly independent of {_D_K}: its mean is "
        f"<b>{first.scaled.gradient:.3f}</b> at {first.d_k} and <b>{last.scaled.gradient:.3f}</b> at "
        f"{last.d_k:,}. It does not make it largest: at {first.d_k}, scores as they come have "
        f"<b>{first.raw.gradient:.3f}</b>. <b>Notice</b> that the mean hides the collapse: at {last.d_k:,} "
        f"it is still <b>{last.raw.gradient:.3f}</b>, while half the rows have less than "
        f"<b>{exact(last.raw.median_gradient)}</b>."
    )


def dead_caption(of: Experiment) -> str:
    """How many rows hardly answer."""
    drawn = of.drawn
    return (
        f"A row with ‖J‖ below {DEAD:g} hardly answers to its scores, so training hardly moves it. At "
        f"{_D_K} = {drawn.d_k:,}: <b>{percent(drawn.raw.dead, 1)}</b> of {N_ROWS:,} rows as they come, "
        f"<b>{percent(drawn.scaled.dead, 1)}</b> when scaled."
    )


def head_caption(measured: Spread | None) -> str:
    """A head's rows under one scale, in numbers."""
    if measured is None:
        return "No row of this head has two keys to choose from, so there is nothing to measure."
    rows = "row" if measured.n_rows == 1 else "rows"
    return (
        f"Mean over {measured.n_rows} {rows}: largest weight <b>{share(measured.largest)}</b>, entropy "
        f"<b>{signed(in_bits(measured.entropy))}</b> bits."
    )


def comparison(said: Mapping[str, str], measured: Mapping[str, Spread | None]) -> str:
    """What the three scales do to the head, in a sentence; nothing where it cannot be measured.

    Args:
        said: How the sentence names each.
        measured: Their numbers.
    """
    found = {key: one.largest for key, one in measured.items() if one is not None}
    if len(found) < len(said):
        return ""
    own, *others = (f"<b>{share(found[key])}</b> {said[key]}" for key in ("own", "without", "doubled"))
    return (
        "The same queries and keys; only the number that scores are multiplied by is another. A row’s "
        f"largest weight is {own}, {others[0]} and {others[1]}, on average."
    )


HEADS_CAPTION = "<b>Notice</b> whether the chosen head is an exception: every head of the layer is here."
