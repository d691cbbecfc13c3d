"""What the page says. Whatever depends on a number is made from that number."""

from __future__ import annotations

import html

import numpy as np

from attention.analysis.context import ROUNDING
from attention.figures.labels import numbered, plain_label
from attention.figures.numbers import share, signed
from attention.ui.context.parted import Parted, Place

LINE = "one word in two places, followed through the layers"

PROSE = (
    "Each layer adds what its heads gathered, and the MLP’s part. A cosine says how alike two directions "
    "are, not what they mean; a weight what was mixed, not why."
)


def quoted(text: str) -> str:
    """The reader's text in a sentence of ours."""
    return f"<bdi>{html.escape(plain_label(text))}</bdi>"


def marked(text: str) -> str:
    """The same where it could be read as a word of ours: “the” and “it” are followed too."""
    return f"“{quoted(text)}”"


def summary(found: Parted) -> str:
    """The cosine at both ends, and where the two part."""
    word = f'<span class="q">{quoted(found.word)}</span>'
    start, end = float(found.alike[0]), float(found.alike[-1])
    said = f"The vectors of {word} {_where(found)} have a cosine of <b>{signed(start)}</b> before the first "
    said += f"layer and of <b>{signed(end)}</b> after the last."
    if found.parting is None:
        return said + " No layer makes it fall."
    before, after = (float(found.alike[found.parting + step]) for step in (0, 1))
    return f"{said} They part most in L{found.parting}: {signed(before)} → {signed(after)}."


def _where(found: Parted) -> str:
    if not found.one_sentence:
        return "in the two sentences"
    first, second = (place.chosen.positions[0] for place in (found.first, found.second))
    return f"in its two places, {first} and {second}, of one sentence"


def meaning(found: Parted) -> str:
    """What the cosine at the end can be held against, and what sets two places in one sentence apart."""
    return " ".join(part for part in (_apart(found), _beside_others(found)) if part)


def _apart(found: Parted) -> str:
    if not found.one_sentence:
        return ""
    if found.views == "alike":
        alone = ": nothing but where they stand tells them apart" if _same_tokens(found) else ""
        return f"Both places may look at the same tokens{alone}."
    if found.views == "unlike":
        return "Each place may look at tokens that the other may not."
    one, other = ("first", "second") if found.views == "first" else ("second", "first")
    return f"The {one} place may look at tokens that the {other} may not."


def _beside_others(found: Parted) -> str:
    if found.strangers is None:
        return ""
    end, others = float(found.alike[-1]), float(found.strangers[-1])
    less = "less alike" if others < end else "no less alike"
    there = "sentence’s" if found.one_sentence else "second sentence’s"
    return (
        f"Different words are {less}: the first {marked(found.word)} and the {there} others end at "
        f"<b>{signed(others)}</b>, on average."
    )


def _same_tokens(found: Parted) -> bool:
    return found.first.ids == found.second.ids


def light(found: Parted) -> str:
    """What the shade of a chip is."""
    twice = "One sentence, shown once for each place. " if found.one_sentence else ""
    return (
        f"{twice}Lit by what {marked(found.word)} mixed in L{found.layer}, the mean over heads. Click a "
        "word to follow it."
    )


def pieces(found: Parted) -> str:
    """What is said of a word made of several pieces; nothing where neither is."""
    counts = [len(place.chosen.positions) for place in (found.first, found.second)]
    if max(counts) == 1:
        return ""
    said = f"{counts[0]}" if counts[0] == counts[1] else f"{counts[0]} and {counts[1]}"
    return f"{marked(found.word)} is {said} pieces: its vector is the mean of theirs, and so are its weights."


def begins(found: Parted) -> str:
    """Whether the two begin as the same vectors."""
    if not _same_tokens(found):
        return "The two are written with different tokens, so they begin as different rows of the table."
    table = found.first.run.model.transformer.embedding.positions
    added = "" if table is None else ", each with its position’s vector added"
    rows = "row" if len(found.first.ids) == 1 else "rows"
    return f"Both begin as the same {rows} of one table{added}."


def curve(found: Parted) -> str:
    """What to notice in the cosines."""
    steps = np.diff(found.alike)
    rises, falls = ((sign * steps > ROUNDING).nonzero()[0].tolist() for sign in (1, -1))
    return _direction(rises, falls, found.n_layers)


def _direction(rises: list[int], falls: list[int], n_layers: int) -> str:
    if not rises and not falls:
        # As of the first word for a causal model: the same token, and nothing before it.
        return "<b>Notice</b> that the cosine stays the same through every layer here."
    if not rises:
        every = "every layer" if len(falls) == n_layers else f"{len(falls)} of the {n_layers} layers"
        return f"<b>Notice</b> that the cosine falls through {every} here and never rises; it need not."
    if len(rises) == n_layers:
        return "<b>Notice</b> that the cosine rises through every layer here."
    some = ", ".join(f"L{at}" for at in rises[:4]) + (" and others" if len(rises) > 4 else "")
    return f"<b>Notice</b> that it does not fall steadily: it rises through {some}."


def gathered(place: Place, layer: int) -> str:
    """What a word mixed most, itself aside."""
    shares, names = place.gathered(layer), numbered(place.tokens)
    largest = (-shares).argsort(kind="stable").tolist()
    others = [at for at in largest if at not in place.chosen.positions and shares[at] > 0]
    own = float(shares[list(place.chosen.positions)].sum())
    most = ", ".join(_key(names[at], float(shares[at])) for at in others[:3])
    rest = f"; {share(own)} of it stayed on the word itself" if own else ""
    return f"In L{layer}, the mean over all heads: {most or 'nothing else'}{rest}."


def _key(name: str, weight: float) -> str:
    return f'<span class="k">{quoted(name)}</span> {share(weight)}'


def door(at: int, n_layers: int) -> str:
    """A place between layers, as an axis names it.

    >>> [door(at, 2) for at in range(3)]
    ['in', 'L0', 'L1']
    """
    return "in" if at == 0 else f"L{at - 1}"
